import type { Verdict } from '../belief/decide.ts';
import type { Rename } from '../belief/renames.ts';
import { AppError } from '../domain/errors.ts';
import { excerpt } from '../domain/text.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../domain/units.ts';
import type { RepairResult, SelectorRepair, Visit } from '../source/source.ts';
import type { Attempt } from './attempt.ts';

import type { PageReading } from './details/record-details.ts';
import type { Status } from './source-state.ts';

/** For longer, an older page 1 than the believed one is not passed over. */
const MAX_PAGE_AGE_MS = DAY_MS;
const MAX_REASON_LENGTH = 500;
/** A mirror that failed is tried again after this time. */
const RETRY_MS = HOUR_MS - 10 * MINUTE_MS;

/** What a mirror shows. */
export interface MirrorReading {
  /** The origin that served: another one than was asked after a redirect. */
  mirror: string;
  /** Digest of page 1 as it was read last, and when the source built it. */
  firstPage: string;
  builtAt: number | undefined;
  /** What it changes; undefined where page 1 alone was read, and is the same as at the last reading, or was built before. */
  verdict: Verdict | undefined;
  /** The pages of anime that were read for it. */
  asked?: readonly PageReading[];
  /** The anime whose slugs have been corrected. */
  renames?: readonly Rename[];
}

/** The mirror that the source was read from. */
export interface MirrorResult extends MirrorReading {
  /** The origin that the requests went to. */
  askedMirror: string;
  /** The selectors that the pages were read by in place of the written ones. */
  repairs: SelectorRepair[];
  /** The origins that failed before, or have an older page 1 than what is believed. */
  failed: string[];
}

/**
 * Reads the first mirror on which `read` succeeds with a page 1 that is not older than what is believed; else the one with
 * the youngest; else one whose reading is pending. When none succeeds, throws the error of the first mirror.
 */
export async function readFirstGood<Reading extends MirrorReading>(
  attempt: Attempt,
  mayRepair: boolean,
  read: (visit: Visit) => Promise<Reading>,
): Promise<Reading & MirrorResult> {
  const { source, status, lastGood, report, signal, now } = attempt;
  const mirrors = orderMirrors(status, source.mirrors, now());
  const begin = source.beginCrawl(signal, lastGood && { lastGood, repairs: status.repaired, mayRepair });
  const errors: AppError[] = [];
  const failed: string[] = [];
  const older: (Reading & MirrorResult)[] = [];
  const pending: (Reading & MirrorResult)[] = [];
  const noteError = (mirror: string, error: AppError) => {
    if (mirrors.length > 1) report({ type: 'mirror-failed', mirror, error });
    errors.push(error);
  };
  for (const mirror of mirrors) {
    let visit: Visit | undefined;
    try {
      report({ type: 'refresh-started', mirror });
      visit = begin(mirror);
      const reading = await read(visit);
      const result = { ...reading, askedMirror: mirror, repairs: visit.repaired().repairs, failed };
      const reason = result.verdict?.pending?.reason;
      if (!reason && !isOlder(attempt, result.builtAt)) return result;
      (reason ? pending : older).push(result);
      if (reason) noteError(mirror, new AppError('source-changed', reason));
    } catch (cause) {
      signal.throwIfAborted();
      if (!(cause instanceof AppError)) throw cause;
      noteError(mirror, visit ? explainRepair(cause, visit.repaired()) : cause);
    }
    failed.push(mirror);
  }
  const [best = pending[0]] = older.toSorted((one, other) => (other.builtAt ?? 0) - (one.builtAt ?? 0));
  if (!best) throw errors[0];
  return { ...best, failed: failed.filter((one) => one !== best.askedMirror) };
}

/**
 * The origins to ask, in the order of the configuration. One that redirects is preceded by its target. Those that have just
 * failed come last.
 */
export function orderMirrors(
  { mirror, askedMirror, mirrorFailures }: Status,
  configured: readonly string[],
  now: number,
): string[] {
  const origins = configured.flatMap((one) => (one === askedMirror && mirror ? [mirror, one] : [one]));
  const hasFailed = (one: string) => Number((mirrorFailures[one] ?? 0) > now - RETRY_MS);
  return [...new Set(origins)].sort((a, b) => hasFailed(a) - hasFailed(b));
}

/** Whether a page 1 was built before the one that is believed. */
export function isOlder({ status, now }: Attempt, builtAt: number | undefined): boolean {
  const believedAt = status.belief.builtAt ?? 0;
  return builtAt !== undefined && builtAt < believedAt && believedAt > now() - MAX_PAGE_AGE_MS;
}

/** Returns the error with the repairs that were tried, and with the reason if there were none. */
function explainRepair(error: AppError, { repairs, failure }: RepairResult): AppError {
  const tried = repairs.map(({ field, was, now }) => `${field} ${was} → ${now}`).join(', ');
  const reasons = [
    ...(tried ? [`its selectors were repaired: ${tried}`] : []),
    ...(failure && !error.message.includes(failure) ? [`its selectors cannot be repaired: ${failure}`] : []),
  ];
  if (error.code !== 'source-changed' || reasons.length === 0) return error;
  const reason = [excerpt(error.message, MAX_REASON_LENGTH), ...reasons].join('; ');
  return new AppError(error.code, reason, { cause: error, retryAfterMs: error.retryAfterMs });
}
