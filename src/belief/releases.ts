import { type EpisodeHistory, type EpisodeRelease, releaseDay } from '../domain/episode-history.ts';
import type { CardReading, Evidence, Ledger, PageRows, Row, Told } from '../domain/ledger.ts';
import { addDays } from '../domain/local-day.ts';
import { sourceDate } from '../domain/source-date.ts';
import { MINUTE_MS } from '../domain/units.ts';

/**
 * Computes the believed releases of an anime from the ledger:
 *
 * - A number on the card is an appearance of that episode. Shown again, it is the same appearance, with its first day, unless
 *   it was taken back before and now has another day.
 * - A lower number on the same day corrects it. A lower number on another day hides it until the list or its own page has it.
 * - The page of the anime withdraws a higher number than its newest row, where that row is of the same day or later.
 * - A row is believed, unless its number is far above everything else.
 */

/** How many releases a history has. */
const MAX_RELEASES = 13;
/** After a longer time without a good reading, nobody knows when an episode appeared. */
const MAX_GAP_MS = 30 * MINUTE_MS;
/** A row whose number is higher than the next one, and than the card, by more is mistyped. */
const MAX_ROW_STEP = 2;
/** A number that was hidden and is shown again within these days was put up again. Later, it is the episode of another week. */
const MAX_AGAIN_DAYS = 5;

/** An episode on the cards of the list, from when it was first shown. */
interface Appearance extends CardReading {
  episode: number;
  /** The place of the last card that showed it, in `cards`. */
  lastIndex: number;
}

interface Believed extends EpisodeRelease {
  /** The first reading of its card, ms since 1970; absent where only a row shows it. */
  shownAt?: number;
}

/** The releases of all anime, each with its newest ones first. */
export function historyOf(ledger: Ledger): EpisodeHistory {
  return Object.fromEntries(Object.entries(ledger).map(([slug, evidence]) => [slug, releasesOf(evidence)]));
}

/** The newest releases of an anime, the highest episode first. */
export function releasesOf(evidence: Evidence): EpisodeRelease[] {
  return believedReleases(evidence)
    .slice(0, MAX_RELEASES)
    .map(({ shownAt: _, ...release }) => release);
}

/** The newest episode that is believed; undefined where none is. */
export function newestEpisode(evidence: Evidence | undefined): number | undefined {
  return evidence && believedReleases(evidence)[0]?.episode;
}

/** The newest episode released before a day, if any. */
export function episodeBefore(evidence: Evidence, date: string): number | undefined {
  return believedReleases(evidence).find((one) => releaseDay(one) < date)?.episode;
}

/** The releases that have to be announced, the lowest episode first. */
export function untoldReleases(evidence: Evidence): EpisodeRelease[] {
  const { start, told } = evidence;
  if (!start) return [];
  const believed = believedReleases(evidence);
  const known = lastBeforeStart(evidence, believed);
  const isTold = (release: Believed) => told.some((one) => isOf(one, release));
  return believed.filter((one) => one.episode > known && !isTold(one)).reverse();
}

/** Whether this release was announced, and not an earlier one with its number by mistake. */
function isOf(told: Told, { episode, shownAt = -Infinity, ...release }: Believed): boolean {
  if (told.episode !== episode) return false;
  const day = releaseDay({ episode, ...release });
  const isOfDay = told.date >= addDays(day, -1) && told.date <= addDays(day, 1);
  return told.at >= shownAt || isOfDay;
}

/** The days on which something came out that has no number, the newest first: a special, or a card that cannot be read. */
export function unnumberedDays({ cards, page }: Evidence): { date: string; at?: number }[] {
  const numbered = new Set(cards.flatMap(({ episode, date }) => (episode === null ? [] : date)));
  const rows = new Set(page?.rows.map(({ date }) => date));
  const days = cards.filter(
    ({ episode, date }) => episode === null && !numbered.has(date) && !rows.has(date),
  );
  const specials = page?.specials.filter((date) => !rows.has(date)) ?? [];
  const all = [...days.map(({ date, at }) => ({ date, at })), ...specials.map((date) => ({ date }))];
  const byDate = new Map<string, { date: string; at?: number }>();
  for (const one of all) if (!byDate.has(one.date)) byDate.set(one.date, one);
  return [...byDate.values()].sort((a, b) => Date.parse(b.date) - Date.parse(a.date));
}

/** The last episode that was out when the anime was first listed. */
function lastBeforeStart(evidence: Evidence, believed: readonly Believed[]): number {
  const { start, cards, page } = evidence;
  if (!start) return Infinity;
  const { episode, date, at, isAdded } = start;
  const first = believed.find((one) => one.episode === 1);
  const isPremiere = isAdded && first !== undefined && releaseDay(first) >= addDays(date, -1);
  if (isPremiere) return 0;
  const own = listAppearances(evidence).find((one) => one.episode === episode && one.at === at);
  const isMistake =
    own !== undefined &&
    (cards.slice(own.lastIndex + 1).some((card) => corrects(card, own)) || (page && isDeniedBy(page, own)));
  if (!isMistake) return episode;
  // The first number was a mistake: earlier episodes have other numbers.
  return Math.max(0, ...believed.filter((one) => releaseDay(one) <= date).map((one) => one.episode));
}

