/** What is mutated together, and the tests that are about it. */
export interface Area {
  /** Files of src. */
  mutated: string[];
  /** Files of test. They run in one process, without other processes of their own. */
  tests: string[];
}

const GUARD = [
  'card-faults',
  'compare-pages',
  'compare-titles',
  'corrections',
  'crawl-index',
  'entry-faults',
  'guard',
  'guard-history',
  'mark-contradictions',
  'misplaced',
  'shrink-guard',
];

const STAGING = [
  'publish',
  'receive',
  'reserve-space',
  'uploads',
  ...['staged-upload', 'write-buffer'].map((file) => `storage/${file}`),
  ...['expiry-folders', 'folder-flusher', 'staged-file', 'staging', 'stored-file'].map(
    (file) => `storage/disk/${file}`,
  ),
];

const REPAIR = [
  'agreement',
  'element-selectors',
  'find-cards',
  'find-field',
  'find-groups',
  'find-links',
  'find-pager',
  'find-selectors',
  'known-card',
  'list-locations',
  'repairing-reader',
  'search',
];

export const AREAS: Record<string, Area> = {
  limiter: {
    mutated: ['limiter', 'buckets', 'limiters/memory-window'].map((file) => `uploads/${file}.ts`),
    tests: ['buckets', 'limiters/memory-window'].map((file) => `uploads/${file}.test.ts`),
  },
  answer: {
    mutated: ['answer', 'byte-range', 'preconditions', 'http-date'].map((file) => `http/${file}.ts`),
    tests: ['answer', 'answer-file', 'preconditions', 'http-date'].map((file) => `http/${file}.test.ts`),
  },
  quota: {
    mutated: ['quota', 'ledger', 'limiters/memory', 'limiters/memory-ledger', 'limiters/recount'].map(
      (file) => `uploads/${file}.ts`,
    ),
    tests: ['uploads/limiters/memory.test.ts'],
  },
  merge: {
    mutated: ['merge-pages', 'merge-crawl', 'find-missing', 'omissions', 'apply-peek'].map(
      (file) => `crawler/${file}.ts`,
    ),
    tests: ['apply-peek', 'merge-pages', 'refresh'].map((file) => `crawler/${file}.test.ts`),
  },
  changes: {
    mutated: ['next-snapshot', 'write-listing', 'event-log', 'episode-history'].map(
      (file) => `crawler/${file}.ts`,
    ),
    tests: ['event-log', 'episode-history', 'next-snapshot', 'write-listing'].map(
      (file) => `crawler/${file}.test.ts`,
    ),
  },
  guard: {
    mutated: [...GUARD, 'confirmation'].map((file) => `crawler/guard/${file}.ts`),
    tests: GUARD.map((file) => `crawler/guard/${file}.test.ts`),
  },
  staging: {
    mutated: STAGING.map((file) => `uploads/${file}.ts`),
    tests: STAGING.map((file) => `uploads/${file}.test.ts`),
  },
  repair: {
    mutated: REPAIR.map((file) => `source/repair/${file}.ts`),
    tests: REPAIR.map((file) => `source/repair/${file}.test.ts`),
  },
};

/** Returns the names that no area has. */
export function findUnknown(names: readonly string[]): string[] {
  return names.filter((name) => !Object.hasOwn(AREAS, name));
}
