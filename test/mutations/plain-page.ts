import { type CheerioAPI, load as loadAsBrowser } from 'cheerio';
import { load as loadByTags } from 'cheerio/slim';
import type { OngoingAnime, ScheduledAnime } from '../../src/domain/listing.ts';

/*
 * A reader of pages that knows no classes, and shares nothing with the parser that it judges. It cuts a page into the pieces
 * of its lists, and can say whether all fields of a record are within one piece. So it finds values that are invented,
 * changed, or of two cards. Markup may be so broken that an item can be understood in more than one way: a piece of either
 * way will do.
 */

export interface Piece {
  /** The text without tags, each run of white space as one space. */
  text: string;
  /** The same with a space for each tag. */
  spaced: string;
  /** The values of all attributes. */
  values: string[];
  /** The addresses of the links. */
  links: string[];
  /** The text of the last `<h2>` before the piece. */
  heading: string;
}

const PAGE_URL = 'https://otakudesu.example/ongoing-anime/';
const TOKEN = /<!--.*?(?:-->|$)|<\/?([a-z][^\s/>]*)((?:"[^"]*"|'[^']*'|[^'">])*)>|[^<]+|</gisu;
/** Quotes that are not in pairs do not hide the end of a tag. */
const SIMPLE_TOKEN = /<!--.*?(?:-->|$)|<\/?([a-z][^\s/>]*)([^>]*)>|[^<]+|</gisu;
const VALUE = /([^\s=]*)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/gu;
const ENTITIES: Record<string, string> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  hellip: '…',
  laquo: '«',
  raquo: '»',
};

/** Which `<li>` begins a piece: each, one that is not within another item, or one that is not within a link. */
type Cut = 'every' | 'outer' | 'outside links';

export class PlainPage {
  readonly #html: string;
  readonly #pieces: Piece[];
  #others: Piece[] | undefined;
  #asBrowser: CheerioAPI | undefined;

  constructor(html: string) {
    this.#html = html;
    this.#pieces = cutAtItems(html);
  }

  /** Whether a piece is what is looked for. */
  says(isIt: (piece: Piece) => boolean): boolean {
    return this.#pieces.some(isIt);
  }

  /** The same of all other ways to cut the page, which takes longer. */
  maySay(isIt: (piece: Piece) => boolean): boolean {
    this.#others ??= this.#cutOtherwise();
    return this.#others.some(isIt);
  }

  /** The page as one piece, every text of which may be a heading. */
  whole(): Piece {
    const text = this.#pieces.map(({ spaced }) => spaced).join(' ');
    const values = this.#pieces.flatMap((piece) => piece.values);
    return { text, spaced: text, values, links: this.links(), heading: text };
  }

  /** The items of lists, in order, as a browser understands them. */
  items(): Piece[] {
    return cutIntoElements(this.#load());
  }

  /** The addresses of all links, in order. */
  links(): string[] {
    const $ = this.#load();
    return $('a')
      .toArray()
      .map((link) => $(link).attr('href') ?? '');
  }

  #load(): CheerioAPI {
    this.#asBrowser ??= loadAsBrowser(this.#html);
    return this.#asBrowser;
  }

  #cutOtherwise(): Piece[] {
    const html = this.#html;
    return [
      ...cutAtItems(html, 'outer'),
      ...cutAtItems(html, 'outside links'),
      ...cutAtItems(html, 'every', SIMPLE_TOKEN),
      ...cutAtItems(html, 'outer', SIMPLE_TOKEN),
      ...cutAtItems(html, 'outside links', SIMPLE_TOKEN),
      ...this.items(),
      ...cutIntoElements(loadByTags(html)),
    ];
  }
}