/** All releases that are believed, the highest episode first. */
function believedReleases(evidence: Evidence): Believed[] {
  const rows = new Map(plausibleRows(evidence).map((row) => [row.episode, row]));
  const appearances = new Map(listAppearances(evidence).map((one) => [one.episode, one]));
  const episodes = [...new Set([...rows.keys(), ...appearances.keys()])].sort((a, b) => a - b);
  const releases: Believed[] = [];
  for (const episode of episodes) {
    const appearance = appearances.get(episode);
    const row = rows.get(episode);
    if (appearance && isTakenBack(appearance, evidence)) continue;
    const before = releases[0];
    releases.unshift(describeRelease(episode, appearance, row, before && releaseDay(before)));
  }
  return releases;
}

/** Groups the cards into appearances of episodes; of an episode with several, the last one counts. */
function listAppearances({ cards, page }: Pick<Evidence, 'cards' | 'page'>): Appearance[] {
  const appearances = new Map<number, Appearance>();
  for (const [index, { episode, ...card }] of cards.entries()) {
    if (episode === null) continue;
    const known = appearances.get(episode);
    const isSame = known && isSameAppearance(known, { episode, ...card }, index, { cards, page });
    const { isLast: _, ...first } = isSame ? known : card;
    // The day of a card that was not seen to appear may be that on which it was put up again.
    const isEarlier = first.after === undefined && card.date < first.date;
    appearances.set(episode, {
      ...first,
      date: isEarlier ? card.date : first.date,
      ...(card.isLast && { isLast: true }),
      episode,
      lastIndex: index,
    });
  }
  return [...appearances.values()];
}

/** Whether a card shows the same episode again, and not a different episode that now has its number. */
function isSameAppearance(
  known: Appearance,
  card: CardReading & { episode: number },
  index: number,
  { cards, page }: { cards: Evidence['cards']; page: PageRows | undefined },
): boolean {
  if (card.date === known.date) return true;
  const between = cards.slice(known.lastIndex + 1, index);
  const isCorrected = between.some((one) => corrects(one, known));
  if (isCorrected || (page && isDeniedBy(page, known))) return false;
  const isHidden = between.some(({ episode }) => episode !== null && episode < known.episode);
  const hasRow = page?.rows.some(({ episode }) => episode === known.episode) ?? false;
  return !isHidden || hasRow || card.date <= addDays(known.date, MAX_AGAIN_DAYS);
}

/** Whether the list or the page of the anime has taken an episode back. */
function isTakenBack(appearance: Appearance, { cards, page }: Evidence): boolean {
  const later = cards.slice(appearance.lastIndex + 1);
  const row = page?.rows.find(({ episode }) => episode === appearance.episode);
  const fall = later.findLast(({ episode }) => episode !== null && episode < appearance.episode);
  const isRaisedAgain = later.some(({ episode, at }) => {
    return fall !== undefined && episode !== null && episode > appearance.episode && at > fall.at;
  });
  if (page && row && page.at >= (fall?.at ?? 0)) return false;
  if (later.some((card) => corrects(card, appearance))) return true;
  if (page && isDeniedBy(page, appearance)) return true;
  return fall !== undefined && !isRaisedAgain;
}

/** Whether a card shows a lower number on the day of an appearance. */
function corrects(card: CardReading, { episode, date }: Appearance): boolean {
  return card.episode !== null && card.episode < episode && card.date === date;
}

/** Whether the page of an anime has another number for that day or a later one. A page that is older says nothing. */
function isDeniedBy({ at, rows }: PageRows, appearance: Appearance): boolean {
  const [newest] = rows;
  if (!newest || at < appearance.at) return false;
  return appearance.episode > newest.episode && newest.date >= appearance.date;
}

/** The rows of the page whose numbers can be right. */
function plausibleRows({ cards, page }: Evidence): Row[] {
  const rows = page?.rows ?? [];
  const shown = new Set(cards.map(({ episode }) => episode));
  const current = cards.findLast(({ episode }) => episode !== null)?.episode ?? null;
  return rows.filter(({ episode }, index) => {
    if (shown.has(episode)) return true;
    const below = rows[index + 1]?.episode;
    const isFarAboveRows = below !== undefined && episode > below + MAX_ROW_STEP;
    const isFarAboveCard = current !== null && episode > current + MAX_ROW_STEP;
    return !isFarAboveCard || !(isFarAboveRows || below === undefined);
  });
}

function describeRelease(
  episode: number,
  appearance: Appearance | undefined,
  row: Row | undefined,
  dayBefore: string | undefined,
): Believed {
  const isLast = appearance?.isLast ?? row?.isLast;
  const date = firstDay(appearance, row, dayBefore);
  // A number that was mistyped can show an episode again, weeks after its day.
  const isOfDay = appearance && (row === undefined || addDays(row.date, 1) >= appearance.date);
  const isSeen = isOfDay && appearance.after !== undefined && appearance.at - appearance.after <= MAX_GAP_MS;
  return {
    episode,
    ...(isSeen && { seenAt: appearance.at }),
    ...(row?.releasedAt !== undefined && { releasedAt: row.releasedAt }),
    date,
    ...(isLast && { isLast }),
    ...(appearance && { shownAt: appearance.at }),
  };
}

/**
 * The first day that is known of an episode. A row has its year; the year of a card that was not seen to appear is a guess. A
 * card that was seen to appear, but has an earlier day than the previous episode, is mistyped.
 */
function firstDay(appearance: Appearance | undefined, row: Row | undefined, dayBefore = ''): string {
  if (!appearance) return row?.date ?? '';
  const isSeen = appearance.after !== undefined;
  const day = isSeen && appearance.date < dayBefore ? sourceDate(appearance.at) : appearance.date;
  return row && (!isSeen || row.date < day) ? row.date : day;
}
