import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { AppError } from '../../../src/domain/errors.ts';
import { DAYS, type OngoingDay } from '../../../src/domain/listing.ts';
import { MONTHS } from '../../../src/domain/source-date.ts';
import { parseAnime } from '../../../src/source/sites/otakudesu/anime-page.ts';
import { isReadable } from '../../../src/source/source.ts';
import { validatePage } from '../../../src/source/validate-page.ts';
import { parseOngoing, parseSchedule } from '../../support/parse-pages.ts';
import { fetchedPage } from '../support/fetched-page.ts';
import { refusal } from '../support/refusal.ts';

/** Captures of the real site are not part of the project. The name of each file says what page it is. */
const FOLDER = process.env.SOURCE_PAGES_DIR;
const NAMES = FOLDER ? readdirSync(FOLDER).filter((name) => name.endsWith('.html')) : [];
const FOREIGN = NAMES.filter((name) => name.includes('not-the-site'));
const GENUINE = NAMES.filter((name) => !FOREIGN.includes(name));
const PAGE_URL = 'https://otakudesu.example/ongoing-anime/';

const SLUG = /^(?:[a-z0-9-]|%[0-9a-f]{2})+$/u;
const TITLE = /^\S(?:.*\S)?$/u;
const DAY_WORDS: readonly OngoingDay[] = [...DAYS, 'None'];

const named = (part: string) => GENUINE.filter((name) => name.includes(part));
const bytesOf = (name: string) => readFileSync(path.join(FOLDER ?? '', name));
const ongoing = (html: string) => recogniseAnd(parseOngoing, html);
const schedule = (html: string) => recogniseAnd(parseSchedule, html);

function recogniseAnd<Parsed>(parse: (html: string, pageUrl: string) => Parsed, html: string): Parsed {
  return validatePage(fetchedPage(html), () => parse(html, PAGE_URL));
}

