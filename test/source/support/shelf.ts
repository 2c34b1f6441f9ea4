import type { FieldFormat } from '../../../src/source/field-format.ts';
import { type Element, textOf } from '../../../src/source/markup/elements.ts';
import { type Page, parseMarkup } from '../../../src/source/markup/page.ts';
import type { FieldModel, KnownAnime, PageModel, Selectors } from '../../../src/source/repair/page-model.ts';
import { createSearch, type Search } from '../../../src/source/repair/search.ts';

/**
 * A site that is as small as a test of the repair allows: its cards have a link, a title such as `Judul 3`, which each
 * anime has alone, and an episode such as `Ep 5`. Its groups have the headings `Senin` and `Selasa`.
 */

export const PAGE_URL = 'https://shelf.example/';

export interface Anime extends KnownAnime {
  title: string;
  episode: string;
  day: string;
}

export function makeAnime(number: number): Anime {
  return {
    slug: `judul-${number}`,
    title: `Judul ${number}`,
    episode: `Ep ${number % 4}`,
    day: number % 2 ? 'Senin' : 'Selasa',
  };
}

export const listAnime = (count: number) => Array.from({ length: count }, (_, index) => makeAnime(index + 1));

/** By slug, as a last good listing has them. */
export const knownFrom = (anime: readonly Anime[]) => new Map(anime.map((one) => [one.slug, one]));

function textFormat(pattern: RegExp): FieldFormat<string> {
  return {
    rawText: ({ element, attribute }) =>
      attribute === undefined ? textOf(element) : element.attribs[attribute],
    parse: (text) => pattern.exec(text.trim())?.[0],
  };
}

const field = (name: string, pattern: RegExp, isUnique = false): FieldModel => ({
  name,
  key: name,
  format: textFormat(pattern),
  isPlausible: (now, before) => now[name] === before[name],
  ...(isUnique && { isUnique }),
});

export const LINK: FieldModel = {
  name: 'link',
  key: 'slug',
  format: {
    rawText: ({ element, attribute = 'href' }) => element.attribs[attribute],
    parse: (text) => /^\/anime\/([\w-]+)$/u.exec(text)?.[1],
  },
  isPlausible: (now, before) => now.slug === before.slug,
};
export const TITLE = field('title', /^Judul \d+$/u, true);
export const EPISODE = field('episode', /^Ep \d+$/u);
export const DAY = textFormat(/^(?:Senin|Selasa|Rabu)$/u);

interface Shelf {
  records: KnownAnime[];
  unreadable: number;
}

export const SELECTORS = {
  list: '.list',
  card: '.card',
  link: 'a',
  title: '.title',
  episode: '.episode',
};

/** Reads the fields of each card; a card without one of them cannot be read. */
function readShelf(page: Page, selectors: Selectors, fields: readonly FieldModel[]): Shelf {
  const cards = page.find(`${selectors.list} ${selectors.card}`);
  const records = cards.flatMap((card) => {
    const entries = fields.map(({ name, key, format }) => {
      const [selector = '', attribute] = (selectors[name] ?? '').split('@');
      const [element] = page.find(selector, new Set([card])).filter((one) => isIn(one, card));
      const text = element && format.rawText({ element, attribute, pageUrl: PAGE_URL });
      return [key, element && format.parse(text ?? '', { element, attribute, pageUrl: PAGE_URL })] as const;
    });
    const record = Object.fromEntries(entries);
    return entries.every(([, value]) => value !== undefined) ? [record as KnownAnime] : [];
  });
  return { records, unreadable: cards.length - records.length };
}

function isIn(element: Element, card: Element): boolean {
  for (let node: unknown = element; node; node = (node as Element).parent) if (node === card) return true;
  return false;
}

export const MODEL: PageModel<Shelf> = {
  prefix: '',
  selectors: SELECTORS,
  open: parseMarkup,
  read: (page, _pageUrl, selectors) => readShelf(page, selectors, [LINK, TITLE, EPISODE]),
  knownFrom: () => new Map(),
  count: (parsed) => parsed,
  frame: 'list',
  card: 'card',
  link: LINK,
  fields: [TITLE, EPISODE],
};

/** A card as the site writes it. */
export function card({ slug, title, episode }: Anime): string {
  return `<li class="card"><a href="/anime/${slug}">x</a><b class="title">${title}</b><i class="episode">${episode}</i></li>`;
}

export const list = (anime: readonly Anime[], make: (one: Anime) => string = (one) => card(one)) =>
  `<ul class="list">${anime.map(make).join('')}</ul>`;

export function searchIn(html: string, known: readonly Anime[] = [], pageNumber = 1): Search {
  return createSearch({ page: parseMarkup(html), pageUrl: PAGE_URL, pageNumber, known: knownFrom(known) });
}

/** The first element that matches. */
export function one({ page }: Search, selector: string): Element {
  const [element] = page.find(selector);
  if (!element) throw new Error(`nothing matches ${selector}`);
  return element;
}
