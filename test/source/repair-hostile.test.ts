import { describe, expect, test } from 'vitest';
import { AppError } from '../../src/domain/errors.ts';
import { DAYS, type OngoingAnime } from '../../src/domain/listing.ts';
import { createRepairingReader } from '../../src/source/repair/repairing-reader.ts';
import { otakudesu } from '../../src/source/sites/otakudesu/site.ts';
import { isReadable } from '../../src/source/source.ts';
import { costOf } from '../support/cost.ts';

/** The most costly of these pages costs five. */
const MAX_COST = 25;
const PAGE_URL = 'https://otakudesu.example/ongoing-anime/';

const KNOWN = Array.from({ length: 900 }, (_, index): OngoingAnime => {
  const day = DAYS[index % DAYS.length] ?? 'Senin';
  const image = `https://otakudesu.example/${index}.jpg`;
  return {
    title: `Judul ${index}`,
    episode: 1 + (index % 12),
    day,
    image,
    slug: `judul-${index}`,
    date: `${1 + (index % 28)} Nov`,
  };
});
const LAST_GOOD = {
  ongoing: KNOWN,
  schedule: DAYS.map((day) => ({ day, animeList: KNOWN.filter((anime) => anime.day === day) })),
};

const page = (body: string) =>
  `<!DOCTYPE html><html><head><title>Anime</title></head><body>${body}</body></html>`;
const many = (count: number, make: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => make(index)).join('');
const link = (index: number, inner = 'x') => `<a href="/anime/judul-${index % KNOWN.length}/">${inner}</a>`;
const attributes = (value: string) => many(12, (index) => `data-a${index}="${value}" `);

function card(index: number, change: Partial<OngoingAnime> = {}, extra = ''): string {
  const { title, episode, day, date, image } = { ...KNOWN[index % KNOWN.length], ...change };
  return `<li class="kartu k2 k3"><p class="a">Episode ${episode}</p><p class="b">${day}</p><p class="c">${date}</p>${link(index, `<img src="${image}"><h5>${title}</h5>`)}${extra}</li>`;
}
const list = (count: number, make: (index: number) => string) =>
  `<ul class="daftar">${many(count, make)}</ul>`;

/** The entries of a day in a schedule of 80 anime. */
const entries = (day: string) =>
  many(80, (index) => (KNOWN[index]?.day === day ? `<li>${link(index, `Judul ${index}`)}</li>` : ''));

const MEMORY = { lastGood: LAST_GOOD, repairs: [], mayRepair: true };

function read(html: string) {
  return createRepairingReader(otakudesu.ongoing, MEMORY).read(html, PAGE_URL).parsed;
}

function readSchedule(html: string) {
  return createRepairingReader(otakudesu.schedule, MEMORY).read(html, PAGE_URL).parsed;
}

