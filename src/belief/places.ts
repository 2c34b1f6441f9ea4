import type { OngoingAnime } from '../domain/listing.ts';
import { isReadable, type OngoingPage } from '../source/source.ts';
import { isSameRelease } from './build-listing.ts';
import type { Reading } from './reading.ts';

/**
 * Returns a function that says whether a reading of the list shows the place where an anime would stand.
 *
 * The list is sorted by its last change. What has not changed keeps its order, so the place of an anime is between the two
 * unmoved anime that stood above and below it. Where one page has both of them, and not the anime between, it is gone: an
 * older page would have shown the one above with an older episode. Where two pages meet, anything may be hidden: what is new
 * on top pushes the others down, and the next page may be an older one.
 */
export function findSeenPlaces(
  { pages }: Pick<Reading, 'pages'>,
  known: readonly OngoingAnime[],
  changedAt: Readonly<Record<string, number>>,
  hasLeftSchedule: (slug: string) => boolean,
): (slug: string) => boolean {
  const sheets = joinPages(pages);
  const unmoved = known.map((one) => findSheet(sheets, one));
  const places = new Map(known.map(({ slug }, index) => [slug, index]));
  return (slug) => {
    const index = places.get(slug) ?? -1;
    const above = unmoved.slice(0, Math.max(0, index)).findLast((one) => one !== undefined);
    const below = unmoved.slice(index + 1).find((one) => one !== undefined);
    const sheet = above ?? sheets[0];
    const other = below ?? sheets.find(({ isLast }) => isLast);
    if (!sheet || sheet !== other || (!above && !below)) return false;
    if (sheet.builtAt !== undefined) return sheet.builtAt >= (changedAt[slug] ?? 0);
    // Page 1 of a list that has not moved may be older than the anime on top of it.
    return above !== undefined || showsNews(sheet, known) || hasLeftSchedule(slug);
  };
}

/** Pages that show the list without a gap. */
interface Sheet {
  cards: OngoingAnime[];
  /** Whether it ends with the list. */
  isLast: boolean;
  /** When the oldest of its pages was built; undefined where one does not say. */
  builtAt: number | undefined;
}

/** Pages that share an anime, or were built at the same time, have no gap between them. */
function joinPages(pages: readonly OngoingPage[]): Sheet[] {
  const sheets: Sheet[] = [];
  let last: OngoingPage | undefined;
  for (const page of pages) {
    const cards = page.cards.filter(isReadable);
    const isLast = page.number >= page.lastNumber;
    const sheet = sheets.at(-1);
    if (sheet && last && areJoined(last, page)) {
      sheet.cards.push(...cards);
      sheet.isLast = isLast;
      sheet.builtAt = older(sheet.builtAt, page.builtAt);
    } else sheets.push({ cards, isLast, builtAt: page.builtAt });
    last = page;
  }
  return sheets;
}

function older(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? undefined : Math.min(one, other);
}

function areJoined(page: OngoingPage, next: OngoingPage): boolean {
  if (page.builtAt !== undefined && page.builtAt === next.builtAt) return true;
  const cards = new Map(page.cards.filter(isReadable).map((card) => [card.slug, card]));
  return next.cards.some((card) => isReadable(card) && isSameRelease(card, cards.get(card.slug)));
}

/** The pages that show an anime as it was. */
function findSheet(sheets: readonly Sheet[], anime: OngoingAnime): Sheet | undefined {
  return sheets.find(({ cards }) =>
    cards.some((card) => card.slug === anime.slug && isSameRelease(card, anime)),
  );
}

/** Whether pages show a later state of the list than the last one: an anime that is new, or has a higher number. */
function showsNews({ cards }: Sheet, known: readonly OngoingAnime[]): boolean {
  const [first] = cards;
  const before = known.find(({ slug }) => slug === first?.slug);
  return first !== undefined && first.episode > (before?.episode ?? 0);
}
