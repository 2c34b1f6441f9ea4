import { describe, expect, test } from 'vitest';
import type { AnimeRecord } from '../../src/domain/anime-record.ts';
import { DAY_MS, HOUR_MS } from '../../src/domain/units.ts';
import { renderAnimePage } from '../../src/pages/anime-page.ts';
import { createTimes } from '../../src/pages/formats.ts';
import { TRANSLATIONS } from '../../src/pages/i18n/translations.ts';
import { SHOWN_AT, sourceIn } from '../support/situations.ts';

const texts = TRANSLATIONS.en;
const { noEpisodes, hasEnded } = texts.anime;

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
  expect(render({})).toContain('data-episode="12"><b>Episode 12</b> <span>12 Nov</span></li>');
  expect(render({})).not.toContain(noEpisodes);
});

test('one that has ended expects nothing, whatever is known of it', () => {
  const gone = { hasEnded: true, isQuiet: true, leftAt: SHOWN_AT };
  const episodes = [{ episode: 12, seenAt: SHOWN_AT - 86_400_000 }] as AnimeRecord['episodes'];
  for (const known of [{}, { episodes }, { ongoing: null, episodes }, { ongoing: null }]) {
    const page = render({ ...gone, ...known });
    expect(page).toContain(hasEnded);
    for (const text of [noEpisodes, 'Time not known yet', 'Usually', 'class="countdown', 'Episode 13'])
      expect(page).not.toContain(text);
  }
});

test('one of which only the slot is known says that no episode is known yet', () => {
  expect(render({ ongoing: null, scheduledDay: 'Kamis' })).toContain(noEpisodes);
});

describe('a preview of it', () => {
  const releases = [
    { episode: 8, releasedAt: SHOWN_AT - 6 * DAY_MS },
    { episode: 7, releasedAt: SHOWN_AT - 13 * DAY_MS },
  ];
  const next = {
    episode: 9,
    expectedAt: SHOWN_AT + DAY_MS,
    earliest: SHOWN_AT + DAY_MS - HOUR_MS,
    latest: SHOWN_AT + DAY_MS + HOUR_MS,
    periodMs: 7 * DAY_MS,
    basis: 2,
    late: false,
    unseen: false,
  };
  const content = (page: string, name: string) =>
    new RegExp(`<meta (?:name|property)="${name}" content="([^"]*)"`, 'u').exec(page)?.[1];

  test('says which episode comes when, and what came last', () => {
    const description =
      'Episode 9 is expected on Saturday 21 Nov, around 19:40 WIB. Episode 8 came out on Saturday 14 Nov.';
    expect(content(render({ episodes: releases, next }), 'og:description')).toBe(description);
  });

  test('names our cover with its size, and the kind of card', () => {
    const cover = {
      hash: 'h',
      small: { width: 160, height: 226 },
      large: { width: 225, height: 318 },
      keptAt: 0,
    };
    const image = 'https://tayang.example/covers/menara-h.jpg';
    const page = render({ image, cover });
    const names = ['og:image', 'og:image:width', 'og:image:height', 'twitter:card'];
    expect(names.map((name) => content(page, name))).toEqual([image, '225', '318', 'summary']);
  });

  test('is structured for search engines, and no title ends it', () => {
    const page = render({ title: 'Menara </script>', ongoing: null, episodes: releases, next });
    const [, json = ''] = /<script type="application\/ld\+json">(.*?)<\/script>/u.exec(page) ?? [];
    const { '@type': type, name, episode } = JSON.parse(json);
    expect([type, name]).toEqual(['TVSeries', 'Menara </script>']);
    const numbers = episode.map((one: { episodeNumber: number }) => one.episodeNumber);
    expect(numbers).toEqual([9, 8, 7]);
    expect(episode[1].datePublished).toBe(new Date(SHOWN_AT - 6 * DAY_MS).toISOString());
  });

  test('says that a broadcast is on a break, and until when', () => {
    const resumesAt = SHOWN_AT + 8 * DAY_MS;
    const later = {
      ...next,
      expectedAt: resumesAt,
      earliest: resumesAt,
      latest: resumesAt,
      basis: 'broadcast' as const,
    };
    const page = render({ episodes: releases, next: later });
    expect(page).toContain('On a break this week: there is no episode on');
    expect(page).toContain('Back on ');
    expect(page).not.toContain('Usually');
    expect(render({ episodes: releases, next })).not.toContain('On a break');
  });
});
