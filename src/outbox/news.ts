import { type AnimeEvent, announcesEpisode, type EpisodeEvent } from '../domain/event.ts';
import { DAY_MS } from '../domain/units.ts';
import type { Log } from './cursor.ts';

/** Older news are not sent. */
export const MAX_AGE_MS = DAY_MS;

/**
 * The events of a batch that announce episodes. The episode that an anime was added with is announced by that: it is not news
 * again when the page of the anime lists it later.
 */
export function listNews(
  { events, renamed }: Pick<Log, 'events' | 'renamed'>,
  batch: readonly AnimeEvent[],
): EpisodeEvent[] {
  const keyOf = ({ slug, episode }: EpisodeEvent) => `${renamed.get(slug) ?? slug} ${episode}`;
  const added = events.filter((event) => event.type === 'added' && announcesEpisode(event));
  const numbers = new Map(added.map((event) => [keyOf(event as EpisodeEvent), event.number]));
  return batch
    .filter(announcesEpisode)
    .filter((event) => (numbers.get(keyOf(event)) ?? event.number) >= event.number);
}

/** Those events that announce an episode of the anime with these slugs, or of all. A former slug, in an event or a list, stands for the current one. */
export function selectNews(
  events: readonly AnimeEvent[],
  slugs: readonly string[] | null,
  renamed: Log['renamed'],
): readonly EpisodeEvent[] {
  const news = events.filter(announcesEpisode);
  if (slugs === null) return news;
  const current = (slug: string) => renamed.get(slug) ?? slug;
  const wanted = new Set(slugs.map(current));
  return news.filter(({ slug }) => wanted.has(current(slug)));
}
