/** What is mutated together, and the tests that are about it. */
export interface Area {
  /** Files of src. */
  mutated: string[];
  /** Files of test. They run in one process, without other processes of their own. */
  tests: string[];
}

/** The files of a folder by their names. `tests`: the names that the tests have where these are others. */
function area(folder: string, names: string, tests = names): Area {
  const files = (list: string, ending: string) =>
    list.split(/\s+/u).map((name) => `${folder}/${name}${ending}`);
  return { mutated: files(names, '.ts'), tests: files(tests, '.test.ts') };
}

const BELIEF = `build-listing compare doubts judge memory pending reading titles witnesses`;

const REPAIR = `agreement element-selectors find-cards find-field find-groups find-links find-pager find-selectors
  known-card repairing-reader search`;

export const AREAS: Record<string, Area> = {
  limiter: area('uploads', 'limiter ip-address limiters/memory-window', 'buckets limiters/memory-window'),
  answer: area('http', 'answer preconditions uploads/answer-file', 'answer answer-file preconditions'),
  quota: area('uploads', 'quota ledger limiters/memory limiters/recount', 'quota limiters/memory'),
  changes: area(
    'crawler',
    'next-snapshot write-listing episode-history',
    'event-log episode-history next-snapshot write-listing',
  ),
  belief: area('crawler/belief', BELIEF, 'judge page titles ../contradictions ../refresh'),
  staging: area(
    'uploads',
    `publish receive uploads storage/staged-upload storage/batches storage/disk/expiry-folders
    storage/disk/growing-file storage/disk/objects storage/disk/staging storage/disk/stored-file`,
    'publish receive uploads storage/disk',
  ),
  repair: area(
    'source/repair',
    REPAIR,
    `agreement element-selectors find-cards find-field find-groups find-pager find-selectors repairing-reader
    ../repair-hostile ../../repair/repairs ../../crawler/selector-repairs`,
  ),
};

/** Returns the names that no area has. */
export function findUnknown(names: readonly string[]): string[] {
  return names.filter((name) => !Object.hasOwn(AREAS, name));
}
