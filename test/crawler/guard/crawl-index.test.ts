import { describe, expect, test } from 'vitest';
import { indexCrawl, mayDaysDiffer } from '../../../src/crawler/guard/crawl-index.ts';
import type { OngoingAnime } from '../../../src/domain/listing.ts';
import type { UnreadableCard } from '../../../src/source/source.ts';
import { listAnime, listingOf, ongoingPage, readPages, schedulePage } from '../../support/read-pages.ts';

const ANIME = listAnime(4);
const [kucing, bebek, harimau, gajah] = ANIME as [OngoingAnime, OngoingAnime, OngoingAnime, OngoingAnime];
const unreadable: UnreadableCard = {
  card: 1,
  slug: 'ular',
  faults: [{ field: 'title', found: '', missing: '.jdlflm' }],
};

describe('an index of the pages of a crawl', () => {
  test('has the last reading of page 1 first, and each anime once', () => {
    const read = {
      pages: [ongoingPage(1, [kucing, bebek], ['kucing', 'bebek']), ongoingPage(2, [kucing, harimau])],
      firstAgain: ongoingPage(1, [{ ...bebek, episode: 99 }, kucing], ['Bebek!']),
      schedule: schedulePage([]),
    };
    expect([...indexCrawl(read, undefined).listed.values()]).toEqual([
      { anime: { ...bebek, episode: 99 }, alt: 'Bebek!' },
      { anime: kucing, alt: '' },
      { anime: harimau, alt: '' },
    ]);
  });

  test('leaves out cards that cannot be read', () => {
    const read = readPages([unreadable, kucing], { alts: ['Ular', 'Kucing'] });
    read.schedule.groups[0]!.cards.push(unreadable);
    const { listed, scheduled } = indexCrawl(read, undefined);
    expect([...listed.values()]).toEqual([{ anime: kucing, alt: 'Kucing' }]);
    expect([...scheduled.keys.keys()]).toEqual(['kucing']);
  });

  test('has the titles of each place', () => {
    const read = readPages([{ ...kucing, title: 'Anjing', image: 'https://one.example/Domba.jpg' }, bebek], {
      alts: ['Elang Sub Indo', ''],
      scheduled: [{ ...kucing, title: 'Tupai' }],
    });
    const { titles, alts, scheduled, slugs, files } = indexCrawl(read, undefined);
    const entries = [titles, alts, scheduled, slugs, files].map(({ name, keys, all }) => {
      expect([...all]).toEqual([...keys.values()]);
      return [name, Object.fromEntries(keys)];
    });
    expect(Object.fromEntries(entries)).toEqual({
      'another card': { kucing: 'anjing', bebek: 'bebek' },
      "the cover's text": { kucing: 'elang' },
      'the schedule': { kucing: 'tupai' },
      'its address': { kucing: 'kucing', bebek: 'bebek' },
      "the cover's file": { kucing: 'domba', bebek: 'bebek' },
    });
  });

  test('counts the covers, whatever their host and size', () => {
    const image = 'https://two.example/2026/12/Kucing-225x318.jpg';
    expect(
      Object.fromEntries(indexCrawl(readPages([kucing, { ...bebek, image }]), undefined).coverCounts),
    ).toEqual({ '2026/12/Kucing.jpg': 2 });
  });

  test('has the anime that the schedule has, but on other days', () => {
    const scheduled: OngoingAnime[] = [
      { ...kucing, day: 'Minggu' },
      { ...bebek, day: 'Minggu' },
      bebek,
      harimau,
    ];
    expect([...indexCrawl(readPages(ANIME, { scheduled }), undefined).otherDays]).toEqual(['kucing']);
  });
});

describe('an index of the last good listing', () => {
  test('is empty without one', () => {
    const { known, knownDays, knownTitles, episodeMoves, misplaced } = indexCrawl(
      readPages(ANIME),
      undefined,
    );
    expect(
      [known, knownDays, knownTitles.keys, episodeMoves, misplaced.titles].map(({ size }) => size),
    ).toEqual([0, 0, 0, 0, 0]);
  });

  test('has the anime, their titles in either part, and their days', () => {
    const scheduled: OngoingAnime[] = [{ ...bebek, title: 'Itik' }, gajah, { ...gajah, day: 'Senin' }];
    const { known, knownDays, knownTitles } = indexCrawl(
      readPages([]),
      listingOf([kucing, bebek], scheduled),
    );
    expect([...known.values()]).toEqual([kucing, bebek]);
    expect(knownDays).toEqual(
      new Map([
        ['bebek', new Set(['Selasa'])],
        ['gajah', new Set(['Senin', 'Kamis'])],
      ]),
    );
    expect(knownTitles.name).toBe('the last good list');
    expect(Object.fromEntries(knownTitles.keys)).toEqual({
      gajah: 'gajah',
      bebek: 'bebek',
      kucing: 'kucing',
    });
  });

  test('has what belonged to other anime, and the changes of episodes', () => {
    const read = readPages([
      { ...kucing, title: bebek.title },
      { ...bebek, episode: 99 },
      { ...harimau, image: gajah.image },
      { ...gajah, image: harimau.image },
    ]);
    const { misplaced, episodeMoves } = indexCrawl(read, listingOf([kucing, bebek, harimau, gajah]));
    expect([...misplaced.titles]).toEqual(['kucing']);
    expect([...misplaced.covers]).toEqual(['harimau', 'gajah']);
    expect([...episodeMoves]).toEqual(['10 to 10', '11 to 99', '12 to 12', '13 to 13']);
    const first = indexCrawl(readPages([{ ...kucing, episode: 11 }, bebek]), listingOf([kucing]));
    expect([...first.episodeMoves]).toEqual(['10 to 11']);
  });
});

test('other days may be right on a tenth of the cards', () => {
  const index = (listed: number, others: number) => {
    const anime = listAnime(listed);
    const scheduled = anime.map((one, at) => (at < others ? { ...one, day: 'Random' as const } : one));
    return indexCrawl(readPages(anime, { scheduled }), undefined);
  };
  expect(mayDaysDiffer(index(10, 1))).toBe(true);
  expect(mayDaysDiffer(index(9, 1))).toBe(false);
  expect(mayDaysDiffer(index(10, 2))).toBe(false);
});
