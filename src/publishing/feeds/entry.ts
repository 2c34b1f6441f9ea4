import { hash } from 'node:crypto';
import type { AnimeRecord } from '../../domain/anime-record.ts';
import { type EpisodeRelease, releaseTime } from '../../domain/episode-history.ts';
import { type AnimeEvent, announcesEpisode } from '../../domain/event.ts';
import type { Ledger, Told } from '../../domain/ledger.ts';
import { bySlug } from '../../domain/listing.ts';
import type { Snapshot } from '../../domain/snapshot.ts';
import { startOfSourceDate } from '../../domain/source-date.ts';
import { DAY_MS } from '../../domain/units.ts';
import { animePage } from '../addresses.ts';

/** A new episode as an entry of a feed. */
export interface Entry {
  slug: string;
  /**
   * `urn:uuid:…`; it depends only on the episode and the slug with which it was announced, so it survives a new public address
   * and a corrected slug.
   */
  id: string;
  title: string;
  text: string;
  /** The page of the anime here; the front page when it left long ago. */
  page: string;
  /** Its page at the source, if any. */
  link: string | undefined;
  /** When it came out, else when it was seen; ms since 1970. Later evidence may change it. */
  at: number;
  /** When it was announced; ms since 1970. It never goes back, whatever is corrected or withdrawn later. */
  updatedAt: number;
  /** Absolute address of the cover: the current one while the anime is listed, else the event's. */
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

/** The episodes of the last 30 days that are still believed, the newest first, each once. */
export function entriesOf({ events, url, snapshot }: FeedOptions, records: readonly AnimeRecord[]): Entry[] {
  const known = bySlug(records);
  /** The current slug of each renamed anime, by its former slugs. */
  const current = new Map<string, string>();
  const entries = new Map<string, Entry>();
  for (const event of events.toReversed()) {
    const slug = current.get(event.slug) ?? event.slug;
    if (event.type === 'renamed') current.set(event.from, slug);
    if (!announcesEpisode(event)) continue;
    const { title, episode, day } = event;
    const record = known.get(slug);
    const release = record?.episodes.find((one) => one.episode === episode);
    // What the list or the page of the anime has taken back, while it still has what came before.
    if (!release && record?.episodes.some((one) => one.episode < episode)) continue;
    entries.set(`${slug} ${episode}`, {
      slug,
      // The slug of the announcement: with another id, feed readers would show the episode again.
      id: `urn:uuid:${uuidOf(`episode ${event.slug} ${episode}`)}`,
      title: `${title} – Episode ${episode}`,
      text: `Episode ${episode}${day === 'None' ? '' : `, ${day}`}`,
      page: record ? animePage(url, slug) : `${url}/`,
      link: record?.link ?? event.link,
      at: timeOf(event, release),
      updatedAt: announcedAt(event.at, findAnnouncement(snapshot.ledger[slug]?.told, event)),
      image: record?.image ?? event.image,
    });
  }
  return [...entries.values()].sort((a, b) => b.at - a.at);
}

/**
 * When the last episode of each anime was announced, ms since 1970. It never goes back when that is corrected or
 * withdrawn, nor when the events are too old to be kept: the ledger has the announcements.
 */
export function lastAnnounced({ snapshot: { ledger } }: FeedOptions): Map<string, number> {
  return new Map(
    Object.entries(ledger).flatMap(([slug, { told }]) => {
      const times = told.map((one) => announcedAt(one.at, one));
      return times.length > 0 ? [[slug, Math.max(...times)] as const] : [];
    }),
  );
}

/** The announcement of an episode, even a withdrawn one. */
function findAnnouncement(
  told: Ledger[string]['told'] = [],
  { number, episode }: { number: number; episode: number },
): Told | undefined {
  return told.find((one) => one.event === number && one.episode === episode);
}

/** When it was announced; where it was seen days later, a moment of the day that its page gave it. */
function announcedAt(at: number, told: Told | undefined): number {
  return told === undefined || told.isSeen ? at : onDay(at, told.date);
}

/** The time of a release; if it was seen long afterwards, a moment of its day. */
function timeOf({ at }: AnimeEvent, release: EpisodeRelease | undefined): number {
  const known = release && releaseTime(release);
  return known !== undefined || release?.date === undefined ? (known ?? at) : onDay(at, release.date);
}

/** The moment of a day of the source that is nearest to a time. */
function onDay(at: number, date: string): number {
  const start = startOfSourceDate(date);
  return Math.min(Math.max(at, start), start + DAY_MS - 1_000);
}

/** A UUID (RFC 9562, version 8) that depends on the name alone. */
export function uuidOf(name: string): string {
  const bytes = hash('sha256', name, 'buffer').subarray(0, 16);
  bytes[6] = (bytes[6]! & 0x0f) | 0x80;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/u, '$1-$2-$3-$4-$5');
}
