import { AppError } from '../../../domain/errors.ts';
import { cleanText, isVisible } from '../../../domain/text.ts';
import { parseImageUrl } from '../../address.ts';
import {
  ancestorsOf,
  type Element,
  groupByContainer,
  isOutsideNoscript,
  textOf,
} from '../../markup/elements.ts';
import type { Page } from '../../markup/page.ts';
import { type AnimePage, refusePage } from '../../source.ts';
import { parseFullDate } from '../../vocabulary.ts';
import { type Facts, parseDetails, parseFact } from './anime-facts.ts';
import { parseRow, splitTitles } from './episode-row.ts';
import { openPage, titleOf } from './page.ts';
import { printDetails } from './printed-details.ts';
import { ANIME_SELECTORS } from './selectors.ts';

/** The site has eleven facts. A page with fewer than these is another one. */
const MIN_FACTS = 4;
const MAX_ROWS = 2_000;
const MAX_TITLE_LENGTH = 300;
const MAX_SYNOPSIS_LENGTH = 3_000;
const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:Z|[+-]\d\d:\d\d)$/u;
/** The heading of the block of single episodes; the others have `Batch` and `Lengkap`. */
const EPISODE_BLOCK = /\bepisode list\b|\bdaftar episode\b/iu;

/**
 * Reads the page of an anime. The facts are found by their labels and the episodes by what their rows say, in the elements
 * of the selectors, or anywhere on a page where these match nothing:
 *
 *     .venser > .jdlrx > h1, .fotoanime > (.infozin > .infozingle > p*, .sinopc > p*), .episodelist*3 > (.monktit, ul > li*)
 */
export function parseAnime(html: string, pageUrl: string): AnimePage {
  const page = openPage(html);
  const { facts, places } = readFacts(page);
  if (Object.keys(facts).length < MIN_FACTS) {
    const reason = `the page is not that of an anime: it has none of its facts${titleOf(page)}`;
    throw new AppError('source-moved', reason);
  }
  const headings = [...page.find(ANIME_SELECTORS.title), ...page.find('h1')].map((heading) =>
    cleanText(textOf(heading)),
  );
  const titles = [...new Set([facts.title ?? '', ...headings])].filter(
    (title) => isVisible(title) && title.length <= MAX_TITLE_LENGTH,
  );
  const { genres: place } = places;
  const genres = place ? (groupByContainer(page.find('a'), [place]).get(place) ?? []) : [];
  const rows = findRows(page);
  const image = readImage(page, pageUrl);
  return {
    titles,
    publishedAt: readPublishedAt(page),
    ...readEpisodes(page, titles, rows),
    details: { ...parseDetails(facts, genres.map(textOf)), synopsis: readSynopsis(page) },
    printed: printDetails(page, { facts, genres, rows }),
    ...(image !== undefined && { image }),
  };
}

/** The address of the cover; undefined where the page shows none, or several in its place. */
function readImage(page: Page, pageUrl: string): string | undefined {
  const images = page.find(ANIME_SELECTORS.image).filter(isOutsideNoscript);
  const addresses = new Set(images.map(({ attribs }) => parseImageUrl(attribs, pageUrl)));
  const [address] = addresses;
  return addresses.size === 1 ? address : undefined;
}

/** The facts by the name of their label, and the element of each. A label that is there twice with two values is none. */
function readFacts(page: Page): { facts: Facts; places: Record<string, Element> } {
  const inPlace = collectFacts(page.find(ANIME_SELECTORS.fact));
  return Object.keys(inPlace.facts).length >= MIN_FACTS ? inPlace : collectFacts(page.elements);
}

function collectFacts(elements: readonly Element[]) {
  const facts: Facts = {};
  const places: Record<string, Element> = {};
  for (const element of elements) {
    const [name, value] = (isOutsideNoscript(element) && parseFact(textOf(element))) || [];
    if (name === undefined || value === undefined) continue;
    const place = places[name];
    // The innermost element with the label has its value alone.
    if (place && !ancestorsOf(element).includes(place)) {
      if (facts[name] !== value) facts[name] = '';
      continue;
    }
    facts[name] = value;
    places[name] = element;
  }
  return { facts, places };
}

/** On a page that was put on top for another reason than an episode, the two times of the head differ. */
function readPublishedAt(page: Page): number | null {
  const times = page
    .find('meta')
    .filter(({ attribs }) => ['article:published_time', 'og:updated_time'].includes(attribs.property ?? ''));
  const published = times.filter(({ attribs }) => attribs.property === 'article:published_time');
  const values = new Set(times.map(({ attribs }) => attribs.content?.trim() ?? ''));
  const [value = ''] = values;
  const at = MOMENT.test(value) ? Date.parse(value) : Number.NaN;
  return published.length === 1 && values.size === 1 && !Number.isNaN(at) ? at : null;
}

/** The rows of single episodes and of specials. A row that cannot be read costs the row. */
function readEpisodes(
  page: Page,
  titles: readonly string[],
  rows: Element[],
): Pick<AnimePage, 'episodes' | 'specials'> {
  if (rows.length > MAX_ROWS) refusePage(`the page has more than ${MAX_ROWS} episodes`);
  const dates = groupByContainer(page.find(ANIME_SELECTORS.date), rows);
  const links = groupByContainer(page.find('a'), rows);
  const episodes: AnimePage['episodes'] = [];
  const specials: AnimePage['specials'] = [];
  const titleWords = splitTitles(titles);
  for (const row of rows) {
    const [link, ...otherLinks] = links.get(row) ?? [];
    if (!link || otherLinks.length > 0) continue;
    const text = textOf(link);
    const [marked, ...others] = dates.get(row) ?? [];
    // Without the class, the date is the text beside the link of the row.
    const date = parseFullDate(
      marked && others.length === 0 ? textOf(marked) : textOf(row).replace(text, ''),
    );
    const parsed = parseRow(text, titleWords);
    if (!date || !parsed) continue;
    if (parsed.episodes.length === 0) specials.push({ date });
    // The newest comes first on a page, and in a row.
    for (const episode of parsed.episodes.toReversed()) {
      const isLast = parsed.isLast && episode === parsed.episodes.at(-1);
      episodes.push({ episode, date, ...(isLast && { isLast }) });
    }
  }
  return { episodes, specials };
}

function findRows(page: Page): Element[] {
  const { block, heading, row } = ANIME_SELECTORS;
  const blocks = page.find(block);
  const headings = groupByContainer(page.find(heading), blocks);
  const [own, ...others] = blocks.filter((one) =>
    (headings.get(one) ?? []).some((title) => EPISODE_BLOCK.test(cleanText(textOf(title)))),
  );
  if (own && others.length === 0) return groupByContainer(page.find(row), [own]).get(own) ?? [];
  if (own) return [];
  const links = groupByContainer(page.find('a'), page.find(row));
  return [...links].flatMap(([item, [link]]) => (link?.attribs.href?.includes('/episode/') ? [item] : []));
}

function readSynopsis(page: Page): string | null {
  const paragraphs = page.find(ANIME_SELECTORS.synopsis).map((paragraph) => cleanText(textOf(paragraph)));
  const text = paragraphs.filter(isVisible).join('\n\n');
  if (text.length <= MAX_SYNOPSIS_LENGTH) return text || null;
  const cut = text.slice(0, MAX_SYNOPSIS_LENGTH - 1);
  return `${cut.slice(0, cut.lastIndexOf(' ')).trimEnd()}…`;
}
