import { isDeepStrictEqual } from 'node:util';
import { believedCard, type CardClaim, type Claim, sortClaims } from '../../domain/ledger.ts';
import { bySlug, changedAt, listEntries, type Snapshot } from '../../domain/listing.ts';
import { sourceDate } from '../../domain/source-date.ts';
import { DAY_MS, MINUTE_MS } from '../../domain/units.ts';
import { type AnimePage, refuse } from '../../source/source.ts';
import { titleKey } from '../belief/titles.ts';
import { withdraw } from '../record-cards.ts';

/** The clock of the source may be ahead by this much. */
const MAX_CLOCK_SKEW_MS = 5 * MINUTE_MS;
/** The page may have so many episodes more than the list, which is cached; a higher number is mistyped. */
const MAX_AHEAD = 2;

/** The page of an anime, and when it was read; ms since 1970. */
export interface PageReading {
  slug: string;
  page: AnimePage;
  readAt: number;
}

/** Throws AppError `source-changed` when the page is that of another anime than the lists mean. */
export function checkOwnPage({ slug, page }: Omit<PageReading, 'readAt'>, snapshot: Snapshot): void {
  const { left = {}, leftSchedule = {} } = snapshot;
  const titles = [
    bySlug(snapshot.ongoing).get(slug)?.title,
    bySlug(listEntries(snapshot.schedule)).get(slug)?.title,
    left[slug]?.anime.title,
    leftSchedule[slug]?.title,
  ];
  const known = new Set(titles.flatMap((title) => (title === undefined ? [] : titleKey(title))));
  if (page.titles.some((title) => known.has(titleKey(title)))) return;
  refuse(`the page of ${slug} is that of another anime: ${page.titles[0] ?? 'it has no title'}`);
}

/** The snapshot with what these pages say; the same object when they say nothing new, not even that they were read. */
export function recordDetails(snapshot: Snapshot, readings: readonly PageReading[], now: number): Snapshot {
  const ongoing = bySlug(snapshot.ongoing);
  const details = { ...snapshot.details };
  const ledger = { ...snapshot.ledger };
  for (const reading of readings) {
    const { slug, page, readAt } = reading;
    const episode = ongoing.get(slug)?.episode ?? null;
    const claims = recordPage(ledger[slug] ?? [], reading, episode);
    const last = claims.find((one) => one.episode === episode);
    const isStale = episode !== null && page.details.status !== 'completed' && last?.releasedAt === undefined;
    const before = details[slug]?.episode === episode ? (details[slug]?.stale ?? 0) : 0;
    details[slug] = { details: page.details, readAt, episode, stale: isStale ? before + 1 : 0 };
    if (claims.length > 0) ledger[slug] = claims;
  }
  const isNews = readings.some(
    ({ slug }) =>
      !isDeepStrictEqual(details[slug]?.details, snapshot.details?.[slug]?.details) ||
      !isDeepStrictEqual(ledger[slug], snapshot.ledger[slug]),
  );
  return {
    ...snapshot,
    revision: (snapshot.revision ?? 0) + 1,
    details,
    ledger,
    ...(isNews && { detailsChangedAt: Math.max(now, changedAt(snapshot) + 1_000) }),
  };
}

/**
 * The claims after the page of the anime was read. Its rows replace those of before, but the first day of each stands; a card
 * is withdrawn where the page has another number on its day. `listed`: the episode that the list shows.
 */
function recordPage(known: readonly Claim[], { page, readAt }: PageReading, listed: number | null): Claim[] {
  const lastDate = sourceDate(readAt + DAY_MS);
  const hidden = new Set(known.flatMap(({ episode, isHidden }) => (isHidden ? episode : [])));
  const isPlausible = ({ episode, date }: AnimePage['episodes'][number]) =>
    date <= lastDate && (episode <= (listed ?? Infinity) + MAX_AHEAD || hidden.has(episode));
  const rows = page.episodes.filter(isPlausible).sort((a, b) => b.episode - a.episode);
  const [newest] = rows;
  if (!newest) return [...known];
  const byEpisode = Map.groupBy(rows, ({ episode }) => episode);
  const unseen = known.flatMap((claim) => (byEpisode.has(claim.episode) ? [] : withoutRow(claim, newest)));
  const seen = [...byEpisode].map(([episode, own]): Claim => {
    const before = known.find((claim) => claim.episode === episode);
    const row = [...own.map(({ date }) => date), ...(before?.row ? [before.row] : [])].sort()[0] as string;
    const { isWithdrawn, ...card } = before?.card ?? {};
    const shownAt = before && believedCard(before)?.at;
    const releasedAt =
      episode === newest.episode ? exactTime(page, row, Math.min(readAt, shownAt ?? readAt)) : undefined;
    const times = [before?.releasedAt, releasedAt].filter((at) => at !== undefined);
    return {
      episode,
      ...(before?.card && { card: isWithdrawn && episode !== listed ? before.card : (card as CardClaim) }),
      row,
      // The anime may be put on top again later. The first time is that of the episode.
      ...(times.length > 0 && { releasedAt: Math.min(...times) }),
      ...(own.some(({ isLast }) => isLast) && { isLast: true as const }),
    };
  });
  return sortClaims([...seen, ...unseen]);
}

/** What is left of a claim whose episode the page does not have, or not yet. */
function withoutRow(claim: Claim, newest: { episode: number; date: string }): Claim | [] {
  const card = believedCard(claim);
  if (!card || (claim.episode > newest.episode && newest.date >= card.date)) return withdraw(claim);
  return { episode: claim.episode, card };
}

/**
 * The time in the head of the page where it is that of the newest episode: on the day of its row, or on the next one,
 * because it trails the row. On a completed anime it has no meaning. `knownAt`: when the episode was known at the latest; a
 * later time is that of an anime that was put up again.
 */
function exactTime(page: AnimePage, row: string, knownAt: number): number | undefined {
  const { publishedAt, details } = page;
  if (publishedAt === null || details.status === 'completed' || publishedAt > knownAt + MAX_CLOCK_SKEW_MS)
    return undefined;
  const days = [sourceDate(publishedAt), sourceDate(publishedAt - DAY_MS)];
  return days.includes(row) ? publishedAt : undefined;
}
