import { createRandom } from './create-random.ts';

export interface Release {
  slug: string;
  /** ms since 1970 */
  at: number;
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const WEEK = 7 * DAY;
/** A Monday, 00:00 in Jakarta. */
const START = Date.parse('2026-08-31T17:00:00Z');

/** The source in March 2026: 54 anime with a slot, mostly in the evening and at the weekend, and a few without one. */
const WITH_SLOT = 54;
const WITHOUT_SLOT = 6;
const DAY_WEIGHTS = [30, 32, 18, 52, 37, 41, 64];
const SKIPPED = 0.04;
const LATE = 0.06;

/** Generates releases of some weeks, in order. The same seed yields the same releases. */
export function inventReleases(weeks: number, seed = 1): Release[] {
  const random = createRandom(seed);
  const releases: Release[] = [];
  for (let index = 0; index < WITH_SLOT; index += 1) {
    const slot = pickDay(random()) * DAY + (17 + 8 * (random() + random() - 0.5)) * HOUR;
    const spreadMs = (3 + 12 * random()) * MINUTE;
    for (let week = 0; week < weeks; week += 1) {
      if (random() < SKIPPED) continue;
      const lateMs =
        random() < LATE ? random() * 20 * HOUR : spreadMs * (random() + random() + random() - 1.5);
      releases.push({ slug: `slot-${index}`, at: Math.round(START + week * WEEK + slot + lateMs) });
    }
  }
  for (let index = 0; index < WITHOUT_SLOT * weeks; index += 1) {
    const slug = `any-${index % WITHOUT_SLOT}`;
    releases.push({ slug, at: Math.round(START + random() * weeks * WEEK) });
  }
  return releases.sort((a, b) => a.at - b.at);
}

function pickDay(share: number): number {
  let left = share * DAY_WEIGHTS.reduce((sum, weight) => sum + weight, 0);
  return DAY_WEIGHTS.findIndex((weight) => {
    left -= weight;
    return left < 0;
  });
}
