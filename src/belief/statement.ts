import type { OngoingAnime } from '../domain/listing.ts';
import type { CardFault } from '../source/source.ts';

/**
 * The model of belief. The last good listing is the belief. A reading makes statements about it: one for each aspect of
 * an anime in which it differs. `grade.ts` grades a statement against the belief, `needs.ts` says when a grade becomes
 * true, and `decide.ts` applies that table to a whole reading.
 */

/** The list that a statement is about. The two are served, and judged, apart. */
export type Part = 'list' | 'schedule';

/** What a statement says of an anime: that the list has it, its newest episode, its title and cover, its day of the week. */
export type Aspect = 'listed' | 'release' | 'name' | 'slot';

/** How a statement stands to the belief. */
export type Grade =
  /** It equals the belief. */
  | 'same'
  /** A number that is higher by one or two with a later date; an anime that was never listed. */
  | 'news'
  /** A correction that nothing contradicts; an anime that is missing where its place was seen. */
  | 'small'
  /** A number that jumps or falls, another title or cover, a day that the schedule denies, the name of another anime. */
  | 'odd'
  /** From a page that was built before the page behind the belief. */
  | 'stale'
  /** An anime that is missing where its place was not seen. */
  | 'silent';

/** What differs, as messages name it. */
export type Field = keyof OngoingAnime | 'gone';

/** One difference between a reading and the belief, in one aspect of one anime. */
export interface Statement {
  part: Part;
  aspect: Aspect;
  slug: string;
  title: string;
  grade: Exclude<Grade, 'same'>;
  /** What it says: readings that say the same agree. */
  value: string;
  fields: readonly Field[];
  /** The value of the first field, and the believed one. */
  found: string;
  known: string;
  /** Present where the pages contradict themselves. */
  fault?: CardFault | undefined;
  /** Whether it is a number, so that its own page or a second reading decides. */
  isNumber?: boolean;
  /** Whether something came out whose number cannot be read. */
  isUnnumbered?: boolean;
  /** Whether a new slug has the title of an anime that is still there, or may be. */
  isTwin?: boolean;
  /** Whether there may be any number of such statements in one reading. */
  isUsual?: boolean;
  /** What the own page of the anime says of it, where it was read for this. */
  ownPage?: OwnPageAnswer | undefined;
  /** Whether the own page of the anime is to be read for it. */
  asks?: boolean;
}

export type OwnPageAnswer =
  | 'agrees'
  | 'denies'
  /** It is complete: nothing follows. */
  | 'ended'
  /** There is no such page. */
  | 'gone';

/** The other value that readings have shown since, in place of the believed one. */
export interface Rival {
  value: string;
  /** The first of the readings that agree, ms since 1970. */
  since: number;
  times: number;
  ownPage?: OwnPageAnswer;
  /** When the own page was last asked for, ms since 1970. */
  askedAt?: number;
  /** When that page was first gone, in all readings of it since. */
  goneAt?: number;
  /** Whether it is a number: a peek is evidence for it. */
  isNumber?: boolean;
  /** Whether something came out whose number cannot be read. */
  isUnnumbered?: boolean;
}

export function statementKey({ part, aspect, slug }: Pick<Statement, 'part' | 'aspect' | 'slug'>): string {
  return `${part} ${aspect} ${slug}`;
}