describe('a page that is built to be searched for long is read or refused in a moment', () => {
  test.each<[string, () => string]>([
    ['900 cards', () => page(list(900, (index) => card(index)))],
    ['100,000 links', () => page(many(100_000, (index) => link(index)))],
    ['9,000 links', () => page(many(9_000, (index) => link(index)))],
    [
      'links below a hundred elements',
      () => page('<div class=a>'.repeat(120) + many(1_900, (index) => `<p>${link(index)}</p>`)),
    ],
    [
      'lists below a hundred elements each',
      () =>
        page(
          many(
            15,
            (at) =>
              '<div class="a b c d">'.repeat(180) +
              many(190, (index) => link(index + at)) +
              '</div>'.repeat(180),
          ),
        ),
    ],
    [
      'each card in the one before it',
      () => page(many(180, (index) => `<div class=n${index}>${link(index)}`)),
    ],
    [
      'cards of hundreds of elements with twelve attributes that fit',
      () =>
        page(
          list(25, (index) =>
            card(
              index,
              {},
              many(180, () => `<i class="x y z" ${attributes(KNOWN[index]?.title ?? '')}>Senin</i>`),
            ),
          ),
        ),
    ],
    [
      'thousands of days',
      () =>
        page(
          many(3_000, (index) => `<b>${DAYS[index % 8]}</b>`) +
            many(900, (index) => `<li>${link(index)}</li>`),
        ),
    ],
    [
      'many links to pages of the list',
      () =>
        page(
          list(900, (index) => card(index)) +
            many(99, (index) => `<a href="/ongoing-anime/page/${index + 2}/">1</a><b>1</b>`),
        ),
    ],
    [
      'thousands of elements that say the number of the page',
      () =>
        page(
          list(30, (index) => card(index)) +
            '<nav class="a b c d"><a href="/ongoing-anime/page/2/">2</a>' +
            '<div class="a b c d">'.repeat(3) +
            many(8_000, () => '<p class="a b c d">1</p>'),
        ),
    ],
    [
      'cards with sixty classes',
      () => page(list(500, (index) => `<div class="${many(60, (one) => `k${one} `)}">${card(index)}</div>`)),
    ],
    [
      'long texts and attributes',
      () =>
        page(list(900, (index) => card(index, {}, `<q title="${'x '.repeat(900)}">${'x '.repeat(900)}</q>`))),
    ],
  ])('%s', (_what, make) => {
    const html = make();
    for (const readPage of [read, readSchedule]) {
      const cost = costOf(() => {
        try {
          readPage(html);
        } catch (error) {
          expect(error).toBeInstanceOf(AppError);
        }
      });
      expect(cost, readPage.name).toBeLessThan(MAX_COST);
    }
  });
});

/** The records of a list that is read, or the reason why it is not. */
const outcomeOf = (body: string) => tryTo(() => read(page(body)).cards.filter(isReadable));

function tryTo<Records>(readAll: () => Records): Records | string {
  try {
    return readAll();
  } catch (error) {
    return error instanceof AppError ? error.message : String(error);
  }
}

