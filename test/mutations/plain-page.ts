import { type CheerioAPI, load as loadAsBrowser } from 'cheerio';
import { load as loadByTags } from 'cheerio/slim';
import type { OngoingAnime, ScheduledAnime } from '../../src/domain/listing.ts';

/*
 * A reader of pages that knows no classes. It cuts a page into the items of its lists, and can say whether all fields of a
 * record are within one of them. So it finds values that are invented, changed, or of two cards. Markup may be so broken
 * that an item can be understood in more than one way: as a browser does, or by the tags alone. Either way will do.
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

type Elements = ReturnType<CheerioAPI>;

const PAGE_URL = 'https://otakudesu.example/ongoing-anime/';

export class PlainPage {
  /** The items of lists, in order, as a browser understands them. */
  readonly items: Piece[];
  /** The page as one piece, every text of which may be a heading. */
  readonly whole: Piece;
  readonly #html: string;
  #byTags: Piece[] | undefined;

  constructor(html: string) {
    const $ = loadAsBrowser(html);
    this.#html = html;
    this.items = cutAtItems($);
    const body = $('body');
    this.whole = pieceOf($, body, squeeze(body.text()));
  }

  /** Whether an item is what is looked for. */
  says(isIt: (piece: Piece) => boolean): boolean {
    return this.items.some(isIt);
  }

  /** Whether one may be, where tags are read in another way. */
  maySay(isIt: (piece: Piece) => boolean): boolean {
    this.#byTags ??= cutAtItems(loadByTags(this.#html));
    return this.#byTags.some(isIt);
  }
}

/** A browser knows rules for broken markup that others do not. */
function cutAtItems($: CheerioAPI): Piece[] {
  $('style, script').remove();
  let heading = '';
  return $('h2, li')
    .toArray()
    .flatMap((element) => {
      if (element.name === 'h2') heading = squeeze($(element).text());
      return element.name === 'li' ? [pieceOf($, $(element), heading)] : [];
    });
}

function pieceOf($: CheerioAPI, element: Elements, heading: string): Piece {
  const nodes = element.find('*').addBack();
  const texts = nodes
    .contents()
    .toArray()
    .flatMap((node) => (node.type === 'text' ? [node.data] : []));
  const attributes = nodes.toArray().map((one) => $(one).attr() ?? {});
  return {
    text: squeeze(element.text()),
    spaced: squeeze(texts.join(' ')),
    values: attributes.flatMap((one) => Object.values(one)),
    links: attributes.flatMap(({ href }) => href ?? []),
    heading,
  };
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

function squeeze(text: string): string {
  return text
    .replace(/\s+/gu, ' ')
    .replace(/[\p{Cc}\p{Cf}\p{Cs}]/gu, '')
    .trim();
}
