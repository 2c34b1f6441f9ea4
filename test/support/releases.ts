import type { Broadcast, Calendar } from '../../src/domain/broadcast.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, WEEK_MS } from '../../src/domain/units.ts';
import { createRandom } from './create-random.ts';

export interface Release {
  slug: string;
  /** ms since 1970 */
  at: number;
  episode: number;
}

/** A Monday, 00:00 in Jakarta. */
export const FIRST_WEEK = Date.parse('2026-08-31T17:00:00Z');

/** The source in March 2026: 54 anime with a slot, mostly in the evening and at the weekend, and a few without one. */
const WITH_SLOT = 54;
const WITHOUT_SLOT = 6;
const DAY_WEIGHTS = [30, 32, 18, 52, 37, 41, 64];
const SKIPPED = 0.04;
const LATE = 0.06;

/** Generates releases of some weeks, in order. The same seed yields the same releases. */
export function inventReleases(weeks: number, seed = 1): Release[] {
  const random = createRandom(seed);
  const releases: Omit<Release, 'episode'>[] = [];
  for (let index = 0; index < WITH_SLOT; index += 1) {
    const slot = pickDay(random()) * DAY_MS + (17 + 8 * (random() + random() - 0.5)) * HOUR_MS;
    const spreadMs = (3 + 12 * random()) * MINUTE_MS;
    for (let week = 0; week < weeks; week += 1) {
      if (random() < SKIPPED) continue;
      const lateMs =
        random() < LATE ? random() * 20 * HOUR_MS : spreadMs * (random() + random() + random() - 1.5);
      releases.push({ slug: `slot-${index}`, at: Math.round(FIRST_WEEK + week * WEEK_MS + slot + lateMs) });
    }
  }
  for (let index = 0; index < WITHOUT_SLOT * weeks; index += 1) {
    const slug = `any-${index % WITHOUT_SLOT}`;
    releases.push({ slug, at: Math.round(FIRST_WEEK + random() * weeks * WEEK_MS) });
  }
  return numberReleases(releases);
}

/** The releases in order, counted from 1 for each anime. */
export function numberReleases(releases: readonly Omit<Release, 'episode'>[]): Release[] {
  const newest = new Map<string, number>();
  const inOrder = releases.toSorted((a, b) => a.at - b.at);
  return inOrder.map((release) => {
    const episode = (newest.get(release.slug) ?? 0) + 1;
    newest.set(release.slug, episode);
    return { ...release, episode };
  });
}

function pickDay(share: number): number {
  let left = share * DAY_WEIGHTS.reduce((sum, weight) => sum + weight, 0);
  return DAY_WEIGHTS.findIndex((weight) => {
    left -= weight;
    return left < 0;
  });
}

/** From a broadcast to the source, as it was measured of seven episodes. */
const DELAYS = [115, 128, 131, 135, 203, 254, 309].map((minutes) => minutes * MINUTE_MS);

/** A calendar of the broadcasts of all anime with a slot, in the weeks around a moment. */
export function inventCalendar(releases: readonly Release[]): (now: number) => Calendar {
  const bySlug = Map.groupBy(releases, ({ slug }) => slug);
  const media = [...bySlug.keys()].filter((slug) => slug.startsWith('slot'));
  const broadcastsOf = (slug: string, index: number) => {
    const own = bySlug.get(slug)!;
    const inWeek = own.map(({ at }) => (at - FIRST_WEEK) % WEEK_MS).sort((a, b) => a - b);
    const slot = inWeek[Math.floor(inWeek.length / 2)]! - DELAYS[index % DELAYS.length]!;
    return own.map(({ at, episode }) => {
      const week = Math.floor((at - FIRST_WEEK) / WEEK_MS);
      return { episode, at: FIRST_WEEK + week * WEEK_MS + slot };
    });
  };
  const all = media.map((romaji, index) => ({
    ...{ id: index + 1, idMal: null, romaji, english: null, native: null, synonyms: [] },
    broadcasts: broadcastsOf(romaji, index),
  }));
  const near = (now: number) => (one: Broadcast) => one.at > now - 8 * DAY_MS && one.at < now + 2 * WEEK_MS;
  return (now) => ({
    readAt: now,
    media: all.map((one) => ({ ...one, broadcasts: one.broadcasts.filter(near(now)) })),
  });
}