describe('a page in doubt is refused', () => {
  const plain = list(30, (index) => card(index));

  test.each<[string, string, RegExp]>([
    [
      'two lists that differ on a known anime',
      plain + list(30, (index) => card(index, index === 4 ? { episode: 6 } : {})).replace('daftar', 'lain'),
      /two lists/u,
    ],
    [
      'two places for a title that differ on a new anime',
      list(30, (index) => card(index, {}, `<s class="t">${KNOWN[index]?.title}</s>`)).replace(
        '</ul>',
        `${card(5).replaceAll('judul-5', 'baru').replace('<h5>Judul 5', '<h5>Baru').replace('</li>', '<s class="t">Lain</s></li>')}</ul>`,
      ),
      /have different values/u,
    ],
    [
      'covers of the anime before',
      list(30, (index) => card(index, { image: KNOWN[(index + 29) % 30]?.image ?? '' })),
      /image: 30 of 30 known cards have the image of another anime/u,
    ],
    [
      'titles of the anime before',
      list(30, (index) => card(index, { title: KNOWN[(index + 29) % 30]?.title ?? '' })),
      /title: 30 of 30 known cards have the title of another anime/u,
    ],
    ['the same card again and again', list(30, () => card(3)), /not the site's/u],
    [
      'no day',
      list(30, (index) => card(index).replace(/<p class="b">\w+<\/p>/u, '')),
      /day: nothing in the cards agrees/u,
    ],
    [
      'one episode on all known cards, and others beside it',
      list(10, (index) => card(index * 12, {}, '<u>Episode 2</u>')),
      /episode: all known cards have the same value, and contain other values of this format/u,
    ],
    [
      'a title where the episode was',
      list(30, (index) => {
        const { title, episode } = KNOWN[index]!;
        return card(index, { title: `Episode ${episode}` }).replace(/(class=")a">[^<]*/u, `$1epz">${title}`);
      }),
      /title: nothing in the cards agrees/u,
    ],
  ])('%s', (_what, body, reason) => {
    expect(outcomeOf(body)).toMatch(reason);
  });

  test.each<[string, (day: string, next: string) => string, RegExp]>([
    ['below their entries', (day) => `${entries(day)}<h3>${day}</h3>`, /10 of 80 cards cannot be read/u],
    [
      'those of the next group',
      (day, next) => `<h3>${next}</h3>${entries(day)}`,
      /day: 0 of 80 known anime agree with the last good list/u,
    ],
  ])('a schedule whose days are %s', (_what, group, reason) => {
    const week = DAYS.map((day, index) => group(day, DAYS[(index + 1) % DAYS.length] ?? '')).join('');
    expect(tryTo(() => readSchedule(page(`<main>${week}</main>`)))).toMatch(reason);
  });

  test('but not for a list of popular anime beside it, whatever its covers', () => {
    const popular = many(
      8,
      (index) => `<li>${link(index, `<img src="/iklan-${index}.jpg"><h5>${KNOWN[index]?.title}</h5>`)}</li>`,
    );
    expect(outcomeOf(`<aside><ul>${popular}</ul></aside>${plain}`)).toEqual(KNOWN.slice(0, 30));
  });

  test('and not for the same list twice', () => {
    expect(outcomeOf(plain + plain.replace('daftar', 'lain'))).toEqual(KNOWN.slice(0, 30));
  });
});

test.each([
  ['below an element', '<ul class=g><h3>', '</h3>', '</ul>'],
  ['that follow each other', '<h3 class=h>', '</h3>', ''],
  ['in elements of their own', '<p class=w><b>', '</b></p>', ''],
])('a schedule with headings %s is read', (_what, before, after, end) => {
  const week = DAYS.map((day) => before + day + after + entries(day) + end).join('');
  const reader = createRepairingReader(otakudesu.schedule, MEMORY);
  const { groups } = reader.read(page(`<main class=f>${week}</main>`), PAGE_URL).parsed;
  const expected = DAYS.map((day) => [day, KNOWN.slice(0, 80).filter((one) => one.day === day).length]);
  expect(groups.map(({ day, cards }) => [day, cards.length])).toEqual(expected);
  expect(reader.result().repairs).toMatchObject([{ field: 'schedule list', now: '.f' }]);
});

test.each([
  ['one heading', (html: string) => html.replace('<h2>Rabu</h2>', '')],
  [
    'the one after an empty day',
    (html: string) => html.replace(/(<h2>Selasa<.h2>).*?(<.ul>)/u, '$1$2').replace('<h2>Rabu</h2>', ''),
  ],
  ['all headings but one', (html: string) => html.replaceAll(/<h2>(?!Senin)\w+<.h2>/gu, '')],
  ['a day', (html: string) => html.replaceAll(/<.?div>/gu, '').replace('Rabu', 'Lusa')],
])('entries that lost %s are below no other one', (_what, change) => {
  const week = DAYS.map((day) => `<div><h2>${day}</h2><ul>${entries(day)}</ul></div>`).join('');
  const html = page(`<main class="kgjdwl321">${change(week)}</main>`);
  const { groups } = otakudesu.schedule.read(
    otakudesu.schedule.open(html),
    PAGE_URL,
    otakudesu.schedule.selectors,
  );
  const dayOf = new Map(KNOWN.map(({ slug, day }) => [slug, day]));
  const readable = groups.flatMap(({ day, cards }) =>
    cards.filter(isReadable).map(({ slug }) => [slug, day]),
  );
  expect(readable.length).toBeGreaterThan(0);
  expect(readable).toEqual(readable.map(([slug]) => [slug, dayOf.get(slug as string)]));
  expect(groups.find(({ day }) => !day)?.cards.length).toBeGreaterThan(0);
});

test('of two lists the one with more records is used, or else the one with fewer unreadable cards', () => {
  const [few, all] = [list(20, (index) => card(index)), list(30, (index) => card(index))];
  const broken = all.replace('</ul>', '<li class="kartu k2 k3">x</li></ul>').replace('daftar', 'lain');
  for (const body of [few + all, all + few, broken + all, all + broken])
    expect(read(page(body.replace('daftar', 'satu'))).cards).toEqual(KNOWN.slice(0, 30));
});

test('names in a page that no selector can have are left out', () => {
  const html = list(30, (index) => card(index).replaceAll('class="a"', 'class="a\u202e b:c d]" id="x y"'));
  expect(outcomeOf(html)).toEqual(KNOWN.slice(0, 30));
});
