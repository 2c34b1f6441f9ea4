import { describe, expect, test, vi } from 'vitest';
import { findCards } from '../../../src/source/repair/find-cards.ts';
import { findLinks, findSharedKeys } from '../../../src/source/repair/find-links.ts';
import type { Search } from '../../../src/source/repair/search.ts';
import { type Anime, card, LINK, list, listAnime, MODEL, makeAnime, searchIn } from '../support/shelf.ts';

const ANIME = listAnime(10);

function find(search: Search, model: typeof MODEL) {
  const links = findLinks(search, LINK);
  return findCards(
    search,
    model,
    links,
    findSharedKeys(search, links, ({ slug }) => slug),
  );
}

/** The candidates of each list: frame, card, and the number of cards. */
function candidates(html: string, known: readonly Anime[] = ANIME, selectors = MODEL.selectors) {
  const search = searchIn(html, known);
  const found = find(search, { ...MODEL, selectors });
  return found.map((cards) =>
    cards.map(({ frame, card, elements }) => `${frame} | ${card} | ${elements.length}`),
  );
}

const entry = ({ slug }: Anime) => `<p class=e><a href="/anime/${slug}">x</a></p>`;

describe('the cards of a page', () => {
  test('are found by the written selectors where these still match', () => {
    expect(candidates(list(ANIME))).toEqual([['.list | .card | 10', '.list | a | 10']]);
  });

  test('are found under new names, the largest elements first', () => {
    const html = `<div class=daftar>${ANIME.map((one) => `<p class=k>${entry(one)}</p>`).join('')}</div>`;
    expect(candidates(html.replaceAll('<p class=k>', '<q>').replaceAll('</p></p>', '</p></q>'))).toEqual([
      ['.daftar | q | 10', '.daftar | .e | 10', '.daftar | a | 10'],
    ]);
  });

  test('have the first selector that matches them all, and one for each set of elements', () => {
    const html = `<div class=daftar>${ANIME.map(entry).join('')}</div>`;
    expect(candidates(html)).toEqual([['.daftar | .e | 10', '.daftar | a | 10']]);
  });

  test('may differ in their classes', () => {
    const html = `<div class=daftar>${ANIME.map((one, at) => entry(one).replace('=e', `=e${at}`)).join('')}</div>`;
    expect(candidates(html)).toEqual([['.daftar | p | 10', '.daftar | a | 10']]);
  });

  test('are not inside each other', () => {
    const html = `<div class=daftar>${ANIME.map((one) => `<p class=e>${entry(one)}</p>`).join('')}</div>`;
    const nested = html.replaceAll('<p', '<div').replaceAll('</p', '</div');
    expect(candidates(nested)).toEqual([['.daftar | a | 10']]);
  });

  test('come in the order of their size, whatever the written selector', () => {
    const selectors = { ...MODEL.selectors, card: 'a' };
    expect(candidates(list(ANIME), ANIME, selectors)).toEqual([['.list | .card | 10', '.list | a | 10']]);
  });

  test('are found by one known anime', () => {
    expect(candidates(list(ANIME), ANIME.slice(4, 5))).toEqual([['.list | .card | 10', '.list | a | 10']]);
  });

  test('cost their number and a hundred for each selector', () => {
    const search = searchIn(list(ANIME), ANIME);
    const spend = vi.fn();
    find({ ...search, spend }, MODEL);
    const costs = spend.mock.calls.map(([work]) => work).filter((work) => work > 1);
    // `.card`, `li.card`, `li` and `a`.
    expect(costs).toEqual([110, 110, 110, 110]);
  });

  test('are none where nothing is known', () => {
    expect(candidates(list(ANIME), [])).toEqual([]);
    expect(candidates('<p>', ANIME)).toEqual([]);
  });
});

describe('nearly all cards', () => {
  test('have one anime each', () => {
    const others = (count: number) => '<li class="card">x</li>'.repeat(count);
    expect(candidates(list(ANIME).replace('</ul>', `${others(1)}</ul>`))).toEqual([
      ['.list | .card | 11', '.list | a | 10'],
    ]);
    expect(candidates(list(ANIME).replace('</ul>', `${others(2)}</ul>`))).toEqual([['.list | a | 10']]);
    const nine = ANIME.slice(0, 9);
    expect(candidates(list(nine).replace('</ul>', `${others(1)}</ul>`), nine)).toEqual([
      ['.list | .card | 10', '.list | a | 9'],
    ]);
  });

  test('have nearly all known anime of their list', () => {
    const odd = (count: number) =>
      list(ANIME, (one) => (Number(one.slug.slice(6)) <= count ? entry(one) : card(one)));
    expect(candidates(odd(1))[0]).toContain('.list | .card | 9');
    expect(candidates(odd(2))[0]).not.toContain('.list | .card | 8');
  });
});

