import { describe, expect, test } from 'vitest';
import { findCardFault } from '../../../src/crawler/guard/card-faults.ts';
import {
  type Corrections,
  createCorrections,
  NO_CORRECTIONS,
} from '../../../src/crawler/guard/corrections.ts';
import { indexCrawl } from '../../../src/crawler/guard/crawl-index.ts';
import type { OngoingAnime } from '../../../src/domain/listing.ts';
import type { CardFault } from '../../../src/source/source.ts';
import { exchange, listAnime, listingOf, type ReadOptions, readPages } from '../../support/read-pages.ts';

const ANIME = listAnime(10);
const TITLES = ANIME.map(({ title }) => title);
const ALTS = { alts: TITLES };
/** The schedule decides nothing. */
const UNSCHEDULED = { scheduled: [] };
const ELSEWHERE = 'https://one.example/2026/11';

const change = (at: number, fields: Partial<OngoingAnime>, anime = ANIME) =>
  anime.with(at, { ...anime[at]!, ...fields });
/** Addresses and covers that spell no title. */
const plain = (anime: OngoingAnime[]) =>
  anime.map((one, at) => ({ ...one, slug: `a-${at}`, image: `${ELSEWHERE}/${at}.jpg` }));

interface Scene extends ReadOptions {
  /** The last good list and its schedule. */
  before?: OngoingAnime[];
  corrections?: Corrections;
}

/** The faults of the cards, by their position from 0. */
function faultsOf(now: OngoingAnime[], { before, corrections = NO_CORRECTIONS, ...options }: Scene = {}) {
  const index = indexCrawl(readPages(now, options), before && listingOf(before));
  const faults = now.map((anime) => findCardFault(index.listed.get(anime.slug)!, index, corrections));
  return Object.fromEntries(faults.flatMap((fault, at) => (fault ? [[at, fault]] : [])));
}

/** As after three crawls over six hours, and notes the values that were asked for. */
function lasting() {
  const asked: string[][] = [];
  return { ...NO_CORRECTIONS, asked, confirm: (...value: string[]) => Boolean(asked.push(value)) };
}

const fault = (field: string, found: string, against: string): CardFault => ({ field, found, against });

describe('a card has no fault', () => {
  test('when all pages and the last good list agree', () => {
    expect(faultsOf(ANIME, ALTS)).toEqual({});
    expect(faultsOf(ANIME, { ...ALTS, before: ANIME })).toEqual({});
  });

  test('when its title and its cover are as before, whatever else names another anime', () => {
    const alts = TITLES.toReversed();
    const scheduled = ANIME.map((one, at) => ({ ...one, title: TITLES.at(-1 - at)! }));
    const shared = ANIME.map((one) => ({ ...one, image: `${ELSEWHERE}/x.jpg` }));
    expect(faultsOf(ANIME, { alts, scheduled, before: ANIME })).toEqual({});
    expect(faultsOf(shared, { alts, scheduled, before: shared })).toEqual({});
  });
});

describe('a title belongs to another anime', () => {
  const exchanged = exchange(ANIME, [2, 5], 'title');
  const of = (against: string) => ({
    2: fault('title', 'Merpati', against),
    5: fault('title', 'Harimau', against),
  });

  test.each<[string, OngoingAnime[], Scene]>([
    ["the cover's text", exchanged, { alts: TITLES, scheduled: ANIME }],
    ['the schedule', exchanged, { scheduled: ANIME }],
    ['its address', exchanged, UNSCHEDULED],
    ["the cover's file", exchanged.map((one, at) => ({ ...one, slug: `a-${at}` })), UNSCHEDULED],
  ])('according to %s', (against, now, scene) => {
    expect(faultsOf(now, scene)).toEqual(of(against));
  });

  test('also when it was in the last good list, however long it lasts', () => {
    const corrections = lasting();
    expect(faultsOf(exchanged, { ...ALTS, before: ANIME, corrections })).toEqual(of("the cover's text"));
    expect(corrections.asked).toEqual([]);
  });

  test('not when an address spells a title that no card has', () => {
    const now = change(0, { slug: 'lumba', title: 'Bebek' }, change(1, { title: 'Serigala' }));
    expect(faultsOf(now, UNSCHEDULED)).toEqual({});
  });

  test('not when the text of the cover names what no other card has', () => {
    expect(faultsOf(plain(ANIME), { ...UNSCHEDULED, alts: TITLES.with(0, 'Lumba') })).toEqual({});
  });
});

test('a new cover is a fault when its text belongs to another card', () => {
  const now = change(3, { image: `${ELSEWHERE}/gajah-2.jpg` });
  const alts = TITLES.with(3, 'Ular').with(4, 'Gajah');
  expect(faultsOf(now, { alts, before: ANIME })).toEqual({
    3: fault('image', `${ELSEWHERE}/gajah-2.jpg`, "the cover's text"),
  });
});

