const CRAWLS = 3;
const LASTED_MS = 6 * 60 * 60 * 1_000;
const MAX_CORRECTIONS = 250;

/** An unlikely value that nothing contradicts, and for how long the source has shown it. */
export interface Correction {
  slug: string;
  field: string;
  value: string;
  firstSeenAt: number;
  crawls: number;
}

/** Unlikely values are accepted as corrections once three crawls over six hours have shown them. */
export interface Corrections {
  /** Notes that this crawl has seen the value, and returns whether it has been seen for long enough. */
  hasLasted(slug: string, field: string, value: string): boolean;
  /** What to store for the next crawl: the values of this crawl, or the previous ones if no pages were compared. */
  list(): Correction[];
  /** To be called once the pages have been compared: corrections that were not seen again are dropped. */
  markCompared(): void;
}

export function openCorrections(before: readonly Correction[], now: number): Corrections {
  const noted = new Map<string, Correction>();
  const known = new Map(before.map((one) => [keyOf(one.slug, one.field, one.value), one]));
  let wasCompared = false;
  return {
    hasLasted(slug, field, value) {
      const key = keyOf(slug, field, value);
      const { crawls, ...before } = known.get(key) ?? { firstSeenAt: now, crawls: 0 };
      // A time in the future was noted while the clock was ahead.
      const firstSeenAt = Math.min(before.firstSeenAt, now);
      const correction = { slug, field, value, firstSeenAt, crawls: crawls + 1 };
      if (noted.size < MAX_CORRECTIONS) noted.set(key, correction);
      return correction.crawls >= CRAWLS && now - firstSeenAt >= LASTED_MS;
    },
    markCompared() {
      wasCompared = true;
    },
    list: () => (wasCompared ? [...noted.values()] : [...before]),
  };
}

/** Accepts and notes nothing: only crawls count towards a correction. */
export const UNCONFIRMED: Corrections = {
  hasLasted: () => false,
  markCompared() {},
  list: () => [],
};

function keyOf(slug: string, field: string, value: string): string {
  return JSON.stringify([slug, field, value]);
}
