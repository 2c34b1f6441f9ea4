import { expect, test } from 'vitest';
import type { AnimeRecord } from '../../src/domain/anime-record.ts';
import { renderAnimePage } from '../../src/pages/anime-page.ts';
import { createTimes } from '../../src/pages/formats.ts';
import { TRANSLATIONS } from '../../src/pages/i18n/translations.ts';
import { SHOWN_AT, sourceIn } from '../support/situations.ts';

const texts = TRANSLATIONS.en;
const { noEpisodes, hasEnded, notListed } = texts.anime;

const RECORD: AnimeRecord = {
  ...{ title: 'Menara', slug: 'menara', link: 'https://source.example/anime/menara/', day: 'Kamis' },
  ...{
    scheduledDay: null,
    leftAt: null,
    next: null,
    medium: null,
    details: null,
    printed: null,
    assumed: [],
    episodes: [],
    unnumbered: [],
  },
  ...{ hasEnded: false, isQuiet: false, image: null, cover: null },
  ongoing: { slug: 'menara', title: 'Menara', episode: 12, date: '12 Nov', day: 'Kamis' } as never,
};

function render(more: Partial<AnimeRecord>): string {
  const times = createTimes(texts.locale, 'Asia/Jakarta');
  const context = {
    texts,
    times,
    url: 'https://tayang.example',
    coverOrigins: [],
    renamed: new Map(),
    status: sourceIn('usual'),
  };
  return renderAnimePage(context as never, { ...RECORD, ...more });
}

test('an anime whose history is not known shows its newest episode there, and does not say that there is none', () => {
  expect(render({})).toContain('<b>Episode 12</b> <span>12 Nov</span></li>');
  expect(render({})).not.toContain(noEpisodes);
});

test('one that has ended expects nothing, whatever is known of it', () => {
  const gone = { hasEnded: true, isQuiet: true, leftAt: SHOWN_AT };
  const episodes = [{ episode: 12, seenAt: SHOWN_AT - 86_400_000 }] as AnimeRecord['episodes'];
  for (const known of [{}, { episodes }, { ongoing: null, episodes }, { ongoing: null }]) {
    const page = render({ ...gone, ...known });
    expect(page).toContain(hasEnded);
    for (const text of [noEpisodes, 'time not known yet', 'By the schedule', 'class="countdown'])
      expect(page).not.toContain(text);
    expect(page.includes(notListed)).toBe(false);
  }
});

test('one of which only the slot is known says that no episode is known yet', () => {
  expect(render({ ongoing: null, scheduledDay: 'Kamis' })).toContain(noEpisodes);
});