describe('the title of a new anime', () => {
  const now = plain(ANIME);

  test('needs no confirmation where nothing speaks against it', () => {
    expect(faultsOf(now, UNSCHEDULED)).toEqual({});
  });

  test('must be that of the schedule, or of the text of its cover', () => {
    const scheduled = [{ ...now[0]!, title: 'Lumba' }];
    expect(faultsOf(now, { scheduled })).toEqual({ 0: fault('title', 'Kucing', 'the schedule') });
    expect(faultsOf(now, { scheduled, alts: ['Kucing Sub Indo'] })).toEqual({});
    expect(faultsOf(now, { scheduled, alts: ['Lumba'] })).toEqual({
      0: fault('title', 'Kucing', 'the schedule'),
    });
    expect(faultsOf(now, { scheduled: [{ ...now[0]!, title: 'Kucings' }], alts: ['Lumba'] })).toEqual({});
  });

  test('is a fault when the address agrees with the text of the cover instead', () => {
    const lumba = change(0, { slug: 'lumba-biru' }, now);
    const against = { 0: fault('title', 'Kucing', "the cover's text") };
    expect(faultsOf(lumba, { ...UNSCHEDULED, alts: ['Lumba Hijau'] })).toEqual(against);
    expect(faultsOf(lumba, { ...UNSCHEDULED, alts: ['Singa'] })).toEqual({});
    const both = change(0, { title: 'Kucing Biru' }, lumba);
    expect(faultsOf(both, { ...UNSCHEDULED, alts: ['Lumba Hijau'] })).toEqual({});
  });

  test('is accepted in spite of the schedule when enough crawls confirm it', () => {
    const corrections = lasting();
    const scheduled = [{ ...now[0]!, title: 'Lumba' }];
    expect(faultsOf(now, { scheduled, corrections })).toEqual({});
    expect(corrections.asked).toEqual([['a-0', 'title', 'kucing']]);
  });
});

describe('a new title of a known anime', () => {
  const before = plain(ANIME);
  const renamed = change(0, { title: 'Lumba' }, before);
  const against = { 0: fault('title', 'Lumba', 'the last good list') };

  test('is accepted at once when only its spelling differs', () => {
    expect(faultsOf(change(0, { title: 'Kucings' }, before), { before, ...UNSCHEDULED })).toEqual({});
  });

  test('must be that of the schedule', () => {
    expect(faultsOf(renamed, { before, scheduled: renamed })).toEqual({});
    expect(faultsOf(renamed, { before, scheduled: before, alts: ['Lumba'] })).toEqual(against);
  });

  test('must be that of the text of the cover where the schedule does not have the anime', () => {
    expect(faultsOf(renamed, { before, ...UNSCHEDULED, alts: ['Lumba BD'] })).toEqual({});
    expect(faultsOf(renamed, { before, ...UNSCHEDULED, alts: ['Singa'] })).toEqual(against);
    expect(faultsOf(renamed, { before, ...UNSCHEDULED })).toEqual(against);
  });

  test('is accepted when enough crawls confirm it', () => {
    const corrections = lasting();
    expect(faultsOf(renamed, { before, ...UNSCHEDULED, corrections })).toEqual({});
    expect(corrections.asked).toEqual([['a-0', 'title', 'lumba']]);
  });

  test('that another anime had is accepted only when enough crawls confirm it, and is one of two at most', () => {
    const two = exchange(before, [2, 5], 'title');
    const three = exchange(two, [2, 7], 'title');
    const fields = (faults: object) =>
      Object.entries(faults).map(([at, { found, against }]) => [at, found, against]);
    const scene = { before, ...UNSCHEDULED };
    expect(fields(faultsOf(two, { ...scene, alts: two.map(({ title }) => title) }))).toEqual([
      ['2', 'Merpati', 'the last good list'],
      ['5', 'Harimau', 'the last good list'],
    ]);
    expect(faultsOf(two, { ...scene, corrections: lasting() })).toEqual({});
    expect(fields(faultsOf(three, { ...scene, corrections: lasting() }))).toHaveLength(3);
  });
});

