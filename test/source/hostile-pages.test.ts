import { describe, expect, test } from 'vitest';
import { AppError } from '../../src/domain/errors.ts';
import { validatePage } from '../../src/source/validate-page.ts';
import { startCpuTimer } from '../support/cpu-time.ts';
import { parseOngoing, parseSchedule } from '../support/parse-pages.ts';
import { fetchedPage } from './support/fetched-page.ts';
import { refusal } from './support/refusal.ts';

/** The largest page that is fetched. */
const MAX_BYTES = 5 * 1024 * 1024;
const MAX_MS = 3_000;
const PAGE_URL = 'https://otakudesu.example/ongoing-anime/';

const START = '<!DOCTYPE html><html><head><title>Anime</title></head><body>';
const END = '</body></html>';

/** Repeats a text up to the size of a page of 5 MB. */
function fill(piece: string | ((index: number) => string), max = Number.POSITIVE_INFINITY): string {
  if (typeof piece === 'string') return piece.repeat(Math.min(max, Math.floor(MAX_BYTES / piece.length)));
  const pieces: string[] = [];
  for (let index = 0, length = 0; length < MAX_BYTES && index < max; index += 1) {
    const one = piece(index);
    length += Buffer.byteLength(one);
    pieces.push(one);
  }
  return pieces.join('');
}

const list = (content: string) => `${START}<div class="venz"><ul>${content}</ul></div>${END}`;
const WEEK_START = `${START}<div class="kgjdwl321">`;
const week = (content: string) => `${WEEK_START}${content}</div>${END}`;
const group = (content: string) => `<div class="kglist321"><h2>Senin</h2><ul>${content}</ul></div>`;
const card = (index: number, text = '') =>
  `<li><div class=epz>Episode 1</div><div class=epztipe>Senin</div><div class=newnime>1 Jan</div><div class=thumb><a href="/anime/a-${index}/"><img src="/a.jpg"><h2 class=jdlflm>${text}Judul</h2></a></div></li>`;
/** Nested cards around one element that has the classes of every field. */
const nested = (attributes: string, text: string, times = 45) =>
  `${'<ul><li>'.repeat(times)}<div class=thumb><div class=thumbz><a ${attributes} class="jdlflm epz epztipe newnime">${text}</a></div></div>`;

