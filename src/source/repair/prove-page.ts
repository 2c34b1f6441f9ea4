import { MIN_KNOWN } from './find-links.ts';
import type { KnownAnime, PageModel } from './page-model.ts';

/** The largest share of the known cards that may disagree in a field, and of the cards that may be unreadable. */
const MAX_SHARE = 0.1;

/** How a parsed page agrees with the last good listing. */
export interface Proof {
  /** Cards that are records, and those that are not. */
  readable: number;
  unreadable: number;
  /** Records of known anime, and on how many of them each field, by its name among the selectors, agrees. */
  known: number;
  agreeing: Record<string, number>;
  /** The same of the fields whose values belong to one anime. */
  own: number[];
}

export function provePage<Parsed>(
  { count, fields, groups }: PageModel<Parsed>,
  parsed: Parsed,
  known: ReadonlyMap<string, KnownAnime>,
): Proof {
  const { records, unreadable } = count(parsed);
  const pairs = records.flatMap((now) => {
    const before = known.get(now.slug);
    return before ? [{ now, before }] : [];
  });
  const agreeing = Object.fromEntries(
    fields.map(({ name, follows }) => [name, pairs.filter(({ now, before }) => follows(now, before)).length]),
  );
  if (groups) {
    const { heading, key } = groups;
    agreeing[heading] = pairs.filter(({ now, before }) => now[key] === before[key]).length;
  }
  const own = fields.filter(({ isOwn }) => isOwn).map(({ name }) => agreeing[name] ?? 0);
  return { readable: records.length, unreadable, known: pairs.length, agreeing, own };
}

/** Whether nearly all cards are records, and nearly all records of known anime agree in each field. */
export function isProven({ readable, unreadable, known, agreeing }: Proof): boolean {
  const isRead = readable > 0 && !isTooMany(unreadable, readable + unreadable);
  return isRead && Object.values(agreeing).every((count) => !isTooMany(known - count, known));
}

/** One card in a short page may be an exception. */
function isTooMany(count: number, all: number): boolean {
  return count > Math.max(1, all * MAX_SHARE);
}

/** Whether a page, read by the written selectors, may have changed its markup: nothing on it, or little, makes sense. */
export function isSuspect(proof: Proof | undefined): boolean {
  if (!proof) return true;
  const { readable, unreadable, known, own } = proof;
  const isUnread = readable === 0 || unreadable > (readable + unreadable) * MAX_SHARE;
  return isUnread || own.some((agreeing) => known >= MIN_KNOWN && agreeing * 2 < known);
}