describe('a cover belongs to another anime', () => {
  const before = plain(ANIME);
  const exchanged = exchange(before, [2, 5], 'image');
  const owner = "another anime's card";
  const of = {
    2: fault('image', `${ELSEWHERE}/5.jpg`, owner),
    5: fault('image', `${ELSEWHERE}/2.jpg`, owner),
  };

  test('when another one had it and has another one now, until enough crawls confirm it', () => {
    const corrections = lasting();
    expect(faultsOf(exchanged, { before })).toEqual(of);
    expect(faultsOf(exchanged, { before, corrections })).toEqual({});
    expect(corrections.asked).toEqual([
      ['a-2', 'image', '2026/11/5.jpg'],
      ['a-5', 'image', '2026/11/2.jpg'],
    ]);
  });

  test('however long it lasts, when there are three', () => {
    const three = exchange(exchanged, [2, 7], 'image');
    expect(Object.keys(faultsOf(three, { before, corrections: lasting() }))).toEqual(['2', '5', '7']);
  });

  test('when it is shared and its text names something else', () => {
    const image = `${ELSEWHERE}/x.jpg`;
    const shared = change(2, { image }, change(5, { image }, before));
    const alts = TITLES.with(2, 'Lumba');
    expect(faultsOf(shared, { alts })).toEqual({ 2: fault('image', image, owner) });
    expect(faultsOf(shared, { alts, before })).toEqual({ 2: fault('image', image, owner) });
    expect(faultsOf(shared, ALTS)).toEqual({});
    expect(faultsOf(shared)).toEqual({});
    expect(faultsOf(change(2, { image }, before), { alts })).toEqual({});
  });

  test('not when only its title has changed', () => {
    const image = `${ELSEWHERE}/x.jpg`;
    const shared = change(2, { image }, change(5, { image }, before));
    const renamed = change(2, { title: 'Harimaus' }, shared);
    expect(faultsOf(renamed, { alts: TITLES.with(2, 'Lumba'), before: shared })).toEqual({});
  });
});

describe('a day', () => {
  const now = change(3, { day: 'Random' });
  const scheduled = ANIME;

  test('is a fault when the schedule and the last good list have another one, until enough crawls confirm it', () => {
    const corrections = lasting();
    const against = { 3: fault('day', 'Random', 'the schedule') };
    expect(faultsOf(now, { scheduled, before: ANIME })).toEqual(against);
    expect(faultsOf(now, { scheduled })).toEqual(against);
    expect(faultsOf(now, { scheduled, before: ANIME, corrections })).toEqual({});
    expect(corrections.asked).toEqual([['gajah', 'day', 'Random']]);
  });

  test('is accepted when the schedule or the last good list has it', () => {
    expect(faultsOf(now, { scheduled: now, before: ANIME })).toEqual({});
    expect(faultsOf(now, { scheduled, before: now })).toEqual({});
  });

  test('is a fault however long it lasts, when more than a tenth of the cards have such days', () => {
    const many = change(4, { day: 'Random' }, now);
    expect(Object.keys(faultsOf(many, { scheduled, corrections: lasting() }))).toEqual(['3', '4']);
  });
});

describe('an episode', () => {
  const episodeFault = (now: Partial<OngoingAnime>, corrections?: Corrections) =>
    faultsOf(change(3, now), { ...ALTS, before: ANIME, ...(corrections && { corrections }) })[3];
  const against = (found: number) => fault('episode', `${found}`, 'the last good list, which has 13');

  test.each<[string, Partial<OngoingAnime>, number | undefined]>([
    ['as before', { episode: 13 }, undefined],
    ['fifty more', { episode: 63 }, undefined],
    ['fifty-one more', { episode: 64 }, 64],
    ['fewer on the same date', { episode: 9 }, undefined],
    ['fewer on another date', { episode: 9, date: '1 Jan' }, 9],
    ['as before on another date', { episode: 13, date: '1 Jan' }, undefined],
    ['one more on another date', { episode: 14, date: '1 Jan' }, undefined],
  ])('is a fault when it jumps, or falls back together with its date: %s', (_what, now, found) => {
    expect(episodeFault(now)).toEqual(found && against(found));
  });

  test('of a new anime is never a fault', () => {
    expect(faultsOf(change(3, { episode: 999, date: '1 Jan' }), ALTS)).toEqual({});
  });

  test('is a fault when two anime have exchanged theirs', () => {
    expect(faultsOf(exchange(ANIME, [3, 4], 'episode'), { ...ALTS, before: ANIME })).toEqual({
      3: against(14),
      4: fault('episode', '13', 'the last good list, which has 14'),
    });
  });

  test('is accepted when enough crawls confirm it', () => {
    const corrections = lasting();
    expect(episodeFault({ episode: 64 }, corrections)).toBeUndefined();
    expect(corrections.asked).toEqual([['gajah', 'episode', '64']]);
  });

  test('is the last field that is looked at, and the day the second one', () => {
    const now = exchange(change(3, { day: 'Random', episode: 99 }), [2, 5], 'title');
    const scene = { ...ALTS, scheduled: ANIME, before: ANIME };
    const fields = Object.values(faultsOf(change(2, { day: 'Random' }, now), scene)).map(
      ({ field }) => field,
    );
    expect(fields).toEqual(['title', 'day', 'title']);
  });
});

test('a value that lasts is noted at each crawl, and accepted at the third', () => {
  const before = plain(ANIME);
  const renamed = change(0, { title: 'Lumba' }, before);
  let corrections = createCorrections([], 0);
  const outcomes = [0, 3, 6].map((hours) => {
    corrections = createCorrections(corrections.list(), hours * 3_600_000);
    corrections.markCompared();
    return Object.keys(faultsOf(renamed, { before, ...UNSCHEDULED, corrections }));
  });
  expect(outcomes).toEqual([['0'], ['0'], []]);
});
