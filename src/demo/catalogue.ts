import { DAYS, type OngoingAnime, type OngoingDay } from '../domain/listing.ts';
import { shortDate } from '../domain/source-date.ts';
import { DAY_MS } from '../domain/units.ts';
import TITLES from './titles.json' with { type: 'json' };

/** Only anime before this position in the list have a slot in the schedule. */
const SCHEDULED_COUNT = 72;

/** The ongoing list of the sample site, newest first. It is changed in place. */
export interface Catalogue {
  readonly anime: OngoingAnime[];
  /** Adds an episode to the last anime of the list that has a slot, and moves it to the top. */
  airNextEpisode(now: Date): OngoingAnime;
}

export function createCatalogue(now: Date): Catalogue {
  // Each hero with each place makes an invented title, enough for six pages. Some have the symbols of real titles.
  const titles = TITLES.places.flatMap((place) => TITLES.heroes.map((hero) => `${hero} ${place}`));
  const anime = titles.map((title, index) => ({
    title,
    episode: 1 + ((index * 7) % 26),
    day: dayOf(index),
    date: shortDate(now.getTime() - daysAgo(index) * DAY_MS),
    image: `/wp-content/uploads/2026/11/${slugOf(title)}..jpg`,
    slug: slugOf(title),
  }));

  return {
    anime,
    airNextEpisode(at) {
      const index = anime.findLastIndex(({ day }) => day !== 'None');
      // Most anime have a slot, so one is always found.
      const [next] = anime.splice(index, 1) as [OngoingAnime];
      const aired = { ...next, episode: next.episode + 1, date: shortDate(at.getTime()) };
      anime.unshift(aired);
      return aired;
    },
  };
}

/** Every anime with a slot had its last episode in the past seven days. */
function daysAgo(index: number): number {
  return index < SCHEDULED_COUNT
    ? Math.floor((index * 7) / SCHEDULED_COUNT)
    : 7 + Math.floor((index - SCHEDULED_COUNT) / 6);
}

function dayOf(index: number): OngoingDay {
  if (index >= SCHEDULED_COUNT || index % 4 === 3) return 'None';
  return DAYS[(index * 3 + Math.floor(index / 8)) % DAYS.length] ?? 'None';
}

/** A slug as WordPress makes it: letters and digits of the title, symbols percent-encoded in lower case. */
function slugOf(title: string): string {
  const words = title
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9∞]+/gu, '-');
  return `${encodeURIComponent(words.replace(/^-|-$/gu, '')).toLowerCase()}-sub-indo`;
}
