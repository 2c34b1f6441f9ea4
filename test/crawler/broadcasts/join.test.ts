import { describe, expect, test } from 'vitest';
import { joinMedia } from '../../../src/belief/expectations/join.ts';
import type { Medium } from '../../../src/domain/broadcast.ts';
import { listingOf, makeAnime, makeAnimePage } from '../../support/fake-source.ts';
import PAIRS from './pairs.json' with { type: 'json' };

const NAMELESS: Medium = {
  id: 0,
  idMal: null,
  romaji: null,
  english: null,
  native: null,
  synonyms: [],
  broadcasts: [],
};

/** Titles as the source writes them in the winter of 2026, and as a calendar of broadcasts does; null where only that one has them. */
const WINTER = PAIRS.map(([, romaji = null, english = null], index) => ({
  ...NAMELESS,
  id: index + 1,
  romaji,
  english,
}));

/** An anime by its title, or with its Japanese one, too. */
type Named = string | { title: string; japanese: string };

function join(anime: Named[], media: Partial<Medium>[]): (number | undefined)[] {
  const named = anime.map((one, index) => {
    const { title, japanese } = typeof one === 'string' ? { title: one, japanese: null } : one;
    return { ...makeAnime(index), title, japanese };
  });
  const details = named.map(({ slug, japanese }) => {
    const { details } = makeAnimePage(undefined);
    return [slug, { details: { ...details, japanese }, readAt: 0, episode: 1, stale: 0 }] as const;
  });
  const joined = joinMedia(
    { ...listingOf(named, []), details: Object.fromEntries(details) },
    media.map((one, index) => ({ ...NAMELESS, id: index + 1, ...one })),
  );
  return named.map(({ slug }) => joined.get(slug)?.id);
}

test('every anime of a real week is joined to its medium, and none to another', () => {
  const titles = PAIRS.map(([title]) => title).filter((title) => title !== null && title !== undefined);
  expect(join(titles, WINTER)).toEqual(titles.map((_, index) => index + 1));
});

describe('an anime is joined', () => {
  test.each<[string, Named, Partial<Medium>]>([
    [
      'by its Japanese title, whatever the others are',
      { title: 'Hyakkano', japanese: '君のことが大大大大大好きな100人の彼女' },
      { romaji: 'Kimi no Koto', native: '君のことが大大大大大好きな１００人の彼女' },
    ],
    ['by its English title', 'Kucing dan Kebun', { romaji: 'Neko to Niwa', english: 'Kucing dan Kebun' }],
    ['by a synonym', 'Hyakkano', { romaji: 'Kimi no Koto', synonyms: ['HYAKKANO'] }],
    ['whatever the spelling of the season', 'Neko S2', { romaji: 'Neko 2nd Season' }],
    ['by a Roman numeral', 'Overlord IV', { romaji: 'Overlord Season 4' }],
    ['by a number at the end', 'Gintama2', { romaji: 'Gintama: Season 2' }],
    ['whatever the spelling of the part', 'Neko Part 2', { romaji: 'Neko 2nd Cour' }],
    ['whatever its accents and long vowels', 'Yuusha Nube', { romaji: 'Yūsha Nūbē' }],
    ['where its title goes on', 'Hell Mode', { romaji: 'Hell Mode: Yarikomizuki no Gamer' }],
    [
      'where the season is only in the Japanese title',
      'Neko Season 3',
      { romaji: 'Neko', native: '猫 第三期' },
    ],
  ])('%s', (_, anime, medium) => {
    expect(join([anime], [medium])).toEqual([1]);
  });
});

describe('an anime is not joined', () => {
  test.each<[string, Named, Partial<Medium>[]]>([
    ['to another season', 'Neko to Niwa Season 2', [{ romaji: 'Neko to Niwa' }]],
    ['to a later season under its own name', 'Neko to Niwa', [{ romaji: 'Neko to Niwa 2nd Season' }]],
    [
      'to a later season that has a sloppy synonym',
      'Neko to Niwa',
      [{ romaji: 'Neko to Niwa II', synonyms: ['Neko to Niwa'] }],
    ],
    ['to another part', 'Neko to Niwa', [{ romaji: 'Neko to Niwa Part 2' }]],
    ['by a beginning of five letters', 'Nekon', [{ romaji: 'Nekonabe no Heya' }]],
    ['by the beginning of a synonym', 'Nekonabe', [{ romaji: 'Heya', synonyms: ['Nekonabe no Heya'] }]],
    [
      'by a beginning that two media have',
      'Kimetsu no',
      [{ romaji: 'Kimetsu no A' }, { romaji: 'Kimetsu no B' }],
    ],
    ['where two media have its title', 'Kimetsu', [{ romaji: 'Kimetsu' }, { english: 'Kimetsu!' }]],
    ['by a word of its title', 'Golden Kamuy Season 5', [{ romaji: 'Golden Kamuy: Saishuushou' }]],
    ['to a medium without titles', 'Neko', [{}]],
    ['to a medium whose titles have no letters', '∞', [{ romaji: '☆' }]],
  ])('%s', (_, anime, media) => {
    expect(join([anime], media)).toEqual([undefined]);
  });

  test('to a medium that another anime means by the same rule: then neither is', () => {
    expect(join(['Neko to Niwa', 'Neko to Niwa!'], [{ romaji: 'Neko to Niwa' }])).toEqual([
      undefined,
      undefined,
    ]);
  });

  test('to a medium that another anime means by a surer rule', () => {
    const anime = ['Neko to Niwa', 'Neko to Niwa Gaiden'];
    expect(join(anime, [{ romaji: 'Neko to Niwa' }])).toEqual([1, undefined]);
  });
});
