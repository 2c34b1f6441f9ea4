import { hash } from 'node:crypto';
import { AppError } from '../../domain/errors.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../domain/units.ts';
import type { Difference, JudgeOptions } from './compare.ts';

const MIN_READINGS = 3;
const MIN_SPAN_MS = 6 * HOUR_MS;
/** The same for a page that was built before what is believed. */
const MIN_OLD_SPAN_MS = DAY_MS;
/** How often, and for how long, crawls must miss an anime before it leaves. */
const MIN_ABSENCES = 2;
const MIN_ABSENCE_MS = 45 * MINUTE_MS;
/** An episode that jumps is read again after this time, where no page says whether it is out. */
const MIN_JUMP_MS = 3 * MINUTE_MS;
const FIRST_ASK_MS = 8 * MINUTE_MS;
/** A page cache is at most so old. */
const KEPT_MS = 3 * DAY_MS;
const MAX_SEEN = 5_000;

/** What the latest readings say against the last good listing, stored beside it. */
export interface BeliefMemory {
  /** One for each anime and part that contradicts it: what it says, and how many readings in a row have said so. */
  claims: Record<string, Claim>;
  /** When the page was built that showed the last change of an anime; ms since 1970 by the clock of the source. */
  seen: Record<string, number>;
  /** When the page 1 was built that was believed last. */
  builtAt?: number;
  /** The number of pages of the list. */
  pages?: number | undefined;
}

export interface Claim {
  /** A digest of what the readings show in place of what is believed. */
  value: string;
  /** The time of the first of these readings, ms since 1970. */
  since: number;
  readings: number;
  /** Whether nothing but an episode that jumps is in doubt; when its page was last asked for it, and whether it denied it. */
  isJump?: boolean;
  askedAt?: number;
  isDenied?: boolean;
}

export const NOTHING_REMEMBERED: BeliefMemory = { claims: {}, seen: {} };

/** The value of an anime that is not shown. */
const GONE = digest('gone');

/** The anime that the last crawl did not show, and that have not left yet. */
export function listAbsent({ claims }: BeliefMemory): Set<string> {
  return new Set(
    Object.entries(claims).flatMap(([key, { value }]) => (value === GONE ? key.replace('list ', '') : [])),
  );
}

/** Counts one more reading that shows a value. Another value than that of `before` begins anew. */
export function countReading(before: Claim | undefined, shown: string, now: number): Claim {
  const value = digest(shown);
  if (before?.value !== value) return { value, since: now, readings: 1 };
  return { ...before, readings: before.readings + 1 };
}

function digest(text: string): string {
  return hash('sha256', text, 'base64url').slice(0, 12);
}

/** Whether a difference has lasted so long that it is the truth, whatever it is. */
export function lasts(
  { claim: { readings, since, isDenied }, isOld }: Pick<Difference, 'claim' | 'isOld'>,
  { now, force, isPeek }: JudgeOptions,
): boolean {
  const spanMs = isDenied ? KEPT_MS : isOld ? MIN_OLD_SPAN_MS : MIN_SPAN_MS;
  return force || (!isPeek && readings >= MIN_READINGS && now - since >= spanMs);
}

/** Whether the page of an anime has to be asked for an episode that jumps: at once, then at growing intervals. */
export function mustAsk({ askedAt, since }: Claim, now: number): boolean {
  return askedAt === undefined || now >= askedAt + Math.max(FIRST_ASK_MS, askedAt - since);
}

/** Whether an episode that jumps is believed: by the page of the anime, or by a second reading where no page tells. */
export function isConfirmed({ readings, since, isDenied }: Claim, now: number): boolean {
  return isDenied === undefined ? readings >= 2 && now - since >= MIN_JUMP_MS : !isDenied;
}

/** Whether an anime that the readings do not show has left. */
export function hasLeft({ readings, since }: Claim, now: number): boolean {
  return readings >= MIN_ABSENCES && now - since >= MIN_ABSENCE_MS;
}

/** Adds the times of the pages that showed the latest changes, and forgets old ones. */
export function rememberSeen(
  seen: BeliefMemory['seen'],
  changed: readonly (readonly [string, number])[],
  now: number,
) {
  const all = { ...seen, ...Object.fromEntries(changed) };
  return Object.fromEntries(
    Object.entries(all)
      .filter(([, at]) => at > now - KEPT_MS)
      .slice(-MAX_SEEN),
  );
}

const PARTS = { name: 'the ongoing list', list: 'the ongoing list', week: 'the schedule' };

/** The pages are whole, and contradict what is known. */
export class PendingReading extends AppError {}

export interface Pending {
  /** What waits for other readings, for people. */
  reason: string;
  /** The time of the first reading that showed it, ms since 1970. */
  since: number;
}

/** What waits in each part; undefined when nothing does. */
export function describePending(
  parts: readonly { waiting: readonly Difference[]; size: number }[],
): Pending | undefined {
  const times = parts.flatMap(({ waiting }) => waiting.map(({ claim }) => claim.since)).sort((a, b) => a - b);
  const since = times[Math.floor(times.length / 2)];
  if (since === undefined) return undefined;
  const reasons = parts.flatMap(({ waiting: [one, ...others], size }) => {
    if (!one) return [];
    const all = [one, ...others];
    const fields = [...new Set(all.flatMap((each) => each.fields))];
    const contradictions = fields.map((field) => describeField(field, all, size)).join('; ');
    return `${PARTS[one.part]} contradicts what is known: ${contradictions}`;
  });
  const advice =
    'it becomes the truth once three crawls over six hours agree, or with npm run refresh -- --force';
  return { reason: `${reasons.join('; ')}; ${advice}`, since };
}

/** `title differs on 24 of 25 anime: for instance, "A" contradicts the schedule` */
function describeField(field: string, waiting: readonly Difference[], size: number): string {
  const all = waiting.filter(({ fields }) => fields.includes(field));
  const example = all.find(({ fields }) => fields[0] === field) ?? all[0];
  if (field === 'gone') return `${all.length} of ${size} anime are gone, for instance "${example?.title}"`;
  const { found, against } =
    example?.fault?.field === field ? example.fault : { found: example?.found, against: undefined };
  const contradicted = against ?? `the last good list, which has "${example?.known}"`;
  return `${field} differs on ${all.length} of ${size} cards: for instance, "${found}" of "${example?.title}" contradicts ${contradicted}`;
}
