import { describe, expect, test } from 'vitest';
import {
  checkConsistent,
  checkFamiliar,
  checkNotEmpty,
  checkOngoingPage,
  checkPager,
  checkReadablePages,
  checkSchedulePage,
  checkSize,
} from '../../../src/crawler/guard/guard.ts';
import type { OngoingAnime } from '../../../src/domain/listing.ts';
import type { Card, CardFault, UnreadableCard } from '../../../src/source/source.ts';
import { makeAnime } from '../../support/fake-source.ts';
import { listAnime, listingOf, ongoingPage, readPages, schedulePage } from '../../support/read-pages.ts';

const anime = (count: number) => Array.from({ length: count }, (_, index) => makeAnime(index + 1));
const unreadable = (...faults: CardFault[]): UnreadableCard => ({ card: 1, faults });

/** The first `count` of these cards, each with the same faults. */
const withFaults = (count: number, total: number, ...faults: CardFault[]): Card<OngoingAnime>[] =>
  anime(total).map((one, at) => (at < count ? unreadable(...faults) : one));

const MISSING: CardFault = { field: 'title', found: '', missing: '.jdlflm' };
const STRANGE: CardFault = { field: 'day', found: 'Entah' };

test('every refusal has the code of a changed source', () => {
  expect(() => checkSchedulePage({ groups: [], linked: [] }, true)).toThrow(
    expect.objectContaining({ code: 'source-changed' }),
  );
});

describe('the schedule', () => {
  test('may not be empty, also with force', () => {
    const groups = schedulePage([]);
    expect(() => checkSchedulePage(groups, false)).toThrow('the schedule is empty');
    expect(() => checkSchedulePage(groups, true)).toThrow('the schedule is empty');
  });

  test('is refused without force when more than a tenth of all its entries cannot be read', () => {
    const page = schedulePage(anime(18));
    page.groups[0]!.cards.push(unreadable(STRANGE), unreadable(STRANGE));
    expect(() => checkSchedulePage(page, false)).not.toThrow();
    page.groups[1]!.cards.push(unreadable(STRANGE));
    expect(() => checkSchedulePage(page, false)).toThrow(
      'the schedule cannot be read: day is unreadable on 3 of 21 cards, for instance "Entah"',
    );
    expect(() => checkSchedulePage(page, true)).not.toThrow();
  });
});

describe('the cards of the list', () => {
  const check = (cards: Card<OngoingAnime>[], force = false) =>
    checkReadablePages([ongoingPage(1, cards.slice(0, 10)), ongoingPage(2, cards.slice(10))], force);

  test('are refused without force when more than a tenth of all of them cannot be read', () => {
    expect(() => check(withFaults(2, 20, MISSING))).not.toThrow();
    expect(() => check(withFaults(3, 20, MISSING))).toThrow(
      'the ongoing list cannot be read: title is missing on 3 of 20 cards: .jdlflm is probably renamed',
    );
    expect(() => check(withFaults(3, 20, MISSING), true)).not.toThrow();
  });

  test('have a renamed selector when it is missing on more than half of those with the fault', () => {
    const odd = { field: 'title', found: '?' };
    expect(() => check([...withFaults(2, 2, odd), ...withFaults(3, 3, MISSING)])).toThrow(
      /title is missing on 3 of 5 cards: \.jdlflm is probably renamed$/u,
    );
    expect(() => check([...withFaults(2, 2, odd), ...withFaults(2, 3, MISSING)])).toThrow(
      /title is unreadable on 4 of 5 cards, for instance "\?"$/u,
    );
  });

  test('are described field by field', () => {
    expect(() => check(withFaults(3, 20, MISSING, STRANGE))).toThrow(
      'title is missing on 3 of 20 cards: .jdlflm is probably renamed; day is unreadable on 3 of 20 cards',
    );
  });
});

describe('a page of the list', () => {
  const first = { ...ongoingPage(1, anime(25)), lastNumber: 3 };
  const page = (number: number, cards: number) => ({ ...ongoingPage(number, anime(cards)), lastNumber: 3 });

  test('is accepted when it is full, or when it is the last', () => {
    for (const [number, cards] of [
      [1, 25],
      [2, 25],
      [3, 1],
    ] as const)
      expect(() => checkOngoingPage(page(number, cards), number, first, false)).not.toThrow();
  });

  test('is refused when it is not the requested one, also with force', () => {
    expect(() => checkOngoingPage(page(3, 25), 2, first, true)).toThrow(
      'page 2 of the ongoing list was requested, but page 3 was sent',
    );
  });

  test('is refused when it is empty, also with force', () => {
    expect(() => checkOngoingPage(page(2, 0), 2, first, true)).toThrow(
      /^page 2 of the ongoing list has no cards although the pager goes to 3$/u,
    );
    expect(() => checkOngoingPage(page(1, 0), 1, first, true)).toThrow(
      /^page 1 of the ongoing list has no cards$/u,
    );
  });

  test('is refused without force when it is shorter than page 1, but not the last', () => {
    expect(() => checkOngoingPage(page(2, 24), 2, first, false)).toThrow(
      'page 2 of the ongoing list has 24 cards although it is not the last and page 1 has 25',
    );
    expect(() => checkOngoingPage(page(2, 24), 2, first, true)).not.toThrow();
  });

  test('is refused without force when it is longer than page 1', () => {
    expect(() => checkOngoingPage(page(3, 26), 3, first, false)).toThrow(
      'page 3 of the ongoing list has 26 cards, more than page 1 with 25',
    );
    expect(() => checkOngoingPage(page(3, 26), 3, first, true)).not.toThrow();
  });
});

