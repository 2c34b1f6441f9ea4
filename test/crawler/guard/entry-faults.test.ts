import { describe, expect, test } from 'vitest';
import { NO_CORRECTIONS } from '../../../src/crawler/guard/corrections.ts';
import { indexCrawl } from '../../../src/crawler/guard/crawl-index.ts';
import { findEntryFault } from '../../../src/crawler/guard/entry-faults.ts';
import type { Listing, OngoingAnime } from '../../../src/domain/listing.ts';
import { exchange, listAnime, listingOf, readPages } from '../../support/read-pages.ts';

const ANIME = listAnime(10);

interface Scene {
  listed?: OngoingAnime[];
  alts?: string[];
  lastGood?: Listing;
  confirm?: (...value: string[]) => boolean;
}

/** The faults of the entries of the schedule, as `slug field found against`. */
function faultsOf(scheduled: OngoingAnime[], scene: Scene = {}): string[] {
  const { listed = ANIME, alts = [], lastGood, confirm = () => false } = scene;
  const read = readPages(listed, { alts, scheduled });
  const index = indexCrawl(read, lastGood);
  return scheduled.flatMap(({ title, slug, day }) => {
    const fault = findEntryFault({ title, slug }, day, index, { ...NO_CORRECTIONS, confirm });
    return fault ? [`${slug} ${fault.field} ${fault.found}: ${fault.against}`] : [];
  });
}

const change = (fields: Partial<OngoingAnime>) => ANIME.with(0, { ...ANIME[0]!, ...fields });

test('an entry that agrees with the list, or is in nothing else, has no fault', () => {
  expect(faultsOf(ANIME)).toEqual([]);
  expect(faultsOf(ANIME, { listed: [] })).toEqual([]);
  expect(faultsOf(ANIME, { lastGood: listingOf(ANIME) })).toEqual([]);
});

describe('the title of an entry', () => {
  test('may be spelled in another way', () => {
    expect(faultsOf(change({ title: 'Kucings!' }))).toEqual([]);
  });

  test('is a fault when the list has another one', () => {
    expect(faultsOf(change({ title: 'Lumba' }))).toEqual(['kucing title Lumba: the ongoing list']);
  });

  test('is a fault when only the last good listing has the anime, with another one', () => {
    const scene = { listed: ANIME.slice(1), lastGood: listingOf([], ANIME) };
    expect(faultsOf(change({ title: 'Lumba' }), scene)).toEqual([
      'kucing title Lumba: the last good schedule',
    ]);
    expect(faultsOf(change({ title: 'Kucings' }), scene)).toEqual([]);
  });

  test('is a fault when it is that of another anime, however similar', () => {
    const listed = ANIME.with(1, { ...ANIME[1]!, title: 'Kucings' });
    const exchanged = exchange(listed, [0, 1], 'title');
    expect(faultsOf(exchanged, { listed })).toEqual([
      'kucing title Kucings: the ongoing list',
      'bebek title Kucing: the ongoing list',
    ]);
    const entry = [{ ...ANIME[0]!, title: 'Kucings' }];
    const lastGood = listingOf([], [listed[1]!]);
    expect(faultsOf(entry, { listed: [ANIME[0]!], lastGood })).toEqual([
      'kucing title Kucings: the ongoing list',
    ]);
  });

  test('is accepted when the last good listing or the text of the cover has it', () => {
    const scheduled = change({ title: 'Lumba' });
    expect(faultsOf(scheduled, { lastGood: listingOf([], scheduled) })).toEqual([]);
    expect(faultsOf(scheduled, { alts: ['Lumba Sub Indo'] })).toEqual([]);
    expect(faultsOf(scheduled, { alts: ['', 'Lumba'] })).toHaveLength(1);
  });
});

describe('the day of an entry', () => {
  const scheduled = change({ day: 'Random' });

  test('is a fault when the list has another one', () => {
    expect(faultsOf(scheduled)).toEqual(['kucing day Random: the ongoing list']);
  });

  test('is accepted when the last good schedule has it', () => {
    expect(faultsOf(scheduled, { lastGood: listingOf([], scheduled) })).toEqual([]);
    expect(faultsOf(scheduled, { lastGood: listingOf([], ANIME) })).toHaveLength(1);
  });

  test('is accepted when enough crawls confirm it, unless a tenth of the cards contradict the schedule', () => {
    const asked: string[][] = [];
    const confirm = (...value: string[]) => Boolean(asked.push(value));
    expect(faultsOf(scheduled, { confirm })).toEqual([]);
    expect(asked).toEqual([['kucing', 'scheduled day', 'Random']]);
    const two = scheduled.with(1, { ...ANIME[1]!, day: 'Random' });
    expect(faultsOf(two, { confirm })).toHaveLength(2);
  });
});