/** The text of a page, cut at its items. */
function cutAtItems(html: string, cut: Cut = 'every', tokens = TOKEN): Piece[] {
  const pieces: Piece[] = [];
  let piece: Piece = { text: '', spaced: '', values: [], links: [], heading: '' };
  let heading: string[] = [];
  let [isHeading, isLink, depth] = [false, false, 0];
  for (const [token, name = '', attributes = ''] of html.matchAll(tokens)) {
    const tag = token.startsWith('</') ? `/${name.toLowerCase()}` : name.toLowerCase();
    if (tag === 'h2') heading = [];
    if (tag.endsWith('h2')) isHeading = tag === 'h2';
    if (tag === '/li') depth = Math.max(0, depth - 1);
    if (['a', '/a', 'ul', '/ul', 'h2'].includes(tag)) isLink = tag === 'a';
    if (tag === 'li') {
      depth += 1;
      if (cut === 'every' || (cut === 'outer' ? depth === 1 : !isLink)) {
        pieces.push(piece);
        piece = { text: '', spaced: '', values: [], links: [], heading: squeeze(heading.join('')) };
      }
    }
    piece.spaced += ' ';
    if (name === '' && !token.startsWith('<!--')) {
      piece.text += decode(token);
      piece.spaced += decode(token);
      if (isHeading) heading.push(decode(token));
    }
    for (const [, attribute, ...groups] of attributes.matchAll(VALUE)) {
      const value = decode(groups.join(''));
      piece.values.push(value);
      if (attribute === 'href') piece.links.push(value);
    }
  }
  return [...pieces, piece].map((one) => ({
    ...one,
    text: squeeze(one.text),
    spaced: squeeze(one.spaced),
  }));
}

/** The items of lists as an HTML parser understands them. A browser knows rules for broken markup that others do not. */
function cutIntoElements($: CheerioAPI): Piece[] {
  $('style, script').remove();
  let heading = '';
  return $('h2, li')
    .toArray()
    .flatMap((element) => {
      const text = squeeze($(element).text());
      if (element.name === 'h2') heading = text;
      const attributes = $(element)
        .find('*')
        .addBack()
        .toArray()
        .map((one) => $(one).attr() ?? {});
      const values = attributes.flatMap((one) => Object.values(one));
      const links = attributes.flatMap(({ href }) => href ?? []);
      return element.name === 'li' ? [{ text, spaced: text, values, links, heading }] : [];
    });
}

export function hasAnime(
  { text, spaced, values }: Piece,
  { title, episode, day, date, image, slug }: OngoingAnime,
  pageUrl = PAGE_URL,
): boolean {
  const [dayOfMonth = '', name = ''] = date.split(' ');
  const month = name === 'Agu' ? 'Ag[ut]' : name;
  const isSaid = (expression: RegExp) => expression.test(text) || expression.test(spaced);
  // The text of the cover has the whole of a title that is cut.
  return (
    (text.includes(title) || values.includes(`${title} Sub Indo`)) &&
    isSaid(new RegExp(`(?<!\\d)0*${episode}(?!\\d)`, 'u')) &&
    isSaid(new RegExp(`(?<!\\d)0?${dayOfMonth}\\W*${month}`, 'iu')) &&
    text.toLowerCase().includes(day.slice(0, 3).toLowerCase()) &&
    values.some((value) => isSlug(value, slug)) &&
    values.some((value) => addressesIn(value, pageUrl).includes(addressOf(image, pageUrl)))
  );
}

export function hasEntry(
  { text, values, heading }: Piece,
  day: string,
  { title, slug }: ScheduledAnime,
): boolean {
  // The site writes Jumat and Jum'at.
  const isDay = heading.replaceAll("'", '').toLowerCase().includes(day.slice(0, 3).toLowerCase());
  return isDay && text.includes(title) && values.some((value) => isSlug(value, slug));
}

/** The slug of the anime that an address leads to. */
export function slugIn(address: string): string | undefined {
  const path = URL.parse(address, 'https://otakudesu.example')?.pathname;
  return /\/anime\/([^/]+)\/?$/u.exec(path ?? '')?.[1]?.toLowerCase();
}

function isSlug(value: string, slug: string): boolean {
  return addressOf(value, PAGE_URL).toLowerCase().includes(`/anime/${slug}`);
}

/** The value may be one address or a set of images; an address may have a comma. */
function addressesIn(value: string, pageUrl: string): string[] {
  return [value, ...value.split(/[\s,]+/u)].map((address) => addressOf(address, pageUrl));
}

function addressOf(value: string, pageUrl: string): string {
  return URL.parse(value.trim(), pageUrl)?.href ?? encodeURI(value);
}

function decode(text: string): string {
  return text
    .replace(/&#(\d+);?/gu, (_, code: string) => String.fromCodePoint(Math.min(Number(code), 0x10ffff)))
    .replace(/&([a-z]+);?/gu, (entity, name: string) => ENTITIES[name] ?? entity);
}

function squeeze(text: string): string {
  return text
    .replace(/\s+/gu, ' ')
    .replace(/[\p{Cc}\p{Cf}\p{Cs}]/gu, '')
    .trim();
}