const SHAPES: [name: string, page: () => string][] = [
  ['no end of one element within another', () => list(fill('<b>'))],
  ['divs that are never closed', () => list(fill('<div>'))],
  ['lists within lists', () => list(fill('<ul><li>'))],
  ['tables within tables', () => list(fill('<table><tr><td>'))],
  ['tables misnested', () => list(fill('<table><b><tr><i></table><p>'))],
  ['lists misnested', () => list(fill('<li><div></li><ul></div>'))],
  ['formatting misnested', () => list(fill('<a><b><i></a><p></b>'))],
  ['end tags of nothing', () => list(fill('</x>'))],
  ['end tags under a deep tree', () => list('<b>'.repeat(500_000) + '</x>'.repeat(500_000))],
  ['end tags of paragraphs of nothing', () => list(fill('</p>'))],
  ['foreign elements', () => list(fill('<svg><title><math><mi>'))],
  ['self-closing foreign elements', () => list(`<svg>${fill('<g/>')}`)],
  ['tags that never end', () => list(fill('<a href='))],
  ['a quote that never ends', () => list(`<a href="${fill('<li>')}`)],
  ['a comment that never ends', () => list(`<!--${fill('--!<!--')}`)],
  ['a script that never ends', () => list(`<script>${fill('</scrip')}`)],
  ['many comments', () => list(fill('<!-- -->'))],
  ['many comments at its end', () => list('') + fill('<!---->')],
  ['many ends of comments at its end', () => `${list('')}<!--${fill('-->')}`],
  ['many ends', () => list(fill('</html>'))],
  ['many beginnings of ends', () => list('') + fill('</HTML')],
  ['white space at its end', () => `${list('')}${fill(' \n')}x`],
  ['declarations', () => list(fill('<!x>'))],
  ['processing instructions', () => list(fill('<?x>'))],
  ['sections of raw text', () => list(fill('<![CDATA[x]]>'))],
  ['many small elements', () => list(fill('<i></i>'))],
  ['a million attributes on one element', () => list(`<li ${fill((index) => `a${index} `)}>`)],
  ['attributes that are numbers', () => list(`<li ${fill((index) => `${index * 7_919} `)}>`)],
  ['the same attribute again and again', () => list(`<li ${fill('class=x ')}>`)],
  ['many classes on one element', () => list(`<li class="${fill((index) => `c${index} `)}">`)],
  ['one class again and again on one element', () => list(`<li class="${fill('thumb ')}">`)],
  ['many classes on many elements', () => list(fill(`<i class="${'a b c d e f g h '.repeat(30)}">`))],
  ['one giant text', () => list(fill('a'))],
  ['one giant white space', () => list(fill(' '))],
  ['a giant text in every field of a card', () => list(nested('', fill('1 ')))],
  ['a giant white space in every field', () => list(nested('', `Episode${fill(' ')}1`))],
  ['invisible text in every field', () => list(nested('', fill('\u200d')))],
  ['entities in every field', () => list(nested('', fill('&#8205;&amp;')))],
  ['entities that are none', () => list(fill('&notanentity'))],
  ['ampersands alone', () => list(fill('&'))],
  ['entities in an attribute', () => list(`<a href="${fill('&amp;&#x2F;')}">`)],
  ['a giant address', () => list(nested(`href="/anime/${fill('a')}"`, 'x'))],
  ['an address of white space', () => list(nested(`href="${fill(' ')}/anime/a/"`, 'x'))],
  ['an address of escapes', () => list(nested(`href="/anime/${fill('%e2')}/"`, 'x'))],
  [
    'a giant set of images',
    () => list(`${'<ul><li>'.repeat(45)}<div class=thumbz><img srcset="${fill('a, ')}"></div>`),
  ],
  ['many links in one entry', () => week(group(`<li>${fill('<a href=/anime/a/>a</a>')}</li>`))],
  ['many links with their pictures', () => list(fill('<li><div class=thumb><a href=/anime/a/><img src=a>'))],
  ['many cards', () => list(fill(card))],
  ['many cards, each in the one before it', () => list(fill((index) => `<ul>${card(index).slice(0, -5)}`))],
  ['many entries', () => week(group(fill('<li><a href=/anime/a/>a</a></li>')))],
  ['many entries without a group', () => week(fill('<li><a href=/anime/a/>a</a></li>') + group(''))],
  ['many groups', () => week(fill(group('<li><a href=/anime/a/>a</a></li>')))],
  ['4,000 groups', () => week(group('<li><a href=/anime/a/>a</a></li>').repeat(4_000))],
  [
    'groups within groups',
    () => week(fill('<div class=kglist321><h2>Senin</h2><li><a href=/anime/a/>a</a>')),
  ],
  ['many headings in every group', () => week(fill(group('<h2>Senin</h2>'.repeat(500))))],
  [
    'groups within groups around many entries',
    () => week('<div class=kglist321>'.repeat(90) + '<ul><li><a href=/anime/a/>a</a></ul>'.repeat(2_000)),
  ],
  ['many pagers', () => list(fill('<div class=pagenavix><a class=page-numbers href=/page/2/>2</a></div>'))],
  ['many current pages', () => list(fill('<span class="page-numbers current">1</span>'))],
  [
    'a giant number in a pager',
    () => list(`${'<span class="page-numbers current">'.repeat(90)}${fill('1')}`),
  ],
  ['many lists', () => list(fill('<div class=venz>'))],
  ['ancestors of many links', () => list(fill('<div class=thumb><a>'))],
  ['many addresses', () => list(fill((index) => `<a href=/anime/a-${index}/>`))],
  ['many long addresses', () => list(fill((index) => `<a href="/anime/${'%e2'.repeat(600)}${index}/">`))],
  ["a title of another site's page", () => `${START}<title>${fill('\u202ex ')}</title>${END}`],
  ["many titles of another site's page", () => `${START}${fill('<title>x</title>')}${END}`],
  ['beginnings of a challenge', () => list(fill('<title> '))],
  ['a title of white space', () => list(`<title>${fill(' ')}`)],
  ['letters that grow in lower case', () => list(fill('İ'))],
  ['nulls', () => list(fill('\0'))],
  ['angle brackets', () => list(fill('<'))],
  ['pairs of angle brackets', () => list(fill('< >'))],
  ['slashes', () => list(fill('</'))],
];