describe.skipIf(!FOLDER)('captured pages (skipped unless SOURCE_PAGES_DIR names a folder of them)', () => {
  test('the folder contains captures', () => {
    expect(NAMES).not.toEqual([]);
  });

  test.each(named('ongoing'))('%s: every card of the list is readable', (name) => {
    const page = ongoing(bytesOf(name).toString());
    expect(page.cards).not.toEqual([]);
    expect(page.lastNumber).toBeGreaterThanOrEqual(page.number);
    for (const card of page.cards) {
      expect(card).toStrictEqual({
        title: expect.stringMatching(TITLE),
        episode: expect.toSatisfy(Number.isSafeInteger),
        day: expect.toBeOneOf([...DAY_WORDS]),
        date: expect.stringMatching(new RegExp(`^(?:[1-9]|[12]\\d|3[01]) (?:${MONTHS.join('|')})$`, 'u')),
        image: expect.stringMatching(/^https?:\/\/[^/]+\/\S+$/u),
        slug: expect.stringMatching(SLUG),
      });
    }
  });

  test.each(named('schedule'))('%s: there are eight groups in order, and every entry is readable', (name) => {
    const { groups } = schedule(bytesOf(name).toString());
    expect(groups.map(({ day }) => day)).toEqual(DAYS);
    for (const card of groups.flatMap(({ cards }) => cards)) {
      const entry = { title: expect.stringMatching(TITLE), slug: expect.stringMatching(SLUG) };
      expect(card).toStrictEqual(entry);
    }
  });

  test.each(named('anime-page'))('%s: the facts, the time and every episode are readable', (name) => {
    const { titles, publishedAt, episodes, details } = recogniseAnd(parseAnime, bytesOf(name).toString());
    expect(titles[0]).toMatch(TITLE);
    expect(episodes).not.toEqual([]);
    for (const { episode, date } of episodes) {
      expect(episode).toSatisfy(Number.isSafeInteger);
      expect(date).toMatch(/^20\d\d-\d\d-\d\d$/u);
    }
    if (details.status === 'ongoing') expect(publishedAt).toSatisfy(Number.isSafeInteger);
    expect(details).toMatchObject({
      japanese: expect.stringMatching(TITLE),
      type: expect.stringMatching(TITLE),
      status: expect.toBeOneOf(['ongoing', 'completed']),
      startedOn: expect.stringMatching(/^\d{4}-\d\d-\d\d$/u),
      minutes: expect.toSatisfy((minutes: number | null) => minutes === null || minutes > 0),
    });
    expect([details.genres, details.studios]).not.toContainEqual([]);
  });

  test.each(named('episode-page'))('%s: the page of an episode is not that of an anime', (name) => {
    expect(() => recogniseAnd(parseAnime, bytesOf(name).toString())).toThrow(
      refusal('source-moved', /facts/u),
    );
  });

  test.each(named('front-page'))('%s: a page with two lists is not read as the ongoing list', (name) => {
    expect(() => ongoing(bytesOf(name).toString())).toThrow(refusal('source-changed', /2 lists/u));
  });

  test.each(named('pager'))('%s: an archive with a pager and no list is refused', (name) => {
    expect(() => ongoing(bytesOf(name).toString())).toThrow(refusal('source-moved', /neither a list/u));
  });

  test.each(FOREIGN)('%s: a page of another site is refused with the reason', (name) => {
    const expected = name.includes('challenge')
      ? refusal('source-blocked', /challenge/u)
      : refusal('source-moved', /not the site's.*titled ".+"/u);
    const html = bytesOf(name).toString();
    expect(() => ongoing(html)).toThrow(expected);
    expect(() => schedule(html)).toThrow(expected);
  });
});

const LIST = '2026-02-11-ongoing-page-1.html';
const WEEK = '2026-02-11-schedule.html';

describe.skipIf(![LIST, WEEK].every((name) => NAMES.includes(name)))('the captures of 2026-02-11', () => {
  test('page 1 of 6 has 25 cards', () => {
    const page = ongoing(bytesOf(LIST).toString());
    expect(page).toMatchObject({ number: 1, lastNumber: 6, cards: { length: 25 } });
  });

  test('the schedule has 53 entries', () => {
    expect(schedule(bytesOf(WEEK).toString()).groups.flatMap(({ cards }) => cards)).toHaveLength(53);
  });

  test('every anime of page 1 that has a day is in the schedule, on that day and under that slug', () => {
    const { groups } = schedule(bytesOf(WEEK).toString());
    const dayOf = new Map(groups.flatMap(({ day, cards }) => cards.map(({ slug }) => [slug, day])));
    const withDay = ongoing(bytesOf(LIST).toString())
      .cards.filter(isReadable)
      .filter(({ day }) => day !== 'None');
    expect(withDay).not.toEqual([]);
    expect(withDay.map(({ slug }) => [slug, dayOf.get(slug)])).toEqual(
      withDay.map(({ slug, day }) => [slug, day]),
    );
  });

  test.each([
    [LIST, ongoing],
    [WEEK, schedule],
  ])('%s: a page that is truncated anywhere is refused as cut off', (name, read) => {
    const bytes = bytesOf(name);
    const end = bytes.indexOf('</html>') + '</html>'.length;
    const steps = Array.from({ length: Math.ceil(end / 101) }, (_, step) => step * 101);
    const lastOnes = Array.from({ length: 200 }, (_, left) => end - 1 - left);
    const outcomes = [...steps, ...lastOnes].map((cut) => [cut, tryTo(() => read(decode(bytes, cut)))]);
    expect(outcomes.filter(([, outcome]) => outcome !== 'source-down')).toEqual([]);
    expect(tryTo(() => read(decode(bytes, end)))).toBe('read');
  });
});

function decode(bytes: Buffer, end: number): string {
  return new TextDecoder().decode(bytes.subarray(0, end));
}

function tryTo(read: () => unknown): string {
  try {
    read();
    return 'read';
  } catch (error) {
    return error instanceof AppError ? error.code : String(error);
  }
}
