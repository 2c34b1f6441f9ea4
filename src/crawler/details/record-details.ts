import { isDeepStrictEqual } from 'node:util';
import { hasExactTime, NO_EVIDENCE, type OwnPage, recordPage } from '../../belief/record.ts';
import { releasesOf } from '../../belief/releases.ts';
import { titleKey } from '../../belief/titles.ts';
import { bySlug, listEntries } from '../../domain/listing.ts';
import { changedAt, type Snapshot } from '../../domain/snapshot.ts';
import { refusePage } from '../../source/source.ts';

/** The page of an anime, and when it was read; ms since 1970. */
export type PageReading = OwnPage;

/**
 * Throws AppError `source-changed` when the page belongs to another anime than the lists mean. `shownTitles`: its titles
 * in the lists, if they are not stored yet.
 */
export function checkOwnPage(
  { slug, page }: Omit<PageReading, 'readAt'>,
  snapshot: Snapshot,
  shownTitles: readonly string[] = [],
): void {
  const { left = {}, leftSchedule = {} } = snapshot;
  const titles = [
    ...shownTitles,
    bySlug(snapshot.ongoing).get(slug)?.title,
    bySlug(listEntries(snapshot.schedule)).get(slug)?.title,
    left[slug]?.anime.title,
    leftSchedule[slug]?.title,
  ];
  const known = new Set(titles.flatMap((title) => (title === undefined ? [] : titleKey(title))));
  if (page.titles.some((title) => known.has(titleKey(title)))) return;
  refusePage(`the page of ${slug} shows another anime: ${page.titles[0] ?? 'it has no title'}`);
}

/** The snapshot with what these pages say; the same object when they say nothing new, not even that they were read. */
export function recordDetails(snapshot: Snapshot, readings: readonly PageReading[], now: number): Snapshot {
  const ongoing = bySlug(snapshot.ongoing);
  const details = { ...snapshot.details };
  const ledger = { ...snapshot.ledger };
  for (const reading of readings) {
    const { slug, page, readAt } = reading;
    const episode = ongoing.get(slug)?.episode ?? null;
    const evidence = recordPage(ledger[slug] ?? NO_EVIDENCE, reading);
    const isStale =
      episode !== null && page.details.status !== 'completed' && !hasExactTime(evidence, episode);
    const before = details[slug]?.episode === episode ? (details[slug]?.stale ?? 0) : 0;
    const { details: facts, printed, image } = page;
    const stale = isStale ? before + 1 : 0;
    details[slug] = { details: facts, printed, ...(image && { image }), readAt, episode, stale };
    if (evidence !== NO_EVIDENCE) ledger[slug] = evidence;
  }
  const hasNews = readings.some(
    ({ slug }) =>
      !isDeepStrictEqual(details[slug]?.details, snapshot.details?.[slug]?.details) ||
      !isDeepStrictEqual(details[slug]?.printed, snapshot.details?.[slug]?.printed) ||
      details[slug]?.image !== snapshot.details?.[slug]?.image ||
      !isDeepStrictEqual(
        releasesOf(ledger[slug] ?? NO_EVIDENCE),
        releasesOf(snapshot.ledger[slug] ?? NO_EVIDENCE),
      ),
  );
  return {
    ...snapshot,
    revision: (snapshot.revision ?? 0) + 1,
    details,
    ledger,
    ...(hasNews && { detailsChangedAt: Math.max(now, changedAt(snapshot) + 1_000) }),
  };
}
