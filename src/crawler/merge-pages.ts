import { bySlug, DAYS, type DaySchedule, type OngoingAnime, type ScheduledAnime } from '../domain/listing.ts';
import type { CardOmission } from '../domain/operational-event.ts';
import {
  type Card,
  isReadable,
  isUnreadable,
  type OngoingPage,
  type SchedulePage,
} from '../source/source.ts';

interface Merged<Part> {
  part: Part;
  omissions: CardOmission[];
}

/**
 * Merges all pages into one list. An anime that gets a new episode during the crawl moves to the top and pushes the
 * others down, so that some are read twice: the first reading counts. The anime that moved are on `firstAgain`, page 1
 * as it was at the end of the crawl, so this page comes first.
 */
export function mergeOngoing(
  pages: readonly OngoingPage[],
  firstAgain: OngoingPage,
  lastGood: readonly OngoingAnime[],
): Merged<OngoingAnime[]> {
  const inOrder = [firstAgain, ...pages];
  const readable = inOrder.flatMap((page) => page.cards.filter(isReadable));
  const known = bySlug([...lastGood, ...readable.reverse()]);
  const merged = new Map<string, OngoingAnime>();
  const omissions = new Map<string, CardOmission>();
  for (const page of inOrder) {
    for (const [index, card] of page.cards.entries()) {
      const anime = isUnreadable(card) ? known.get(card.slug ?? '') : card;
      const earlier = anime && merged.get(anime.slug);
      if (anime && !earlier) merged.set(anime.slug, anime);
      const where = `ongoing page ${page.number}`;
      const found = [
        ...omissionsOf(card, where, anime !== undefined),
        ...conflictingDuplicates(card, earlier, where, index + 1),
      ];
      // A card that both readings of page 1 have is reported once.
      for (const omission of found) omissions.set(Object.values(omission).join(), omission);
    }
  }
  return { part: [...merged.values()], omissions: [...omissions.values()] };
}

/**
 * Merges the groups of the schedule into eight, in the order of the week. Groups with the same day are joined, and a day
 * without a group is empty. An entry that cannot be read keeps its place in the last good schedule.
 */
export function mergeSchedule(page: SchedulePage, lastGood: readonly DaySchedule[]): Merged<DaySchedule[]> {
  const omissions: CardOmission[] = [];
  const merged = new Map(DAYS.map((day) => [day, new Map<string, ScheduledAnime>()]));
  const titled = new Map<string, ScheduledAnime>();
  const kept = new Set<string>();
  const known = new Map(
    lastGood.flatMap(({ day, animeList }) => animeList.map((anime) => [anime.slug, { day, anime }])),
  );
  for (const group of page.groups) {
    for (const [index, card] of group.cards.entries()) {
      const last = known.get(card.slug ?? '');
      const anime = isUnreadable(card) ? last?.anime : card;
      const day = isUnreadable(card) ? last?.day : group.day;
      const conflicts = conflictingDuplicates(card, titled.get(card.slug ?? ''), 'schedule', index + 1);
      omissions.push(...omissionsOf(card, 'schedule', anime !== undefined), ...conflicts);
      if (!day || !anime || conflicts.length > 0) continue;
      merged.get(day)?.set(anime.slug, anime);
      titled.set(anime.slug, anime);
      if (isUnreadable(card)) kept.add(anime.slug);
    }
  }
  const schedule = DAYS.map((day) => {
    const lastList = lastGood.find((group) => group.day === day)?.animeList ?? [];
    return { day, animeList: placeKept([...(merged.get(day)?.values() ?? [])], kept, lastList) };
  });
  return { part: schedule, omissions };
}

/** Inserts each kept entry after the entry that it followed in the last good list. */
function placeKept(
  animeList: ScheduledAnime[],
  kept: ReadonlySet<string>,
  lastList: readonly ScheduledAnime[],
): ScheduledAnime[] {
  const placed = animeList.filter(({ slug }) => !kept.has(slug));
  const slugs = new Set(placed.map(({ slug }) => slug));
  let previous: string | undefined;
  for (const anime of lastList) {
    if (kept.has(anime.slug)) {
      placed.splice(placed.findIndex(({ slug }) => slug === previous) + 1, 0, anime);
      slugs.add(anime.slug);
    }
    if (slugs.has(anime.slug)) previous = anime.slug;
  }
  return placed;
}

function omissionsOf(card: Card<object>, page: string, kept: boolean): CardOmission[] {
  if (!isUnreadable(card)) return [];
  return card.faults.map(({ missing: _, ...fault }) => ({ page, card: card.card, ...fault, kept }));
}

/** A card that has the address of an earlier one with another title. Only one can be right: the earlier one is kept. */
function conflictingDuplicates(
  card: Card<ScheduledAnime>,
  earlier: ScheduledAnime | undefined,
  page: string,
  number: number,
): CardOmission[] {
  if (isUnreadable(card) || !earlier || earlier.title === card.title) return [];
  const found = `${card.slug}, which is "${earlier.title}", again as "${card.title}"`;
  return [{ page, card: number, field: 'slug', found, kept: false }];
}
