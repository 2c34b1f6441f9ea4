import { describe, expect, test } from 'vitest';
import { NO_CORRECTIONS } from '../../../src/crawler/guard/corrections.ts';
import { checkProgress, checkSameAge, checkSharedAnime } from '../../../src/crawler/guard/guard-history.ts';
import type { OngoingAnime } from '../../../src/domain/listing.ts';
import type { UnreadableCard } from '../../../src/source/source.ts';
import { listAnime, listingOf, ongoingPage, schedulePage } from '../../support/read-pages.ts';

const ANIME = listAnime(10);
const [kucing, bebek, harimau] = ANIME as [OngoingAnime, OngoingAnime, OngoingAnime];
const UNREADABLE: UnreadableCard = { card: 1, slug: 'kucing', faults: [{ field: 'title', found: '' }] };

/** Thirty anime, of which `change` alters the first ones. */
const thirty = (count = 0, change: (anime: OngoingAnime) => Partial<OngoingAnime> = () => ({})) =>
  [0, 10, 20]
    .flatMap((start) =>
      ANIME.map((one) => ({
        ...one,
        slug: `${one.slug}-${start}`,
        image: `https://one.example/${start}/${one.slug}.jpg`,
      })),
    )
    .map((one, at) => (at < count ? { ...one, ...change(one) } : one));

describe('the check of the age of pages', () => {
  const check = (pages: OngoingAnime[][], again: OngoingAnime[] = []) =>
    checkSameAge({
      pages: pages.map((cards, at) => ongoingPage(at + 1, cards)),
      firstAgain: ongoingPage(1, again),
      schedule: schedulePage([]),
    });
  const older = { ...kucing, episode: 9 };

  test('accepts pages on which no anime falls back', () => {
    expect(() => check([[kucing], [kucing, bebek]], [bebek])).not.toThrow();
    expect(() => check([[kucing], [{ ...kucing, episode: 11 }]])).not.toThrow();
  });

  test('refuses a page, or a second reading of page 1, on which one does', () => {
    expect(() => check([[bebek], [kucing], [harimau, older]])).toThrow(
      'page 3 of the ongoing list is older than page 2 before it: it has episode 9 of "Kucing", not 10',
    );
    expect(() => check([[kucing]], [older])).toThrow(
      'page 1 of the ongoing list is older than page 1 before it',
    );
  });

  test('compares with the first page that has the anime', () => {
    expect(() => check([[older], [kucing]], [older])).not.toThrow();
  });

  test('ignores the episode of another title at the same address', () => {
    expect(() => check([[kucing], [{ ...older, title: 'Lumba' }]])).not.toThrow();
  });

  test('ignores cards that cannot be read', () => {
    const pages = [ongoingPage(1, [UNREADABLE]), ongoingPage(2, [kucing]), ongoingPage(3, [older])];
    const schedule = schedulePage([]);
    const firstAgain = ongoingPage(1, [UNREADABLE]);
    expect(() => checkSameAge({ pages: pages.slice(0, 2), firstAgain, schedule })).not.toThrow();
    expect(() => checkSameAge({ pages, firstAgain, schedule })).toThrow(
      expect.objectContaining({ code: 'source-changed', message: expect.stringContaining('page 3') }),
    );
  });
});

describe('the check of the anime that the schedule and the list share', () => {
  const check = (scheduled: OngoingAnime[], pages: OngoingAnime[][], again: OngoingAnime[] = []) =>
    checkSharedAnime({
      schedule: schedulePage(scheduled),
      pages: pages.map((cards, at) => ongoingPage(at + 1, cards)),
      firstAgain: ongoingPage(1, again),
    });

  test('accepts a quarter of the schedule, on any page of the list', () => {
    const eight = ANIME.slice(0, 8);
    expect(() => check(eight, [[kucing], [bebek]])).not.toThrow();
    expect(() => check(eight, [[kucing]], [bebek])).not.toThrow();
    expect(() => check([], [[kucing]])).not.toThrow();
  });

  test('refuses less', () => {
    const reason = 'the ongoing list has 1 of the 8 anime of the schedule';
    expect(() => check(ANIME.slice(0, 8), [[kucing, { ...bebek, slug: 'lain' }]])).toThrow(reason);
  });

  test('counts an anime on two days once, and a card that cannot be read if it has an address', () => {
    const twice: OngoingAnime[] = [...ANIME.slice(0, 4), { ...bebek, day: 'Random' }];
    expect(() => check(twice, [[kucing]])).not.toThrow();
    const schedule = schedulePage(ANIME.slice(0, 4));
    schedule.groups[0]!.cards.push({ card: 9, faults: [] });
    const unread = ongoingPage(1, [UNREADABLE]);
    expect(() => checkSharedAnime({ schedule, pages: [unread], firstAgain: unread })).not.toThrow();
  });
});

