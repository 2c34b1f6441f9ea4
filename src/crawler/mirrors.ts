import type { Verdict } from '../belief/decide.ts';
import type { Rename } from '../belief/renames.ts';
import { AppError } from '../domain/errors.ts';
import { excerpt } from '../domain/text.ts';
import { DAY_MS } from '../domain/units.ts';
import type { OngoingPage, RepairResult, SelectorRepair, Visit } from '../source/source.ts';
import type { Attempt } from './attempt.ts';
import type { PageReading } from './details/record-details.ts';
import { digestPage } from './page-checks.ts';
import { ageOf, isBehind, shownAt, standsStill } from './reading-time.ts';
import { orderMirrors } from './used-mirrors.ts';

/** For longer, an older page 1 than the believed one is not passed over. */
const MAX_PAGE_AGE_MS = DAY_MS;
const MAX_REASON_LENGTH = 500;

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
  /** The origins before it that failed, or that were passed over. */
  failed: string[];
}

/** A mirror whose page 1 was read, before the rest of it. */
interface Candidate {
  mirror: string;
  visit: Visit;
  /** Undefined where there is no other mirror to compare it with. */
  first: OngoingPage | undefined;
  /** The moment that it shows, ms since 1970. */
  shownAt: number;
  /** Whether another mirror has to be asked as well: it is older than the belief, or it stands still. */
  isBehind: boolean;
  standsStill: boolean;
}

/**
 * Reads the first mirror on which `read` succeeds. Mirrors whose page 1 is older than the belief are passed over; in a
 * whole crawl (`isWhole`), so are mirrors that stand still. Where no other mirror is good, the youngest of these is
 * read, and after them a mirror whose reading is pending. Throws the first error when none succeeds. `read` gets page 1
 * where it was read already.
 */
export async function readFirstGood<Reading extends MirrorReading>(
  attempt: Attempt,
  isWhole: boolean,
  read: (visit: Visit, first: OngoingPage | undefined) => Promise<Reading>,
): Promise<Reading & MirrorResult> {
  const { source, status, lastGood, report, signal, now } = attempt;
  const mirrors = orderMirrors(status.mirrors, source.mirrors, now());
  const memory = lastGood && { lastGood, repairs: status.crawl.repaired, mayRepair: isWhole };
  const begin = source.beginCrawl(signal, memory);
  const errors: AppError[] = [];
  const failed = new Set<string>();
  const passed: Candidate[] = [];
  const pending: (Reading & MirrorResult)[] = [];

  for (const mirror of mirrors) {
    report({ type: 'refresh-started', mirror });
    const visit = begin(mirror);
    const candidate = await unlessItFails(mirror, visit, () => lookAt(mirror, visit));
    if (candidate?.isBehind || (isWhole && candidate?.standsStill)) {
      passed.push(candidate);
      continue;
    }
    const result = candidate && (await tryToRead(candidate));
    if (result) return result;
  }
  const byAge = passed.toSorted(
    (one, other) => Number(one.isBehind) - Number(other.isBehind) || other.shownAt - one.shownAt,
  );
  for (const candidate of byAge) {
    const result = isOldCopy(candidate) ? undefined : await tryToRead(candidate);
    if (result) return result;
  }
  const [best] = pending;
  if (!best) throw errors[0];
  return { ...best, failed: [...failed].filter((one) => one !== best.askedMirror) };

  /** Whether the belief came from a mirror that fails now, and this one is older. */
  function isOldCopy({ mirror, isBehind }: Candidate): boolean {
    const { mirror: served, askedMirror } = status.mirrors;
    const believed = [served, askedMirror].filter((one) => one !== null);
    const isRecent = (status.reading.readAt ?? 0) > now() - MAX_PAGE_AGE_MS;
    return isBehind && isRecent && !believed.includes(mirror) && believed.some((one) => failed.has(one));
  }

  /** Reads page 1 where there are other mirrors. */
  async function lookAt(mirror: string, visit: Visit): Promise<Candidate> {
    const candidate = { mirror, visit, first: undefined, shownAt: 0, isBehind: false, standsStill: false };
    if (mirrors.length === 1) return candidate;
    const first = await visit.readOngoing(1);
    const age = ageOf(status.reading, { firstPage: digestPage(first), builtAt: first.builtAt }, now());
    return {
      ...candidate,
      first,
      shownAt: shownAt(age, now()),
      isBehind: isBehind(first, lastGood?.ongoing ?? []),
      standsStill: standsStill(age, now()),
    };
  }

  /** Undefined where the reading fails, or is pending. */
  async function tryToRead({
    mirror,
    visit,
    first,
  }: Candidate): Promise<(Reading & MirrorResult) | undefined> {
    const reading = await unlessItFails(mirror, visit, () => read(visit, first));
    if (!reading) return undefined;
    const before = mirrors.slice(0, mirrors.indexOf(mirror));
    const passedOver = passed.map((one) => one.mirror).filter((one) => before.includes(one));
    const { repairs } = visit.repaired();
    const result = { ...reading, askedMirror: mirror, repairs, failed: [...failed, ...passedOver] };
    const reason = result.verdict?.pending?.reason;
    if (reason === undefined) return result;
    pending.push(result);
    noteError(mirror, new AppError('source-changed', reason));
    return undefined;
  }

  async function unlessItFails<Value>(
    mirror: string,
    visit: Visit,
    attemptToRead: () => Promise<Value>,
  ): Promise<Value | undefined> {
    try {
      return await attemptToRead();
    } catch (cause) {
      signal.throwIfAborted();
      if (!(cause instanceof AppError)) throw cause;
      noteError(mirror, explainRepair(cause, visit.repaired()));
      return undefined;
    }
  }

  function noteError(mirror: string, error: AppError): void {
    if (mirrors.length > 1) report({ type: 'mirror-failed', mirror, error });
    errors.push(error);
    failed.add(mirror);
  }
}

/** Whether a page 1 is older than the belief. */
export function isOlder({ status, now }: Attempt, builtAt: number | undefined): boolean {
  const believedAt = status.belief.builtAt ?? 0;
  return builtAt !== undefined && builtAt < believedAt && believedAt > now() - MAX_PAGE_AGE_MS;
}

/** Returns the error with the repairs that were tried, and with the reason if there were none. */
function explainRepair(error: AppError, { repairs, failure }: RepairResult): AppError {
  const tried = repairs.map(({ field, was, now }) => `${field} ${was} → ${now}`).join(', ');
  const reasons: string[] = [];
  if (tried) reasons.push(`its selectors were repaired: ${tried}`);
  if (failure && !error.message.includes(failure))
    reasons.push(`its selectors cannot be repaired: ${failure}`);
  if (error.code !== 'source-changed' || reasons.length === 0) return error;
  const reason = [excerpt(error.message, MAX_REASON_LENGTH), ...reasons].join('; ');
  return new AppError(error.code, reason, { cause: error, retryAfterMs: error.retryAfterMs });
}
