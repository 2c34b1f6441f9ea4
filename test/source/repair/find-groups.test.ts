import { describe, expect, test } from 'vitest';
import type { Cards } from '../../../src/source/repair/find-cards.ts';
import { findGroups } from '../../../src/source/repair/find-groups.ts';
import type { KnownCard } from '../../../src/source/repair/known-card.ts';
import type { Search } from '../../../src/source/repair/search.ts';
import { type Anime, DAY, listAnime, MODEL, searchIn } from '../support/shelf.ts';

const ANIME = listAnime(10);
const HEADING = { key: 'day', format: DAY };
const DAYS = ['Senin', 'Selasa'];
const WRITTEN = { group: '.hari', heading: '.nama-hari' };

const entry = ({ title }: Anime) => `<li class=k>${title}</li>`;
const entriesOf = (day: string) =>
  ANIME.filter((one) => one.day === day)
    .map(entry)
    .join('');

/** A frame with a group for each day. */
const grouped = (make: (day: string, entries: string) => string) =>
  `<main class=f>${DAYS.map((day) => make(day, entriesOf(day))).join('')}</main>`;

/** The selectors of the groups on a page with the cards `.k` in the frame `.f`, whose anime have a text of their own. */
function find(
  html: string,
  written: Record<string, string> = {},
  isKnown = (_: Anime) => true,
  wrap = (search: Search) => search,
) {
  const search = wrap(searchIn(html, ANIME));
  const elements = search.page.find('.k');
  const cards: Cards = { frame: '.f', card: '.k', elements };
  const known = elements.map((element): KnownCard => {
    const text = (element.children[0] as { data?: string } | undefined)?.data;
    const anime = ANIME.find(({ title }) => title === text);
    return { element, before: anime && isKnown(anime) ? anime : undefined, now: { slug: anime?.slug ?? '' } };
  });
  return findGroups(search, { ...MODEL.selectors, ...WRITTEN, ...written }, HEADING, cards, known);
}

const section = (day: string, entries: string) =>
  `<section class=g><h2>${day}</h2><ul>${entries}</ul></section>`;

describe('groups with their headings in them', () => {
  test('are found by the element around each', () => {
    expect(find(grouped(section))).toEqual({ group: '.g', heading: 'h2' });
    const plain = grouped(section).replaceAll(' class=g', '');
    expect(find(plain)).toEqual({ group: 'section', heading: 'h2' });
  });

  test('keep the written selectors where these match', () => {
    const written = { group: 'section', heading: '.g h2' };
    expect(find(grouped(section), { ...written, heading: 'h2' })).toEqual({
      group: 'section',
      heading: 'h2',
    });
    expect(find(grouped(section), { group: 'div', heading: 'h3' })).toEqual({ group: '.g', heading: 'h2' });
  });

  test('are found below the frame where others on the page have the same markup', () => {
    expect(find(`<section class=g>x</section>${grouped(section)}`)).toEqual({
      group: '.f .g',
      heading: 'h2',
    });
  });

  test('are found where there were none before', () => {
    expect(find(grouped(section), { group: '' })).toEqual({ group: '.g', heading: 'h2' });
  });

  test('may have classes of their own', () => {
    const own = (day: string, entries: string) => section(day, entries).replace('class=g', `class=${day}`);
    expect(find(grouped(own))).toEqual({ group: 'section', heading: 'h2' });
  });

  test('may be empty, with the same markup and a text', () => {
    const empty = section('Rabu', '<li>kosong</li>');
    const other = empty.replace('section class=g', 'div').replace('/section', '/div');
    const withGroup = (group: string) => grouped(section).replace('</main>', `${group}</main>`);
    expect(find(withGroup(empty))).toEqual({ group: '.g', heading: 'h2' });
    const reason = 'no selector matches the groups and their headings alone';
    expect(() => find(withGroup(other))).toThrow(reason);
    // A group of a heading alone is taken for the heading.
    expect(() => find(withGroup(section('Rabu', '')))).toThrow(reason);
  });

  test('have a heading of its own kind, and may have other elements', () => {
    const more = (day: string, entries: string) =>
      section(day, entries).replace('<ul>', '<h2 class=n>baru</h2><ul>').replace('<h2>', '<h2 class=h>');
    expect(find(grouped(more))).toEqual({ group: '.g', heading: '.h' });
    const nested = (day: string, entries: string) =>
      section(day, entries).replace(/h2>/gu, 'b>').replace('<b>', '<p><b>').replace('</b>', '</b></p>');
    expect(find(grouped(nested))).toEqual({ group: '.g', heading: 'p' });
  });
});

