import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { createCorrections } from '../../src/crawler/guard/corrections.ts';
import { markContradictions } from '../../src/crawler/guard/mark-contradictions.ts';
import type { OngoingAnime } from '../../src/domain/listing.ts';
import { parseOngoing } from '../../src/source/sites/otakudesu/ongoing-page.ts';
import { parseSchedule } from '../../src/source/sites/otakudesu/schedule-page.ts';
import { isReadable, isUnreadable } from '../../src/source/source.ts';

const FOLDER = process.env.SOURCE_PAGES_DIR ?? '';
const LIST = path.join(FOLDER, '2026-02-11-ongoing-page-1.html');
const WEEK = path.join(FOLDER, '2026-02-11-schedule.html');
const PAGE_URL = 'https://otakudesu.example/ongoing-anime/';

function readCaptures(lie: (anime: OngoingAnime[]) => OngoingAnime[]) {
  const page = parseOngoing(readFileSync(LIST, 'utf8'), PAGE_URL);
  const lying = { ...page, cards: lie(page.cards.filter(isReadable)) };
  const schedule = parseSchedule(readFileSync(WEEK, 'utf8'), PAGE_URL);
  return { schedule, pages: [lying], firstAgain: lying };
}

/** Counts the cards and entries that are marked unreadable at the first crawl. */
function countDoubted(lie: (anime: OngoingAnime[]) => OngoingAnime[]) {
  const { pages, schedule } = markContradictions(readCaptures(lie), undefined, createCorrections([], 0));
  const entries = schedule.groups.flatMap(({ cards }) => cards);
  return {
    cards: pages.flatMap(({ cards }) => cards).filter(isUnreadable).length,
    entries: entries.filter(isUnreadable).length,
  };
}

const shift = (field: 'title' | 'slug' | 'image' | 'day') => (anime: OngoingAnime[]) =>
  anime.map((one, index) => ({ ...one, [field]: anime.at(index - 1)?.[field] ?? '' }));

describe.skipIf(![LIST, WEEK].every(existsSync))('the captures of 2026-02-11', () => {
  test('have no contradictions', () => {
    expect(countDoubted((anime) => anime)).toEqual({ cards: 0, entries: 0 });
  });

  test.each(['title', 'slug', 'day'] as const)('have contradictions when each %s is shifted', (field) => {
    expect(countDoubted(shift(field)).cards).toBeGreaterThan(5);
  });
});