describe('a frame', () => {
  const daftar = (inner: string) => `<main><div class=daftar>${inner}</div></main>`;
  const cards = ANIME.map(entry).join('');

  test('is the smallest element with most of the known anime', () => {
    expect(candidates(daftar(cards))).toEqual([['.daftar | .e | 10', '.daftar | a | 10']]);
    expect(candidates(`<main>x${daftar(cards)}</main>`)).toEqual([['.daftar | .e | 10', '.daftar | a | 10']]);
    const parts = [ANIME.slice(0, 4), ANIME.slice(4)].map(
      (part) => `<section>${part.map(entry).join('')}</section>`,
    );
    expect(candidates(daftar(parts.join('')))).toEqual([['.daftar | .e | 10', '.daftar | a | 10']]);
  });

  test('may lack a third of the known anime, which are beside it', () => {
    const some = (count: number) =>
      `<main>${daftar(ANIME.slice(0, count).map(entry).join('')).slice(6, -7)}<aside>${ANIME.slice(count).map(entry).join('')}</aside></main>`;
    const frames = (count: number) => candidates(some(count)).map(([first]) => first?.split(' | ')[0]);
    expect(frames(7)).toEqual(['main', '.daftar']);
    expect(frames(6)).toEqual(['main']);
  });

  test('is described by the nearest element that has a selector of its own', () => {
    const html = `<main><div>${cards}</div></main><div>x</div>`;
    expect(candidates(html)[0]?.[0]).toBe('main div | .e | 10');
    const twice = `<section><div>${cards}</div></section><section><div>x</div></section>`;
    expect(candidates(`<main>${twice}</main>`)[0]?.[0]).toBe('main | .e | 10');
  });

  test('keeps its written selector where that matches it, or something around it, alone', () => {
    expect(candidates(`<div class=list><ul>${cards}</ul></div>`)[0]?.[0]).toBe('.list | .e | 10');
    expect(candidates(`<p class=list>x</p><ul>${cards}</ul>`)[0]?.[0]).toBe('ul | .e | 10');
    expect(candidates(`<p class=list>x</p><ul class="list a">${cards}</ul>`)[0]?.[0]).toBe('.a | .e | 10');
  });

  test('that no selector describes has no cards', () => {
    const twice = `<div>${cards}</div><div>${cards}</div>`;
    expect(candidates(twice)).toEqual([[], []]);
  });

  test('is one of four at most, those with the most anime first', () => {
    const beside = Array.from(
      { length: 6 },
      (_, at) =>
        `<div class=d${at}>${ANIME.slice(0, 10 - (at % 2))
          .map(entry)
          .join('')}</div>`,
    );
    const frames = candidates(beside.join('')).map(([first]) => first?.split(' | ')[0]);
    expect(frames).toEqual(['.d0', '.d2', '.d4', '.d1']);
  });
});

test('links to anime that are not known make no list of their own, and belong to the cards', () => {
  const mixed = [...ANIME, makeAnime(98), makeAnime(99)];
  expect(candidates(list(mixed))).toEqual([['.list | .card | 12', '.list | a | 12']]);
});

test('a longer list of anime that are not known does not count', () => {
  const news = Array.from({ length: 30 }, (_, at) => entry(makeAnime(100 + at))).join('');
  expect(candidates(`<aside>${news}</aside>${list(ANIME)}`)).toEqual([
    ['.list | .card | 10', '.list | a | 10'],
  ]);
});

test('sixty selectors are tried at most', () => {
  const classes = (at: number) => Array.from({ length: 4 }, (_, one) => `c${at}-${one}`).join(' ');
  const html = `<div class=daftar>${ANIME.map((one, at) => `<p class="${classes(at)}">${`<q class="${classes(at + 20)}">`}${entry(one)}</q></p>`).join('')}</div>`;
  const search = searchIn(html, ANIME);
  const tried = new Set<string>();
  const findAndNote = (selector: string, scopes?: Parameters<typeof search.find>[1]) => {
    if (selector.startsWith('.daftar ')) tried.add(selector);
    return search.find(selector, scopes);
  };
  find({ ...search, find: findAndNote }, MODEL);
  expect(tried.size).toBe(60);
});