const ALL_CLASSES = 'thumb thumbz jdlflm epz epztipe newnime page-numbers current kglist321';
/** Pages just within the limits on tags, depth, cards and groups, which take longest to parse. */
const LARGEST: typeof SHAPES = [
  ['elements within elements', () => list('<b>'.repeat(19_900))],
  ['end tags under a deep tree', () => list('<b>'.repeat(9_900) + '</x>'.repeat(9_900))],
  ['end tags of paragraphs under a deep tree', () => list('<b>'.repeat(9_900) + '</p>'.repeat(9_900))],
  ['misnested tables', () => list('<table><tr><td><b></tr></table></p>'.repeat(2_800))],
  ['self-closing foreign elements', () => list(`<svg>${'<g/>'.repeat(19_900)}`)],
  [
    'elements of every class, deep within cards',
    () => list('<ul><li>'.repeat(45) + `<a href=/anime/a/ class="${ALL_CLASSES}"></a>`.repeat(9_000)),
  ],
  ['empty elements in every field of nested cards', () => list(nested('', '<i></i>'.repeat(9_500), 45))],
  [
    'long texts in a thousand cards',
    () => list(Array.from({ length: 1_000 }, (_, index) => card(index, 'x '.repeat(2_400))).join('')),
  ],
  [
    'nested groups with a heading and an entry each',
    () => week('<div class=kglist321>'.repeat(90) + '<h2>Senin</h2>'.repeat(9_000) + '<li>'.repeat(10)),
  ],
  [
    'long addresses of other pages of the list',
    () => list(`<a class=page-numbers href="/ongoing-anime${'/page/1'.repeat(60)}/">1</a>`.repeat(9_900)),
  ],
  [
    'attributes on many elements',
    () => list(`<i ${Array.from({ length: 45 }, (_, index) => `a${index}`).join(' ')}>`.repeat(19_900)),
  ],
];

describe('a page of 5 MB is parsed or refused within 3 s', () => {
  test.each([...SHAPES, ...LARGEST])('%s', { timeout: 60_000 }, (_name, make) => {
    const html = make();
    const parse = html.startsWith(WEEK_START) ? parseSchedule : parseOngoing;
    const cpuMs = startCpuTimer();
    try {
      validatePage(fetchedPage(html), () => parse(html, PAGE_URL) as unknown);
    } catch (error) {
      expect(error).toBeInstanceOf(AppError);
    }
    expect(cpuMs()).toBeLessThan(MAX_MS);
  });
});

describe('a page that exceeds a limit is refused with the reason', () => {
  test.each([
    ['tags', () => list('<i></i>'.repeat(20_000)), parseOngoing, /more than 20000 tags/u],
    ['cards', () => list('<li></li>'.repeat(1_001)), parseOngoing, /more than 1000 cards/u],
    ['entries', () => week(group('<li></li>'.repeat(1_001))), parseSchedule, /more than 1000 cards/u],
    ['groups', () => week(group('').repeat(101)), parseSchedule, /more than 100 groups/u],
  ] as const)('by its %s', (_what, make, parse, reason) => {
    expect(() => parse(make(), PAGE_URL)).toThrow(refusal('source-changed', reason));
  });

  test('but a page of another site is refused as one', () => {
    const html = `${START}${'<i></i>'.repeat(20_000)}${END}`;
    expect(() => parseOngoing(html, PAGE_URL)).toThrow(refusal('source-moved', /not the site's/u));
  });
});

test('a field that is too long is a fault of its card, whatever it begins with', () => {
  const long = (start: string) => `${start}${' '.repeat(2_000)}x`;
  const html = list(
    `<li><a href=/anime/judul/></a><div class=epz>${long('Episode 1')}</div><div class=epztipe>${long('Senin')}</div><h2 class=jdlflm>${long('Judul')}</h2></li>`,
  );
  const [unreadable] = parseOngoing(html, PAGE_URL).cards;
  const faults = unreadable && 'faults' in unreadable ? unreadable.faults : [];
  expect(faults.map(({ field }) => field)).toEqual(expect.arrayContaining(['title', 'episode', 'day']));
});
