import { describe, expect, test } from 'vitest';
import type { KnownAnime } from '../../src/source/repair/page-model.ts';
import { createRepairingReader } from '../../src/source/repair/repairing-reader.ts';
import { otakudesu } from '../../src/source/sites/otakudesu/site.ts';
import { listFixtures, readFixture } from '../support/fixtures.ts';
import { edited, renameClasses } from './change.ts';

const PAGE_URL = 'https://otakudesu.example/ongoing-anime/';
const MEMORY = { lastGood: { ongoing: [], schedule: [] }, repairs: [], mayRepair: true };

/** The fixtures with enough readable cards, and none that is not. */
const FIXTURES = listFixtures('otakudesu')
  .filter(({ page }) => page !== 'anime')
  .flatMap((fixture) => {
    const { html, expected } = readFixture('otakudesu', fixture);
    const model = fixture.page === 'schedule' ? otakudesu.schedule : otakudesu.ongoing;
    // The pair of a fixture is what its parser returns, so each is counted by its own model.
    const { records, unreadable } = model.count(expected as never);
    return records.length >= 3 && unreadable === 0 ? [{ ...fixture, html, expected, records }] : [];
  });

test('there are fixtures of both pages', () => {
  expect(new Set(FIXTURES.map(({ page }) => page))).toEqual(new Set(['ongoing', 'schedule']));
});

describe.each(FIXTURES)(
  'the $page page, $why, with all classes renamed',
  ({ page, html, expected, records }) => {
    test('yields the records of the file beside it', () => {
      const model = page === 'schedule' ? otakudesu.schedule : otakudesu.ongoing;
      const known = new Map(records.map((record): [string, KnownAnime] => [record.slug, record]));
      // Only the records are compared, whatever the type of the page.
      const reader = createRepairingReader<unknown>({ ...model, knownFrom: () => known } as never, MEMORY);
      const renamed = edited(html, '', ($) => renameClasses($, () => true));
      expect(reader.read(renamed, PAGE_URL, 1)).toEqual(expected);
      expect(reader.chosen()).toBe('repaired');
    });
  },
);