describe('the check of the progress of a list', () => {
  const check = (now: OngoingAnime[], before: OngoingAnime[], confirm = NO_CORRECTIONS.confirm) =>
    checkProgress([ongoingPage(1, now)], listingOf(before), { ...NO_CORRECTIONS, confirm });
  const fall = ({ episode }: OngoingAnime) => ({ episode: episode - 1 });
  const leap = ({ episode }: OngoingAnime) => ({ episode: episode + 21 });
  const redate = () => ({ date: '1 Jan' }) as const;

  test('accepts a list on which nothing has changed, or everything has a new episode and date', () => {
    expect(() => check(ANIME, ANIME)).not.toThrow();
    const next = thirty(30, ({ episode }) => ({ episode: episode + 20, date: '1 Jan' }));
    expect(() => check(next, thirty())).not.toThrow();
    expect(() => check([], ANIME)).not.toThrow();
  });

  test.each([
    ['fallen back: 3 of 10 known anime have a lower episode than in the last good list', fall],
    ['3 of 10 known anime have more than 20 new episodes, for instance 31 of "Kucing", not 10', leap],
    [
      '3 of 10 known anime have another date with the same episode, for instance "1 Jan", not "20 Nov"',
      redate,
    ],
  ])(
    'refuses a list on which more than two anime, or than a tenth of many, have gone wrong: %s',
    (reason, change) => {
      const some = (count: number) => ANIME.map((one, at) => (at < count ? { ...one, ...change(one) } : one));
      expect(() => check(some(3), ANIME)).toThrow(reason);
      expect(() => check(some(2), ANIME)).not.toThrow();
      const lasted = () => true;
      expect(() => check(thirty(4, change), thirty(), lasted)).toThrow('4 of 30 known anime');
      expect(() => check(thirty(3, change), thirty(), lasted)).not.toThrow();
    },
  );

  test('refuses a list on which more than two anime fall back without confirmation', () => {
    const asked: string[][] = [];
    const confirm = (...value: string[]) => asked.push(value) <= 1;
    expect(() => check(thirty(3, fall), thirty(), confirm)).not.toThrow();
    expect(asked).toEqual([
      ['kucing-0', 'episode', '9'],
      ['bebek-0', 'episode', '10'],
      ['harimau-0', 'episode', '11'],
    ]);
    expect(() => check(thirty(3, fall), thirty())).toThrow('fallen back: 3 of 30');
  });

  test('ignores anime that were not known', () => {
    expect(() =>
      check(
        ANIME.map((one) => ({ ...one, ...fall(one) })),
        ANIME.slice(0, 2),
      ),
    ).not.toThrow();
  });

  test('counts each anime once, by its last card, and no card that cannot be read', () => {
    const lower = { ...kucing, ...fall(kucing) };
    expect(() => check([lower, lower, lower], ANIME)).not.toThrow();
    const page = ongoingPage(1, [UNREADABLE, ...ANIME.slice(1)]);
    expect(() => checkProgress([page], listingOf(ANIME), NO_CORRECTIONS)).not.toThrow();
    const seen: string[] = [];
    const confirm = (...[, , value]: string[]) => Boolean(seen.push(value!));
    check([{ ...kucing, episode: 1 }, lower], ANIME, confirm);
    expect(seen).toEqual(['9']);
  });
});

describe('a placeholder', () => {
  const covered = (count: number, total = 10) =>
    ANIME.slice(0, total).map((one, at) =>
      at < count ? { ...one, image: 'https://one.example/x.jpg' } : one,
    );
  const check = (now: OngoingAnime[], before: OngoingAnime[]) =>
    checkProgress([ongoingPage(1, now)], listingOf(before), NO_CORRECTIONS);

  test('may not replace more than half of ten covers or more', () => {
    expect(() => check(covered(6), ANIME)).toThrow('the same cover is on 6 of 10 cards');
    expect(() => check(covered(5), ANIME)).not.toThrow();
    expect(() => check(covered(9, 9), ANIME)).not.toThrow();
  });

  test('is accepted where the last good list had it on more than half', () => {
    expect(() => check(covered(10), covered(6))).not.toThrow();
    expect(() => check(covered(10), covered(5))).toThrow('the same cover is on 10 of 10 cards');
    expect(() => check(covered(10), [])).toThrow('the same cover');
  });

  test('is one cover, whatever its host and size', () => {
    const images = [
      'https://one.example/x.jpg',
      'https://two.example/x.jpg',
      'https://one.example/x-1x2.jpg',
    ];
    const now = ANIME.map((one, at) => ({ ...one, image: images[at % 3]! }));
    expect(() => check(now, ANIME)).toThrow('the same cover is on 10 of 10 cards');
  });
});
