import { isDeepStrictEqual } from 'node:util';
import type { Snapshot } from '../../src/domain/snapshot.ts';
import { MONTHS, type Month, type ShortDate } from '../../src/domain/source-date.ts';
import { openPageRefresh, openPageSource, type Pages } from '../support/sample-pages.ts';
import { statusOf } from '../support/status.ts';
import type { Change } from './change.ts';
import type { Novelty } from './changes.ts';

export interface Outcome {
  /** `same`: the written selectors still match. */
  result: 'repaired' | 'same' | 'refused';
  /** The reason of a refusal. */
  reason: string;
  /** Records of the new snapshot that differ from those of the unchanged pages. */
  wrong: string[];
  /** Anime of the site that are not in the new snapshot. */
  missing: number;
}

/** Refreshes from the site, over `before` where there is one. */
export async function refreshFrom(pages: Pages, before: Snapshot | undefined) {
  const { store, attempt } = await openPageRefresh(
    openPageSource((path) => pages.get(path)),
    { before },
  );
  const error = await attempt();
  return { error, after: await store.readSnapshot(), status: await statusOf(store) };
}

/** Refreshes from a changed site of which a share of the anime is new, and compares with the unchanged site. */
export async function runChange(
  pages: Pages,
  whole: Snapshot,
  change: Pick<Change, 'apply'>,
  novelty: Novelty,
): Promise<Outcome> {
  const before = forget(whole, novelty);
  const changed = new Map([...pages].map(([path, html]) => [path, change.apply(html, path)]));
  const { error, after, status } = await refreshFrom(changed, before);
  if (error) return { result: 'refused', reason: (error as Error).message, wrong: [], missing: 0 };
  const wrong = [
    ...listWrong(after?.ongoing, whole.ongoing),
    ...listWrong(entriesOf(after), entriesOf(whole)),
  ];
  const missing = whole.ongoing.length - (after?.ongoing.length ?? 0);
  return { result: status.repaired.length > 0 ? 'repaired' : 'same', reason: '', wrong, missing };
}

/** Returns an older snapshot: without a share of the anime, and with a fifth of the others an episode behind. */
function forget(whole: Snapshot, { share, isOnTop }: Novelty): Snapshot {
  const top = new Set(whole.ongoing.slice(0, whole.ongoing.length * share).map(({ slug }) => slug));
  const isKnown = (slug: string) => (isOnTop ? !top.has(slug) : hashToShare(slug) >= share);
  const schedule = whole.schedule.map(({ day, animeList }) => ({
    day,
    animeList: animeList.filter(({ slug }) => isKnown(slug)),
  }));
  const ongoing = whole.ongoing
    .filter(({ slug }) => isKnown(slug))
    .map((anime, index) =>
      index % 5 === 0 && anime.episode > 1
        ? {
            ...anime,
            episode: anime.episode - 1,
            date: weekBefore(anime.date),
          }
        : anime,
    );
  return { ...whole, schedule, ongoing };
}

function weekBefore(date: ShortDate): ShortDate {
  const [day = '', month] = date.split(' ');
  const before = new Date(Date.UTC(2026, MONTHS.indexOf(month as Month), Number(day) - 7));
  return `${before.getUTCDate()} ${MONTHS[before.getUTCMonth()] ?? 'Jan'}`;
}

function entriesOf(snapshot: Snapshot | undefined) {
  return (snapshot?.schedule ?? []).flatMap(({ day, animeList }) =>
    animeList.map((anime) => ({ ...anime, day })),
  );
}

function listWrong(found: readonly { slug: string }[] = [], said: readonly { slug: string }[]): string[] {
  return found
    .filter((record) => !said.some((one) => isDeepStrictEqual(one, record)))
    .map((record) => JSON.stringify(record));
}

/** Returns a number from 0 to 1 that depends on the text alone. */
function hashToShare(text: string): number {
  let hash = 11;
  for (const letter of text) hash = (Math.imul(hash, 31) + letter.charCodeAt(0)) >>> 0;
  return ((Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d) >>> 0) % 1_000) / 1_000;
}