describe('headings without an element around them', () => {
  const flat = (day: string, entries: string) => `<h2 class=h>${day}</h2>${entries}`;

  test('begin a group of the cards that follow', () => {
    expect(find(grouped(flat))).toEqual({ group: '', heading: '.h' });
    expect(find(grouped(flat), { heading: 'h2', group: '.g' })).toEqual({ group: '', heading: 'h2' });
  });

  test('are found in an element of their own', () => {
    const wrapped = (day: string, entries: string) => `<div class=w><b>${day}</b></div>${entries}`;
    expect(find(grouped(wrapped))).toEqual({ group: '', heading: '.w' });
  });

  test('do not have cards before them', () => {
    expect(() => find(grouped((day, entries) => `${entries}<h2 class=h>${day}</h2>`))).toThrow(
      /heading: [0-5] of 10 known cards are still under their heading/u,
    );
  });
});

describe('nearly all known cards', () => {
  test('are under the heading that they were under', () => {
    const moved = (count: number) => {
      const html = grouped(section);
      const entries = ANIME.filter(({ day }) => day === 'Senin')
        .slice(0, count)
        .map(entry);
      const without = entries.reduce((text, one) => text.replace(one, ''), html);
      return without.replace('Selasa</h2><ul>', `Selasa</h2><ul>${entries.join('')}`);
    };
    expect(find(moved(1))).toEqual({ group: '.g', heading: 'h2' });
    expect(() => find(moved(2))).toThrow('heading: 8 of 10 known cards are still under their heading');
    const isLater = ({ slug }: Anime) => !['judul-1', 'judul-3'].includes(slug);
    expect(find(moved(2), {}, isLater)).toEqual({ group: '.g', heading: 'h2' });
  });

  test('are under more than one heading', () => {
    expect(() => find(grouped(section), {}, ({ day }) => day === 'Senin')).toThrow(
      'heading: 5 of 5 known cards are still under their heading',
    );
  });
});

describe('a heading', () => {
  test('is the outermost element with its text, in the frame and in no card', () => {
    const inCards = grouped(section).replaceAll('<li class=k>', '<li class=k><b hidden>Senin</b>');
    expect(() => find(inCards)).toThrow('0 of 0');
    const beside = `<h2>Senin</h2>${grouped(section)}`;
    expect(find(beside)).toEqual({ group: '.g', heading: 'h2' });
    const double = grouped((day, entries) => section(`<b>${day}</b>`, entries));
    expect(find(double)).toEqual({ group: '.g', heading: 'h2' });
  });

  test('has few nodes', () => {
    const long = (extra: string) => grouped((day, entries) => section(`${day}${extra}`, entries));
    expect(find(long('<br>'.repeat(9)))).toEqual({ group: '.g', heading: 'h2' });
    expect(() => find(long('<br>'.repeat(20)))).toThrow(/heading: \d+ of 10/u);
  });

  test('is one of a hundred at most', () => {
    const more = (count: number) =>
      grouped(section).replace('</main>', `${'<p>Senin</p>'.repeat(count)}</main>`);
    expect(() => find(more(98))).toThrow('heading: no selector matches the groups and their headings alone');
    expect(() => find(more(99))).toThrow('more than 100 elements could be a heading');
  });

  test('is refused where no selector matches all headings and nothing else', () => {
    const odd = (day: string, entries: string) =>
      section(day, entries).replace(/h2/gu, day === 'Senin' ? 'h2' : 'h3');
    expect(() => find(grouped(odd))).toThrow(
      'heading: no selector matches the groups and their headings alone',
    );
  });

  test('is refused where no selector matches all groups and nothing else', () => {
    const odd = (day: string, entries: string) =>
      day === 'Senin'
        ? section(day, entries)
        : section(day, entries).replace('section class=g', 'div').replace('/section', '/div');
    expect(() => find(grouped(odd))).toThrow('no selector matches the groups');
    const inside = grouped((day, entries) =>
      section(day, entries.replaceAll('<li', '<section class=g></section><li')),
    );
    expect(() => find(inside)).toThrow('no selector matches the groups');
  });

  test('is described by sixty selectors at most', () => {
    const deep = (text: string) =>
      `<div class="a1 a2 a3 a4"><p class="b1 b2 b3 b4"><b class="c1 c2 c3 c4">${text}</b><q>x</q></p></div>`;
    const html = grouped((day, entries) =>
      section(day, entries).replace(/<h2>.*<\/h2>/u, `${deep(day)}${deep('x')}`),
    );
    const tried: string[] = [];
    const wrap = (search: Search): Search => ({
      ...search,
      find(selector, scopes) {
        if (selector.startsWith('.g ')) tried.push(selector);
        return search.find(selector, scopes);
      },
    });
    expect(() => find(html, {}, undefined, wrap)).toThrow(
      'no selector matches the groups and their headings alone',
    );
    // The written one comes first.
    expect(tried).toHaveLength(1 + 60);
  });
});
