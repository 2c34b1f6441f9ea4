import { hash } from 'node:crypto';
import type { AnimeEvent, EpisodeEvent } from '../../domain/event.ts';
import type { NewEpisodes, PushMessage } from '../../domain/push-message.ts';
import { excerpt } from '../../domain/text.ts';
import type { Log } from '../cursor.ts';
import { selectNews } from '../news.ts';

/** How many anime and episodes a notification names, and how long texts may be. Together they fit into one record. */
const MAX_NAMED = 5;
const MAX_EPISODES = 25;
const MAX_TITLE = 100;
const MAX_IMAGE = 1_000;

/**
 * The one message about all that is new of these anime; undefined when nothing is. `events`: the oldest
 * first. A former slug, in an event or a subscription, stands for the current one.
 */
export function createPushMessage(
  events: readonly AnimeEvent[],
  slugs: readonly string[],
  renamed: Log['renamed'] = new Map(),
  coverOf: (slug: string) => string | undefined = () => undefined,
): PushMessage | undefined {
  const news = selectNews(events, slugs, renamed);
  if (news.length === 0) return undefined;
  const bySlug = Map.groupBy(news, ({ slug }) => renamed.get(slug) ?? slug);
  const all = [...bySlug].map(([slug, own]) => describeEpisodes(slug, own, coverOf(slug)));
  const anime = all.slice(0, MAX_NAMED).map(({ image, ...one }) => ({
    ...one,
    ...(image && image.length <= MAX_IMAGE && all.length === 1 && { image }),
  }));
  const names = all.map(({ slug, episode, episodes = [episode] }) => [slug, ...episodes]);
  const id = hash('sha256', JSON.stringify(names), 'base64url').slice(0, 22);
  return { id, anime, count: all.length };
}

/** `events`: those of one anime, of which there is at least one. */
function describeEpisodes(
  slug: string,
  events: readonly EpisodeEvent[],
  cover: string | undefined,
): NewEpisodes {
  const { title, image = '' } = events.at(-1)!;
  const numbers = new Set(events.map(({ episode }) => episode));
  const episodes = [...numbers].sort((a, b) => a - b).slice(-MAX_EPISODES);
  return {
    slug,
    title: excerpt(title, MAX_TITLE),
    episode: episodes.at(-1)!,
    ...(episodes.length > 1 && { episodes }),
    ...((cover || image) && { image: cover || image }),
  };
}
