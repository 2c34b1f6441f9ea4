import type { AppError } from '../domain/errors.ts';
import { type Finding, ok, warning } from './check.ts';
import type { Settings } from './context.ts';
import { isServing, type MirrorProbe } from './read-site.ts';

interface MirrorsOptions {
  source: Settings['source'];
  /** The mirror that served the last good crawl. */
  servedLast: () => Promise<string | null>;
  probes: () => Promise<MirrorProbe[]>;
}

/** Checks each mirror in the order of a crawl. A failed mirror is a warning while another one serves the site. */
export async function* checkMirrors({ source, servedLast, probes }: MirrorsOptions): AsyncGenerator<Finding> {
  const probed = await probes();
  const known = await servedLast();
  const failure = probed.some(isServing) ? 'warning' : 'problem';
  for (const probe of probed) {
    const name = probe.mirror === known ? `${probe.mirror} (which served last)` : probe.mirror;
    yield isServing(probe)
      ? describeServing(name, probe, source)
      : { level: failure, text: `${name}: ${describeFailure(probe, source)}` };
  }
}

function describeServing(
  name: string,
  { mirror, schedule }: MirrorProbe,
  source: Settings['source'],
): Finding {
  const answered = `${name} answered in ${schedule.tookMs} ms`;
  const { origin } = new URL(schedule.url);
  if (!source.urls.includes(origin)) {
    const how = origin === mirror ? 'is not configured' : `redirects to ${origin}`;
    return warning(`${answered}, and ${how}: add ${origin} to SOURCE_URLS`);
  }
  if (origin !== mirror)
    return warning(`${answered}, and redirects to ${origin}: remove it from SOURCE_URLS`);
  if (schedule.tookMs > source.timeoutMs / 2) {
    return warning(`${answered}, more than half of the limit: raise SOURCE_TIMEOUT`);
  }
  return ok(answered);
}

function describeFailure({ mirror, schedule }: MirrorProbe, source: Settings['source']): string {
  const { error } = schedule.result;
  if (!error) return '';
  const state = error.code.replace('source-', '');
  const { origin } = new URL(schedule.url);
  const redirected = origin === mirror ? '' : `, redirected to ${origin}`;
  return `${state} after ${schedule.tookMs} ms${redirected}: ${error.message}${advise(error, schedule.tookMs, source)}`;
}

/** Most messages name the variable to change already. */
function advise(error: AppError, tookMs: number, { timeoutMs, proxy }: Settings['source']): string {
  if (/\bSOURCE_[A-Z]/u.test(error.message)) return '';
  const newAddress = "set SOURCE_URLS to the site's present address";
  if (error.code !== 'source-down') return `; ${newAddress}`;
  const remedies = [
    ...(tookMs >= timeoutMs ? ['raise SOURCE_TIMEOUT'] : []),
    ...(proxy ? ['check SOURCE_PROXY'] : []),
  ];
  return `; ${[...remedies, `if it stays so, ${newAddress}`].join(', or ')}`;
}
