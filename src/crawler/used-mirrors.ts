import { HOUR_MS, MINUTE_MS } from '../domain/units.ts';
import type { UsedMirrors } from '../store/source-status.ts';
import type { Attempt } from './attempt.ts';
import type { MirrorResult } from './mirrors.ts';

/** A mirror that failed is tried again after this time. */
const RETRY_MS = HOUR_MS - 10 * MINUTE_MS;

/**
 * The origins to ask, in the order of the configuration. The target of a redirect comes before the origin that redirects.
 * Origins that have just failed come last.
 */
export function orderMirrors(
  { mirror, askedMirror, mirrorFailures }: UsedMirrors,
  configured: readonly string[],
  now: number,
): string[] {
  const origins = configured.flatMap((one) => (one === askedMirror && mirror ? [mirror, one] : [one]));
  const hasFailed = (one: string) => Number((mirrorFailures[one] ?? 0) > now - RETRY_MS);
  return [...new Set(origins)].sort((a, b) => hasFailed(a) - hasFailed(b));
}

/** After a good reading. Remembers the origins that failed within the last hour. */
export function noteMirrors(
  { source, status, now }: Attempt,
  { mirror, askedMirror, failed }: Pick<MirrorResult, 'mirror' | 'askedMirror' | 'failed'>,
): UsedMirrors {
  const before = Object.entries(status.mirrors.mirrorFailures).filter(
    ([origin, at]) => origin !== askedMirror && at > now() - HOUR_MS,
  );
  const mirrorFailures = Object.fromEntries(before);
  for (const origin of failed) mirrorFailures[origin] = now();
  const isConfigured = source.mirrors.includes(askedMirror);
  return { mirror, askedMirror: isConfigured ? askedMirror : status.mirrors.askedMirror, mirrorFailures };
}
