import { expect, test } from 'vitest';
import type { AnimeRecord } from '../../src/domain/anime-record.ts';
import { searchTextOf, squeeze } from '../../src/publishing/search-text.ts';

const RECORD = {
  title: 'Übermorgen – Oshi no Ko: Season 2',
  slug: 'ubermorgen-onk-sub-indo',
  details: { japanese: '推しの子 ガガ' },
  medium: { english: 'My Star' },
} as unknown as AnimeRecord;

test.each([
  'übermorgen',
  'UBERMORGEN',
  'oshinoko',
  'Oshi-no-Ko',
  'uonks2',
  'onk',
  '推しの子',
  'ガガ',
  'my star',
  'MYSTAR',
])('an anime is found by its titles, its initials and its slug: %s', (search) =>
  expect(searchTextOf(RECORD)).toContain(squeeze(search)),
);

test.each(['subindo', 'nokoseason3', 'season2ubermorgen'])('and not by what they do not say: %s', (search) =>
  expect(searchTextOf(RECORD)).not.toContain(squeeze(search)),
);

test('of an anime whose page was not read has its title and its slug', () => {
  const text = searchTextOf({ ...RECORD, details: null, medium: null });
  expect(text.split('\n').filter(Boolean)).toEqual(['ubermorgenoshinokoseason2', 'uonks2', 'ubermorgenonk']);
});
