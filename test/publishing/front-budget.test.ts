import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { DAYS, type OngoingAnime } from '../../src/domain/listing.ts';
import type { Document } from '../../src/publishing/document.ts';
import { renderEdition } from '../../src/publishing/edition.ts';
import { openAssets } from '../../src/publishing/site-files.ts';

/** Of everything that the front page of so many anime loads from its own origin, as it is sent. */
const BUDGET = 45_000;
const ANIME = 150;
const NOW = Date.UTC(2026, 10, 20);
const SYLLABLES = [
  'ka',
  'shi',
  'no',
  'ten',
  'rai',
  'mo',
  'gu',
  'sei',
  'hana',
  'kyo',
  'ryu',
  'tsu',
  'be',
  'wo',
];

/** Titles as long as the source's, of syllables that hardly repeat: a sample of few words would compress too well. */
function titleOf(index: number): string {
  const bytes = [...createHash('sha256').update(`${index}`).digest()];
  const words = [0, 6, 12, 18, 24].map((start) =>
    bytes
      .slice(start, start + 3)
      .map((byte) => SYLLABLES[byte % SYLLABLES.length])
      .join(''),
  );
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join(' ');
}

const ongoing = Array.from({ length: ANIME }, (_, index): OngoingAnime => {
  const slug = `${titleOf(index).toLowerCase().replaceAll(' ', '-')}-sub-indo`;
  return {
    title: titleOf(index),
    slug,
    episode: 1 + (index % 26),
    date: `${1 + (index % 28)} Nov`,
    day: index < 75 ? DAYS[index % DAYS.length]! : 'None',
    image: `https://otakudesu.example/wp-content/uploads/2026/11/${150_000 + index * 37}.jpg`,
  };
});

const sentBytes = ({ variants }: Document) => variants[0]!.bytes.length;

test(`the front page of ${ANIME} anime sends less than ${BUDGET} bytes, with all that it loads`, async () => {
  const animeOn = (day: string) => ongoing.filter((anime) => anime.day === day);
  const schedule = DAYS.map((day) => ({
    day,
    animeList: animeOn(day).map(({ title, slug }) => ({ title, slug })),
  }));
  const times = { scheduleChangedAt: NOW, ongoingChangedAt: NOW, epoch: 'e1', lastEvent: 0 };
  const { documents } = renderEdition(
    { snapshot: { schedule, ongoing, ...times }, events: [], history: {}, expected: {} },
    {
      timeZone: 'Asia/Jakarta',
      url: 'https://tayang.example',
      sourceUrl: 'https://otakudesu.example',
      status: { state: 'ok', since: NOW, refreshedAt: NOW },
      now: NOW,
    },
  );
  const assets = await openAssets();
  for (const language of ['id', 'en']) {
    const page = documents.get(`/?lang=${language}`)!;
    const text = String(page.identity.bytes);
    const loaded = [...text.matchAll(/(?:src|rel="stylesheet" href)="(\/assets\/[^"]+)"/gu)].map(
      ([, path = '']) => assets.get(path)!,
    );
    expect(loaded).toHaveLength(5);
    const sum = [page, ...loaded].reduce((total, document) => total + sentBytes(document), 0);
    expect(sum).toBeLessThan(BUDGET);
  }
});
