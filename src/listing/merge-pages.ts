import { DAYS, type DaySchedule, type OngoingAnime, type ScheduledAnime } from '../domain/listing.ts';
import {
  type Card,
  isReadable,
  isUnreadable,
  type OngoingPage,
  type SchedulePage,
} from '../source/source.ts';

/** A card that could not be read, and whether its last good record stands in for it. */
export interface Omission {
  /** `schedule`, or `ongoing page 3`. */
  page: string;
  card: number;
  field: string;
  found: string;
  why?: string;
  kept: boolean;
}

export interface Merged<Part> {
  part: Part;
  omissions: Omission[];
}

/**
 * One list of all the pages. While they were read, an anime with a new episode moved to the top and pushed the
 * others down, so that some were seen twice: the first time counts. What moved is on `firstAgain`, page 1 as it
 * stood at the end, which therefore comes first.
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
  const omissions = new Map<string, Omission>();
  for (const page of inOrder) {
    for (const card of page.cards) {
      const anime = isUnreadable(card) ? known.get(card.slug ?? '') : card;
      if (anime && !merged.has(anime.slug)) merged.set(anime.slug, anime);
      for (const omission of omissionsOf(card, `ongoing page ${page.number}`, anime !== undefined)) {
        omissions.set(Object.values(omission).join(), omission);
      }
    }
  }
  return { part: [...merged.values()], omissions: [...omissions.values()] };
}

/** Eight groups in our order. A day that the page prints twice is one, a day that it leaves out is empty. */
export function mergeSchedule(page: SchedulePage, lastGood: readonly DaySchedule[]): Merged<DaySchedule[]> {
  const omissions: Omission[] = [];
  const merged = new Map(DAYS.map((day) => [day, new Map<string, ScheduledAnime>()]));
  for (const group of page.groups) {
    for (const card of group.cards) {
      const slug = card.slug ?? '';
      const day =
        group.day ?? lastGood.find(({ animeList }) => animeList.some((anime) => anime.slug === slug))?.day;
      const lastList = lastGood.find((known) => known.day === day)?.animeList ?? [];
      const anime = isUnreadable(card) ? lastList.find((known) => known.slug === slug) : card;
      if (day && anime) merged.get(day)?.set(slug, anime);
      omissions.push(...omissionsOf(card, 'schedule', anime !== undefined));
    }
  }
  const schedule = DAYS.map((day) => ({ day, animeList: [...(merged.get(day)?.values() ?? [])] }));
  return { part: schedule, omissions };
}

function omissionsOf(card: Card<object>, page: string, kept: boolean): Omission[] {
  if (!isUnreadable(card)) return [];
  return card.faults.map(({ missing: _, ...fault }) => ({ page, card: card.card, ...fault, kept }));
}

function bySlug<Anime extends { slug: string }>(list: readonly Anime[]): Map<string, Anime> {
  return new Map(list.map((anime) => [anime.slug, anime]));
}
