import { hash } from 'node:crypto';
import type { AnimeRecord } from '../../domain/anime-record.ts';
import type { AnimeEvent } from '../../domain/event.ts';
import { bySlug, type Snapshot } from '../../domain/listing.ts';

const MAX_ENTRIES = 100;

/** A new episode as an entry of a feed. */
export interface Entry {
  slug: string;
  /** `urn:uuid:…`; it depends on the anime and the episode alone, so it survives a new public address. */
  id: string;
  title: string;
  text: string;
  /** The page of the anime; the front page when it left long ago. */
  link: string;
  /** When it came out, else when it was seen; ms since 1970. */
  at: number;
  /** Absolute address of the cover: the current one while the anime is listed, else that of the event. */
  image: string | undefined;
}

export interface FeedOptions {
  snapshot: Snapshot;
  events: readonly AnimeEvent[];
  /** Public origin. */
  url: string;
  timeZone: string;
  /** Wall clock, ms since 1970. */
  now: number;
}

/** The newest 100 episodes of the last 30 days, the newest first, each once. */
export function entriesOf({ events, url }: FeedOptions, records: readonly AnimeRecord[]): Entry[] {
  const known = bySlug(records);
  const entries = events.toReversed().flatMap((event): Entry[] => {
    if (event.type !== 'new-episode' && event.type !== 'added') return [];
    const { slug, title, episode, day, at } = event;
    const record = known.get(slug);
    const release = record?.episodes.find((one) => one.episode === episode);
    return [
      {
        slug,
        id: `urn:uuid:${uuidOf(`episode ${slug} ${episode}`)}`,
        title: `${title} – Episode ${episode}`,
        text: `Episode ${episode}${day === 'None' ? '' : `, ${day}`}`,
        link: record ? `${url}/anime/${slug}` : `${url}/`,
        at: release?.releasedAt ?? at,
        image: record?.ongoing?.image ?? event.image,
      },
    ];
  });
  return [...new Map(entries.toReversed().map((entry) => [entry.id, entry])).values()]
    .sort((a, b) => b.at - a.at)
    .slice(0, MAX_ENTRIES);
}

/** A UUID (RFC 9562, version 8) that depends on the name alone. */
export function uuidOf(name: string): string {
  const bytes = hash('sha256', name, 'buffer').subarray(0, 16);
  bytes[6] = (bytes[6]! & 0x0f) | 0x80;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/u, '$1-$2-$3-$4-$5');
}
