import { type DaySchedule, type Listing, type OngoingAnime, PAGE_SIZE } from '../domain/listing.ts';
import type { HOME, SCHEDULE } from './schemas/listing.ts';
import type { Of } from './schemas/schema.ts';

/** The JSON of the listing's endpoints: exactly these keys, and nothing but what is meant to be public. */

export function presentSchedule({ schedule }: Listing): Of<typeof SCHEDULE> {
  const data = schedule.map(({ day, animeList }: DaySchedule) => ({
    day,
    animeList: animeList.map(({ title, slug }) => ({ title, slug })),
  }));
  return { status: true, data };
}

export function presentHome({ ongoing }: Listing, currentPage: number): Of<typeof HOME> {
  const maxPage = countPages(ongoing);
  const data = ongoing.slice((currentPage - 1) * PAGE_SIZE, currentPage * PAGE_SIZE);
  return {
    status: true,
    data: {
      currentPage,
      maxPage,
      hasNextPage: currentPage < maxPage,
      hasPrevPage: currentPage > 1,
      data: data.map(({ title, episode, day, date, image, slug }) => ({
        title,
        episode,
        day,
        date,
        image,
        slug,
      })),
    },
  };
}

export function countPages(ongoing: readonly OngoingAnime[]): number {
  return Math.ceil(ongoing.length / PAGE_SIZE);
}
