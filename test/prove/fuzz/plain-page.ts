import { type CheerioAPI, load as loadAsBrowser } from 'cheerio';
import { load as loadByTags } from 'cheerio/slim';
import type { OngoingAnime, ScheduledAnime } from '../../../src/domain/listing.ts';

/*
 * A reader of pages that knows no classes. It cuts a page into the pieces of its lists, and can say whether all fields of a
 * record are within one piece. So it finds values that are invented, changed, or of two cards. Markup may be so broken that
 * an item can be understood in more than one way: a piece of either way will do.
 */

export interface Piece {
  /** The text without tags, each run of white space as one space. */
  text: string;
  /** The same with a space for each tag. */
  spaced: string;
  /** The values of all attributes. */
  values: string[];
  /** The text of the last `<h2>` before the piece. */
  heading: string;
}

const TOKEN = /<!--.*?(?:-->|$)|<\/?([a-z][^\s/>]*)((?:"[^"]*"|'[^']*'|[^'">])*)>|[^<]+|</gisu;
/** Quotes that are not in pairs do not hide the end of a tag. */
const SIMPLE_TOKEN = /<!--.*?(?:-->|$)|<\/?([a-z][^\s/>]*)([^>]*)>|[^<]+|</gisu;
const VALUE = /=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/gu;
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

/** All ways to cut a page, after the first one. */
export function cutOtherwise(html: string): Piece[] {
  return [
    ...cutAtItems(html, 'outer'),
    ...cutAtItems(html, 'outside links'),
    ...cutAtItems(html, 'every', SIMPLE_TOKEN),
    ...cutAtItems(html, 'outer', SIMPLE_TOKEN),
    ...cutAtItems(html, 'outside links', SIMPLE_TOKEN),
    ...cutIntoElements(loadAsBrowser(html)),
    ...cutIntoElements(loadByTags(html)),
  ];
}

/** The text of a page, cut at its items. */
export function cutAtItems(html: string, cut: Cut = 'every', tokens = TOKEN): Piece[] {
  const pieces: Piece[] = [];
  let piece: Piece = { text: '', spaced: '', values: [], heading: '' };
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
        piece = { text: '', spaced: '', values: [], heading: squeeze(heading.join('')) };
      }
    }
    piece.spaced += ' ';
    if (name === '' && !token.startsWith('<!--')) {
      piece.text += decode(token);
      piece.spaced += decode(token);
      if (isHeading) heading.push(decode(token));
    }
    for (const [, ...groups] of attributes.matchAll(VALUE)) piece.values.push(decode(groups.join('')));
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
      const values = $(element)
        .find('*')
        .addBack()
        .toArray()
        .flatMap((one) => Object.values($(one).attr() ?? {}));
      return element.name === 'li' ? [{ text, spaced: text, values, heading }] : [];
    });
}

export function hasAnime(
  { text, spaced, values }: Piece,
  { title, episode, day, date, image, slug }: OngoingAnime,
): boolean {
  const [dayOfMonth = '', name = ''] = date.split(' ');
  const month = name === 'Agu' ? 'Ag[ut]' : name;
  const isSaid = (expression: RegExp) => expression.test(text) || expression.test(spaced);
  return (
    text.includes(title) &&
    isSaid(new RegExp(`(?<!\\d)0*${episode}(?!\\d)`, 'u')) &&
    isSaid(new RegExp(`(?<!\\d)0?${dayOfMonth}\\W*${month}`, 'iu')) &&
    text.toLowerCase().includes(day.slice(0, 3).toLowerCase()) &&
    values.some((value) => isSlug(value, slug)) &&
    values.some((value) => addressesIn(value).includes(addressOf(image)))
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

function isSlug(value: string, slug: string): boolean {
  return addressOf(value).toLowerCase().includes(`/anime/${slug}`);
}

/** The value may be one address or a set of images; an address may have a comma. */
function addressesIn(value: string): string[] {
  return [value, ...value.split(/[\s,]+/u)].map(addressOf);
}

function addressOf(value: string): string {
  return URL.parse(value.trim(), 'https://otakudesu.example/ongoing-anime/')?.href ?? encodeURI(value);
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
