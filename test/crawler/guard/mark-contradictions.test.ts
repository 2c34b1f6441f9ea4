import { expect, test } from 'vitest';
import { createCorrections, NO_CORRECTIONS } from '../../../src/crawler/guard/corrections.ts';
import type { ReadPages } from '../../../src/crawler/guard/crawl-index.ts';
import { markContradictions } from '../../../src/crawler/guard/mark-contradictions.ts';
import type { Listing, OngoingAnime } from '../../../src/domain/listing.ts';
import { isUnreadable, type UnreadableCard } from '../../../src/source/source.ts';
import {
  exchange,
  listAnime,
  listingOf,
  ongoingPage,
  readPages,
  schedulePage,
} from '../../support/read-pages.ts';

const ANIME = listAnime(10);
const TITLES = ANIME.map(({ title }) => title);
const UNREADABLE: UnreadableCard = { card: 2, faults: [{ field: 'day', found: 'Entah' }] };

const mark = (read: ReadPages, lastGood?: Listing, corrections = NO_CORRECTIONS) =>
  markContradictions(read, lastGood, corrections);

test('pages without a contradiction stay as they are', () => {
  const read = { ...readPages(ANIME.with(1, ANIME[1]!), { alts: TITLES }), more: 'kept' };
  expect(markContradictions(read, listingOf(ANIME), NO_CORRECTIONS)).toEqual(read);
});

test('a card that contradicts the others is marked on each reading, with its position and address', () => {
  const cards = exchange(ANIME, [2, 5], 'title');
  const marked = mark({
    ...readPages(cards, { alts: TITLES, scheduled: ANIME }),
    firstAgain: ongoingPage(1, [cards[5]!, ANIME[0]!], [TITLES[5]!, TITLES[0]!]),
  });
  const against = "the cover's text";
  const fault = (found: string) => [{ field: 'title', found, against }];
  expect(marked.pages[0]?.cards.filter(isUnreadable)).toEqual([
    { card: 3, slug: 'harimau', faults: fault('Merpati') },
    { card: 6, slug: 'merpati', faults: fault('Harimau') },
  ]);
  expect(marked.firstAgain.cards).toEqual([{ card: 1, slug: 'merpati', faults: fault('Harimau') }, ANIME[0]]);
});

test('an entry of the schedule that contradicts the list is marked in its group', () => {
  const scheduled = ANIME.with(1, { ...ANIME[1]!, title: 'Lumba' });
  const { schedule } = mark(readPages(ANIME, { scheduled }));
  expect(schedule).toEqual({
    ...schedulePage(scheduled),
    groups: schedulePage(scheduled).groups.with(1, {
      day: 'Selasa',
      cards: [
        {
          card: 1,
          slug: 'bebek',
          faults: [{ field: 'title', found: 'Lumba', against: 'the ongoing list' }],
        },
      ],
    }),
  });
});

test('an entry is compared with the day of its group', () => {
  const scheduled = ANIME.with(1, { ...ANIME[1]!, day: 'Random' });
  const { schedule } = mark(readPages(ANIME, { scheduled }));
  expect(schedule.groups.at(-1)?.cards).toContainEqual({
    card: 1,
    slug: 'bebek',
    faults: [{ field: 'day', found: 'Random', against: 'the ongoing list' }],
  });
});

test('cards that cannot be read stay as they are', () => {
  const read = readPages([ANIME[0]!, UNREADABLE, ANIME[2]!], { alts: ['Kucing', 'Kucing', 'Harimau'] });
  read.schedule.groups[0]!.cards.push(UNREADABLE);
  expect(mark(read)).toEqual(read);
});

test('the text of each cover is compared with the card at its position', () => {
  const unreadable = { ...UNREADABLE, card: 1 };
  const cards = [unreadable, ANIME[0]!, ANIME[2]!];
  const { pages } = mark(readPages(cards, { alts: ['', 'Harimau', 'Kucing'], scheduled: [] }));
  expect(pages[0]?.cards).toMatchObject([
    { card: 1 },
    { card: 2, faults: [{ field: 'title', found: 'Kucing' }] },
    { card: 3, faults: [{ field: 'title', found: 'Harimau' }] },
  ]);
});

test('a cover that two cards share contradicts none of them where it has no text', () => {
  const read = readPages(ANIME.with(0, { ...ANIME[0]!, image: ANIME[1]!.image }));
  expect(mark(read)).toEqual(read);
});

/** The titles of the first anime change, on all pages. */
const renamed = (count: number): OngoingAnime[] =>
  ANIME.map((one, at) =>
    at < count ? { ...one, title: `${TITLES.at(-1 - at)} ${TITLES.at(-4 - at)} Baru` } : one,
  );

test('two new titles that all pages agree on are accepted at once', () => {
  const read = readPages(renamed(2), { alts: renamed(2).map(({ title }) => title) });
  expect(mark(read, listingOf(ANIME))).toEqual(read);
});

test('more new titles are marked until enough crawls confirm them, although all pages agree on them', () => {
  const cards = renamed(3);
  const read = readPages(cards, { alts: cards.map(({ title }) => title) });
  const marked = mark(read, listingOf(ANIME));
  expect(marked.pages[0]?.cards.filter(isUnreadable)).toEqual(
    cards.slice(0, 3).map(({ slug, title }, at) => ({
      card: at + 1,
      slug,
      faults: [{ field: 'title', found: title, against: 'the last good list' }],
    })),
  );
  expect(mark(read)).toEqual(read);
  const asked: string[][] = [];
  const confirm = (...value: string[]) => Boolean(asked.push(value));
  expect(mark(read, listingOf(ANIME), { ...NO_CORRECTIONS, confirm })).toEqual(read);
  expect(asked[0]).toEqual(['kucing', 'title', 'tupaikijangbaru']);
});

test('many titles in another spelling are accepted at once', () => {
  const cards = ANIME.map((one) => ({ ...one, title: `${one.title}s!` }));
  const read = readPages(cards);
  expect(mark(read, listingOf(ANIME))).toEqual(read);
});

test('the corrections know that the pages were compared', () => {
  const before = [{ slug: 'kucing', field: 'title', value: 'lumba', firstSeenAt: 0, crawls: 1 }];
  const corrections = createCorrections(before, 1);
  mark(readPages(ANIME), undefined, corrections);
  expect(corrections.list()).toEqual([]);
});