describe('a list of one full page', () => {
  const check = (cards: number, scheduled: number, force = false) =>
    checkPager([ongoingPage(1, anime(cards))], schedulePage(anime(scheduled)), force);

  test('has lost its pager when the schedule has more anime', () => {
    expect(() => check(25, 26)).toThrow(
      'the ongoing list has 25 cards and no pager although the schedule has 26 anime: its pager has probably been renamed',
    );
    expect(() => check(25, 26, true)).not.toThrow();
  });

  test('is complete when the schedule has no more anime, or the page is not full', () => {
    expect(() => check(25, 25)).not.toThrow();
    expect(() => check(24, 26)).not.toThrow();
    expect(() => check(0, 26)).not.toThrow();
  });

  test('is not meant when there is another page, or when an anime is scheduled twice', () => {
    const pages = [ongoingPage(1, anime(25)), ongoingPage(2, anime(1))];
    expect(() => checkPager(pages, schedulePage(anime(40)), false)).not.toThrow();
    const twice = schedulePage([...anime(25), { ...makeAnime(1), day: 'Random' }]);
    expect(() => checkPager([ongoingPage(1, anime(25))], twice, false)).not.toThrow();
  });
});

describe('pages are refused when more than a tenth of one of them contradicts what is known', () => {
  const against = (field: string, found: string): CardFault => ({ field, found, against: 'the schedule' });

  test('on all pages of the list together', () => {
    const check = (count: number, ...faults: CardFault[]) =>
      checkConsistent({
        ...readPages([]),
        pages: [ongoingPage(1, withFaults(count, 10, ...faults)), ongoingPage(2, anime(10))],
      });
    expect(() => check(2, against('title', 'A'))).not.toThrow();
    expect(() => check(3, against('title', 'A'))).toThrow(
      'the ongoing list contradicts what is known: title differs on 3 of 20 cards: for instance, "A" contradicts the schedule',
    );
    expect(() => check(3, against('title', 'A'), against('day', 'B'))).toThrow(
      /contradicts the schedule; day differs on 3 of 20 cards: for instance, "B"/u,
    );
    expect(() => check(10, MISSING, STRANGE)).not.toThrow();
  });

  test('on the schedule', () => {
    const read = readPages(anime(8));
    read.schedule.groups[0]!.cards.push(unreadable(against('day', 'Senin')));
    expect(() => checkConsistent(read)).toThrow(
      'the schedule contradicts what is known: day differs on 1 of 9 cards',
    );
    read.schedule.groups[1]!.cards.push(makeAnime(9));
    expect(() => checkConsistent(read)).not.toThrow();
  });
});

describe('a host that is not configured', () => {
  const before = listAnime(4);
  const check = (
    pages: OngoingAnime[][],
    lastGood = listingOf(before) as Parameters<typeof checkFamiliar>[2],
  ) =>
    checkFamiliar(
      'https://new.example',
      pages.map((cards, at) => ongoingPage(at + 1, cards)),
      lastGood,
    );

  test('is trusted when half of its anime are in the last good list', () => {
    expect(() => check([before.slice(0, 2), anime(2)])).not.toThrow();
  });

  test('is not trusted when fewer are, or when there is no last good list', () => {
    const reason =
      "the source redirects to https://new.example, where 2 of 5 anime are known, too few to trust it. If it is the site's new address, add it to SOURCE_URLS";
    expect(() => check([before.slice(0, 2), anime(3)])).toThrow(
      expect.objectContaining({ code: 'source-moved', message: reason }),
    );
    expect(() => checkFamiliar('https://new.example', [ongoingPage(1, before)], undefined)).toThrow(
      'where 0 of 4 anime are known',
    );
  });

  test('is judged by each address once, and a card without an address is not known', () => {
    expect(() => check([before.slice(0, 2), anime(2), anime(2)])).not.toThrow();
    const cards = [...before.slice(0, 1), unreadable(MISSING), ...anime(1)];
    expect(() => checkFamiliar('https://new.example', [ongoingPage(1, cards)], listingOf(before))).toThrow(
      'where 1 of 3 anime are known',
    );
  });
});

test('a listing of more anime than are plausible is refused', () => {
  const many = anime(2_501);
  expect(() => checkSize(listingOf(many.slice(1), []))).not.toThrow();
  expect(() => checkSize(listingOf(many, []))).toThrow('lists 2501 anime, more than the 2500');
  expect(() => checkSize(listingOf(many.slice(1), many.slice(0, 2)))).toThrow('lists 2501 anime');
});

test('a listing with an empty part is refused', () => {
  expect(() => checkNotEmpty(listingOf([], listAnime(1)))).toThrow('nothing of the ongoing list can be read');
  expect(() => checkNotEmpty(listingOf(listAnime(1), []))).toThrow('nothing of the schedule can be read');
  expect(() => checkNotEmpty(listingOf(listAnime(1)))).not.toThrow();
});
