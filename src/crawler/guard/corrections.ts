import { type Confirmation, countCrawl, isConfirmed } from './confirmation.ts';

const MAX_CORRECTIONS = 250;

/** An unlikely value that nothing contradicts: an editor may have corrected it. */
export interface Correction extends Confirmation {
  slug: string;
  field: string;
  value: string;
}

/** The unlikely values of a crawl. Each is accepted as a correction once enough crawls have shown it. */
export interface Corrections {
  /** Notes that this crawl shows the value, and returns whether enough crawls have. */
  confirm(slug: string, field: string, value: string): boolean;
  /** What to store for the next crawl: the values of this crawl, or the previous ones if no pages were compared. */
  list(): Correction[];
  /** To be called once the pages have been compared: corrections that were not seen again are dropped. */
  markCompared(): void;
}

export function createCorrections(before: readonly Correction[], now: number): Corrections {
  const noted = new Map<string, Correction>();
  const known = new Map(before.map((one) => [keyOf(one.slug, one.field, one.value), one]));
  let wasCompared = false;
  return {
    confirm(slug, field, value) {
      const key = keyOf(slug, field, value);
      const correction = { slug, field, value, ...countCrawl(known.get(key), now) };
      if (noted.size < MAX_CORRECTIONS) noted.set(key, correction);
      return isConfirmed(correction, now);
    },
    markCompared() {
      wasCompared = true;
    },
    list: () => (wasCompared ? [...noted.values()] : [...before]),
  };
}

/** Accepts and notes nothing, for a peek: only crawls count. */
export const NO_CORRECTIONS: Corrections = {
  confirm: () => false,
  markCompared() {},
  list: () => [],
};

function keyOf(slug: string, field: string, value: string): string {
  return JSON.stringify([slug, field, value]);
}
