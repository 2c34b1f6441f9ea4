import { hash } from 'node:crypto';
import { type AnimeEvent, announcesEpisode, type EpisodeEvent } from '../../domain/event.ts';
import type { NewEpisodes, PushMessage } from '../../domain/push-message.ts';
import { excerpt } from '../../domain/text.ts';
import { DAY_MS } from '../../domain/units.ts';
import type { Log } from '../cursor.ts';

/** Older news are not sent. */
export const MAX_AGE_MS = DAY_MS;

/** How many anime and episodes a notification names, and how long texts may be. Together they fit into one record. */
const MAX_NAMED = 5;
const MAX_EPISODES = 25;
const MAX_TITLE = 100;
const MAX_IMAGE = 1_000;

/**
 * The events of a batch that announce episodes. The episode that an anime was added with is announced by that: it is not news
 * again when the page of the anime lists it later.
 */
export function listNews({ events, renamed }: Pick<Log, 'events' | 'renamed'>, batch: readonly AnimeEvent[]) {
  const keyOf = ({ slug, episode }: EpisodeEvent) => `${renamed.get(slug) ?? slug} ${episode}`;
  const added = events.filter((event) => event.type === 'added' && announcesEpisode(event));
  const numbers = new Map(added.map((event) => [keyOf(event as EpisodeEvent), event.number]));
  return batch
    .filter(announcesEpisode)
    .filter((event) => (numbers.get(keyOf(event)) ?? event.number) >= event.number);
}

/**
 * The one message about all that is new of these anime; undefined when nothing is. `events`: those that announce episodes, the
 * oldest first. A former slug, in an event or a subscription, stands for the current one.
 */
export function createPushMessage(
  events: readonly AnimeEvent[],
  slugs: readonly string[],
  renamed: Log['renamed'] = new Map(),
): PushMessage | undefined {
  const current = (slug: string) => renamed.get(slug) ?? slug;
  const wanted = new Set(slugs.map(current));
  const news = events.filter(announcesEpisode).filter(({ slug }) => wanted.has(current(slug)));
  if (news.length === 0) return undefined;
  const bySlug = Map.groupBy(news, ({ slug }) => current(slug));
  const all = [...bySlug].map(([slug, own]) => describeEpisodes(slug, own));
  const anime = all.slice(0, MAX_NAMED).map(({ image, ...one }) => ({
    ...one,
    ...(image && image.length <= MAX_IMAGE && all.length === 1 && { image }),
  }));
  const names = all.map(({ slug, episode, episodes = [episode] }) => [slug, ...episodes]);
  const id = hash('sha256', JSON.stringify(names), 'base64url').slice(0, 22);
  return { id, anime, count: all.length };
}

/** `events`: those of one anime, of which there is at least one. */
function describeEpisodes(slug: string, events: readonly EpisodeEvent[]): NewEpisodes {
  const { title, image } = events.at(-1)!;
  const numbers = new Set(events.map(({ episode }) => episode));
  const episodes = [...numbers].sort((a, b) => a - b).slice(-MAX_EPISODES);
  return {
    slug,
    title: excerpt(title, MAX_TITLE),
    episode: episodes.at(-1)!,
    ...(episodes.length > 1 && { episodes }),
    ...(image && { image }),
  };
}
