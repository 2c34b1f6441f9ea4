import { hash } from 'node:crypto';
import type { AnimeEvent } from '../../domain/event.ts';
import { excerpt } from '../../domain/text.ts';
import { DAY_MS } from '../../domain/units.ts';

/** Older news are not sent. */
export const MAX_AGE_MS = DAY_MS;

/** What a service worker shows. It also has the texts, because the service does not know who speaks which language. */
export interface PushMessage {
  /** The same for the same episodes: a message that is repeated after a crash replaces the first one. */
  id: string;
  /** The first anime with new episodes, each with its newest one. */
  anime: { slug: string; title: string; episode: number; image?: string }[];
  /** How many anime have new episodes. */
  count: number;
}

type Episode = Extract<AnimeEvent, { episode: number }>;

/** How many anime a notification names, and how long texts may be. Together they fit into one record. */
const MAX_NAMED = 5;
const MAX_TITLE = 100;
const MAX_IMAGE = 1_000;

/** Whether it is news for people who follow the anime: an episode that came out, and no anime that was there before. */
export function isNews(event: AnimeEvent): event is Episode {
  return event.type === 'new-episode' || (event.type === 'added' && !event.isReturn);
}

/** The one message about all that is new of these anime; undefined when nothing is. `events`: oldest first. */
export function createPushMessage(
  events: readonly AnimeEvent[],
  slugs: readonly string[],
): PushMessage | undefined {
  const wanted = new Set(slugs);
  const news = new Map(
    events.filter(isNews).flatMap((event) => (wanted.has(event.slug) ? [[event.slug, event]] : [])),
  );
  if (news.size === 0) return undefined;
  const episodes = [...news.values()];
  const anime = episodes.slice(0, MAX_NAMED).map(({ slug, title, episode, image }) => ({
    slug,
    title: excerpt(title, MAX_TITLE),
    episode,
    ...(image && image.length <= MAX_IMAGE && episodes.length === 1 && { image }),
  }));
  const id = hash(
    'sha256',
    JSON.stringify(episodes.map(({ slug, episode }) => [slug, episode])),
    'base64url',
  );
  return { id: id.slice(0, 22), anime, count: episodes.length };
}
