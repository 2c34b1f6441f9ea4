import { bySlug, type OngoingAnime } from '../domain/listing.ts';
import { isLaterDate } from '../domain/source-date.ts';
import { HOUR_MS } from '../domain/units.ts';
import { type Card, isUnreadable, type OngoingPage, type UnnumberedAnime } from '../source/source.ts';
import type { LastReading, Status } from '../store/source-status.ts';

/**
 * What page 1 says of the moment that it shows, which may be long before it is read: the source, and each of its mirrors, may
 * serve an old copy for hours or days. All times in ms since 1970.
 */

/** A page 1 that has been the same for so long, or that is so old by its own word, stands still. */
const MAX_UNCHANGED_MS = 6 * HOUR_MS;
const MAX_AGE_MS = 3 * HOUR_MS;

export interface PageAge {
  /** When the source built it, by its own word; undefined where it does not say. */
  builtAt: number | undefined;
  /** Since when page 1 has been like this, by all readings. */
  unchangedSince: number;
}

/** The age of a page 1 with this digest, after the last good reading. */
export function ageOf(
  { firstPage, unchangedSince }: LastReading,
  page: { firstPage: string; builtAt: number | undefined },
  now: number,
): PageAge {
  const { builtAt } = page;
  const isSame = page.firstPage === firstPage && unchangedSince !== null;
  return { builtAt, unchangedSince: isSame ? unchangedSince : Math.min(builtAt ?? now, now) };
}

/** The moment that a reading shows: when it was built, where it says so; else now, or once it stands still, its last change. */
export function shownAt(age: PageAge, now: number): number {
  if (age.builtAt !== undefined) return Math.min(age.builtAt, now);
  return standsStill(age, now) ? age.unchangedSince : now;
}

/** Whether a page 1 may be an old copy: then the next mirror is asked as well. */
export function standsStill({ builtAt, unchangedSince }: PageAge, now: number): boolean {
  return now - unchangedSince >= MAX_UNCHANGED_MS || (builtAt !== undefined && now - builtAt > MAX_AGE_MS);
}

/**
 * Whether a page 1 is older than the belief: it shows nothing newer, and lacks the newest believed release. It needs no
 * word of its age.
 */
export function isBehind({ cards }: OngoingPage, believed: readonly OngoingAnime[]): boolean {
  const [newest] = believed;
  if (!newest) return false;
  const known = bySlug(believed);
  const read = cards.flatMap((card) => recordOf(card) ?? []);
  const isNewer = ({ slug, episode, date }: ReadCard) => {
    const before = known.get(slug);
    if (!before) return !isLaterDate(newest.date, date);
    return isLaterDate(date, before.date) && (episode ?? Infinity) >= before.episode;
  };
  if (read.some(isNewer)) return false;
  const card = cards.find(({ slug }) => slug === newest.slug);
  const shown = card && recordOf(card);
  // A card that cannot be read says nothing.
  if (!shown) return card === undefined;
  return (shown.episode ?? Infinity) < newest.episode || isLaterDate(newest.date, shown.date);
}

/** What a card says, perhaps without its number. */
type ReadCard = UnnumberedAnime & Partial<Pick<OngoingAnime, 'episode'>>;

function recordOf(card: Card<OngoingAnime>): ReadCard | undefined {
  return isUnreadable(card) ? card.record : card;
}

/** What a good reading of page 1 shows. */
export function dateReading(
  { reading, belief }: Pick<Status, 'reading' | 'belief'>,
  page: { firstPage: string; builtAt: number | undefined },
  now: number,
): LastReading {
  const age = ageOf(reading, page, now);
  // An older page that changes nothing does not age the belief.
  const builtAt = page.builtAt === undefined ? undefined : Math.max(page.builtAt, belief.builtAt ?? 0);
  return {
    firstPage: page.firstPage,
    readAt: shownAt({ ...age, builtAt }, now),
    unchangedSince: age.unchangedSince,
    standsStill: standsStill(age, now),
  };
}
