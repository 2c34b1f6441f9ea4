import { DAY_MS, HOUR_MS, MINUTE_MS } from '../domain/units.ts';
import type { OwnPageAnswer, Rival, Statement } from './statement.ts';

/** One of the ways in which a statement becomes true. All that is given has to be met. */
export interface Need {
  /** How many readings agree. Only crawls count, except where a number may be read again. */
  readings?: number;
  /** The time from the first of them to the last. */
  overMs?: number;
  /** What the own page of the anime says. */
  ownPage?: OwnPageAnswer | undefined;
  /** Only for a number, and only while its own page has not said anything. */
  isUnansweredNumber?: true;
  /** Only above the first card that is as it was, and only where the mass concerns neither number nor date. */
  isAboveUnchanged?: true;
}

const AT_ONCE: Need = {};
const ABOVE_UNCHANGED: Need = { isAboveUnchanged: true };
const TWO_CRAWLS: Need = { readings: 2, overMs: 45 * MINUTE_MS };
const SIX_HOURS: Need = { readings: 3, overMs: 6 * HOUR_MS };
const ONE_DAY: Need = { readings: 3, overMs: DAY_MS };
const THREE_DAYS: Need = { readings: 3, overMs: 3 * DAY_MS };
const SECOND_READING: Need = { readings: 2, overMs: 3 * MINUTE_MS, isUnansweredNumber: true };
const PAGE_AGREES: Need = { ownPage: 'agrees' };
const PAGE_ENDED: Need = { ownPage: 'ended' };
const PAGE_GONE_TWICE: Need = { ownPage: 'gone', overMs: 20 * HOUR_MS };
const UNSEEN_FOR_A_WEEK: Need = { overMs: 7 * DAY_MS };

/**
 * What a statement needs until it is true, by its grade. `few`: while at most a tenth of the anime are small or odd; `many`:
 * while more are; `missing`: an anime that is not shown; `denied`: its own page says otherwise.
 */
export const NEEDS: Record<
  Statement['grade'],
  Partial<Record<'few' | 'many' | 'missing' | 'denied', Need[]>>
> = {
  news: { few: [AT_ONCE], many: [ABOVE_UNCHANGED] },
  small: { few: [AT_ONCE], many: [SIX_HOURS], missing: [TWO_CRAWLS] },
  odd: { few: [PAGE_AGREES, SECOND_READING, SIX_HOURS], many: [SIX_HOURS], denied: [THREE_DAYS] },
  stale: { few: [ONE_DAY], many: [ONE_DAY] },
  silent: { missing: [PAGE_ENDED, PAGE_GONE_TWICE, UNSEEN_FOR_A_WEEK] },
};

/** What a reading is judged with. */
export interface Circumstances {
  /** Wall clock, ms since 1970. */
  now: number;
  /** An operator says that the reading is right. */
  force: boolean;
  /** Whether page 1 alone was read. It is no evidence for what has to last. */
  isPeek: boolean;
  /** Whether more than a tenth of the anime are small or odd. */
  isMass: boolean;
  isAboveUnchanged: boolean;
}

/** Whether a statement is true by the table. */
export function isTrue(statement: Statement, rival: Rival, circumstances: Circumstances): boolean {
  if (circumstances.force) return true;
  return needsOf(statement, rival, circumstances).some((need) =>
    isMet(need, statement, rival, circumstances),
  );
}

/** Whether readings have agreed for as long as a change of many anime takes. */
export function hasLasted({ times, since }: Rival, now: number): boolean {
  const { readings = 0, overMs = 0 } = SIX_HOURS;
  return times >= readings && now - since >= overMs;
}

function needsOf({ grade, fields }: Statement, rival: Rival, { isMass }: Circumstances): Need[] {
  const row = NEEDS[grade];
  const isMissing = fields[0] === 'gone';
  if (rival.ownPage === 'denies' && row.denied) return row.denied;
  if (isMissing && row.missing && !(isMass && row.many)) return row.missing;
  return (isMass ? row.many : row.few) ?? [];
}

function isMet(need: Need, statement: Statement, rival: Rival, circumstances: Circumstances): boolean {
  const { now, isPeek, isAboveUnchanged } = circumstances;
  const { readings = 0, overMs = 0, ownPage } = need;
  if (need.isAboveUnchanged && !isAboveUnchanged) return false;
  if (need.isUnansweredNumber && !(statement.isNumber && rival.ownPage === undefined)) return false;
  // That a page was gone before says nothing of now.
  if (ownPage === 'gone')
    return statement.ownPage === 'gone' && rival.goneAt !== undefined && now - rival.goneAt >= overMs;
  if (ownPage && rival.ownPage !== ownPage) return false;
  if (readings > 0 && isPeek && !need.isUnansweredNumber) return false;
  return rival.times >= readings && now - rival.since >= overMs;
}

/** How long after it was asked the own page of an anime is asked again, for a number or a name. */
const FIRST_ASK_MS = 8 * MINUTE_MS;
/** The same for an anime whose place is not seen. */
const DAILY_MS = 20 * HOUR_MS;

/** Whether the own page of an anime is to be read now: at once, then at growing intervals, or daily. */
export function mustAsk({ grade, asks }: Statement, { askedAt, since }: Rival, now: number): boolean {
  if (!asks) return false;
  if (askedAt === undefined || askedAt > now) return true;
  const pauseMs = grade === 'silent' ? DAILY_MS : Math.max(FIRST_ASK_MS, askedAt - since);
  return now >= askedAt + pauseMs;
}
