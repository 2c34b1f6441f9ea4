import { describe, expect, test } from 'vitest';
import { mergeOngoing, mergeSchedule } from '../../src/crawler/merge-pages.ts';
import { DAYS, type Day, type DaySchedule, type OngoingAnime } from '../../src/domain/listing.ts';
import type { Card, OngoingPage, ScheduleGroup, UnreadableCard } from '../../src/source/source.ts';
import { makeAnime } from '../support/fake-source.ts';

const page = (number: number, ...cards: Card<OngoingAnime>[]): OngoingPage => ({
  number,
  lastNumber: 2,
  cards,
  alts: [],
  linked: [],
});
const unreadable = (card: number, slug?: string): UnreadableCard => ({
  card,
  ...(slug && { slug }),
  faults: [{ field: 'day', found: 'Entah', missing: '.day' }],
});
const omission = (where: string, card: number, kept: boolean) => ({
  page: where,
  card,
  field: 'day',
  found: 'Entah',
  kept,
});
const slugs = (list: readonly { slug: string }[]) => list.map(({ slug }) => slug);

describe('the ongoing list', () => {
  const [first, second] = [page(1, makeAnime(1), makeAnime(2)), page(2, makeAnime(3), makeAnime(4))];

  test('has the anime of all pages in their order, each once', () => {
    const again = page(1, makeAnime(3), makeAnime(1));
    const { part, omissions } = mergeOngoing([first, second], again, []);
    expect(slugs(part)).toEqual(['judul-3', 'judul-1', 'judul-2', 'judul-4']);
    expect(omissions).toEqual([]);
  });

  test('has the reading of the last page 1 where an anime was read twice', () => {
    const aired = { ...makeAnime(3), episode: 99 };
    expect(mergeOngoing([first, second], page(1, aired), []).part[0]).toEqual(aired);
  });

  test('has the last good record of a card that cannot be read', () => {
    const { part, omissions } = mergeOngoing([page(1, unreadable(1, 'judul-1'))], page(1), [makeAnime(1)]);
    expect(part).toEqual([makeAnime(1)]);
    expect(omissions).toEqual([omission('ongoing page 1', 1, true)]);
  });

  test('prefers another card of the crawl to the last good record, the first one if there are several', () => {
    const [early, late] = [
      { ...makeAnime(1), episode: 98 },
      { ...makeAnime(1), episode: 97 },
    ];
    const pages = [page(1, unreadable(1, 'judul-1'), early), page(2, late)];
    expect(mergeOngoing(pages, page(1), [makeAnime(1)]).part).toEqual([early]);
  });

  test('leaves out a card that cannot be read and that nothing else shows', () => {
    const { part, omissions } = mergeOngoing(
      [first, page(2, unreadable(1, 'baru'), unreadable(2))],
      first,
      [],
    );
    expect(slugs(part)).toEqual(['judul-1', 'judul-2']);
    expect(omissions).toEqual([1, 2].map((card) => omission('ongoing page 2', card, false)));
  });

  test('reports a card once that both readings of page 1 have', () => {
    const faulty = page(1, unreadable(1, 'baru'));
    expect(mergeOngoing([faulty], faulty, []).omissions).toEqual([omission('ongoing page 1', 1, false)]);
  });

  test('keeps the earlier of two cards with one address and different titles', () => {
    const twin = { ...makeAnime(1), title: 'Judul 1 (TV)' };
    const { part, omissions } = mergeOngoing([page(2, makeAnime(4), twin)], page(1, makeAnime(1)), []);
    expect(part).toEqual([makeAnime(1), makeAnime(4)]);
    const found = 'judul-1, which is "Judul 1", again as "Judul 1 (TV)"';
    expect(omissions).toEqual([{ page: 'ongoing page 2', card: 2, field: 'slug', found, kept: false }]);
  });
});

describe('the schedule', () => {
  const entry = (number: number) => ({ slug: `judul-${number}`, title: `Judul ${number}` });
  const group = (day: Day | null, ...cards: ScheduleGroup['cards']): ScheduleGroup => ({ day, cards });
  const on = (day: Day, ...numbers: number[]): DaySchedule => ({ day, animeList: numbers.map(entry) });
  const merge = (groups: ScheduleGroup[], lastGood: DaySchedule[] = []) =>
    mergeSchedule({ groups, linked: [] }, lastGood);
  /** The slugs of the days that have any. */
  const filled = (schedule: DaySchedule[]) =>
    Object.fromEntries(
      schedule.flatMap(({ day, animeList }) => (animeList[0] ? [[day, slugs(animeList)]] : [])),
    );

  test('has all days of the week in order, also those without a group', () => {
    const { part, omissions } = merge([group('Selasa', entry(1))]);
    expect(part.map(({ day }) => day)).toEqual(DAYS);
    expect(filled(part)).toEqual({ Selasa: ['judul-1'] });
    expect(omissions).toEqual([]);
  });

  test('joins groups of one day, and has an anime on each of its days', () => {
    const { part } = merge([group('Senin', entry(1)), group('Rabu', entry(1)), group('Senin', entry(2))]);
    expect(filled(part)).toEqual({ Senin: ['judul-1', 'judul-2'], Rabu: ['judul-1'] });
  });

  test('keeps an entry that cannot be read on its last day, after the entry that it followed', () => {
    const cards = [entry(1), entry(3), unreadable(3, 'judul-2'), entry(9)];
    const { part, omissions } = merge([group('Senin', ...cards)], [on('Senin', 1, 2, 3)]);
    expect(filled(part)).toEqual({ Senin: ['judul-1', 'judul-2', 'judul-3', 'judul-9'] });
    expect(omissions).toEqual([omission('schedule', 3, true)]);
  });

  test('keeps it first when it was first, and beside others that are kept', () => {
    const cards = [unreadable(1, 'judul-1'), unreadable(2, 'judul-2'), entry(3)];
    const { part } = merge([group(null, ...cards)], [on('Senin', 1, 2, 3)]);
    expect(filled(part)).toEqual({ Senin: ['judul-1', 'judul-2'] });
  });

  test('keeps it after the nearest entry before it that is still there', () => {
    const cards = [entry(1), entry(4), unreadable(3, 'judul-3')];
    const { part } = merge([group('Senin', ...cards)], [on('Senin', 1, 2, 3, 4)]);
    expect(filled(part)).toEqual({ Senin: ['judul-1', 'judul-3', 'judul-4'] });
  });

  test('leaves out an entry that cannot be read and is not known', () => {
    const { part, omissions } = merge([group('Senin', unreadable(1), unreadable(2, 'baru'), entry(1))]);
    expect(filled(part)).toEqual({ Senin: ['judul-1'] });
    expect(omissions).toEqual([1, 2].map((card) => omission('schedule', card, false)));
  });

  test('keeps the earlier of two entries with one address and different titles', () => {
    const twin = { slug: 'judul-1', title: 'Judul 1 (TV)' };
    const { part, omissions } = merge([group('Senin', entry(1)), group('Rabu', entry(2), twin)]);
    expect(filled(part)).toEqual({ Senin: ['judul-1'], Rabu: ['judul-2'] });
    const found = 'judul-1, which is "Judul 1", again as "Judul 1 (TV)"';
    expect(omissions).toEqual([{ page: 'schedule', card: 2, field: 'slug', found, kept: false }]);
  });
});
