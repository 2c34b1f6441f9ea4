import { expect, test } from 'vitest';
import type { Document } from '../../src/publishing/document.ts';
import { renderEdition } from '../../src/publishing/edition.ts';
import { openAssets } from '../../src/publishing/site-files.ts';
import { createSeason, publishSeason } from '../support/season.ts';

/** Of everything that the front page of so many anime loads from its own origin, as it is sent. */
const BUDGET = 40_000;
const ANIME = 150;
const NOW = Date.UTC(2026, 10, 20);
const SOURCE = 'https://otakudesu.example';

const sentBytes = ({ variants }: Document) => variants[0]!.bytes.length;

test(`the front page of ${ANIME} anime sends less than ${BUDGET} bytes, with all that it loads`, async () => {
  const content = publishSeason(createSeason(ANIME, NOW, SOURCE), NOW);
  const state = { timeZone: 'Asia/Jakarta', url: 'https://tayang.example', sourceUrl: SOURCE, now: NOW };
  const status = { state: 'ok' as const, since: NOW, refreshedAt: NOW };
  const { documents } = renderEdition(content, { ...state, status });
  const assets = await openAssets();
  for (const language of ['id', 'en']) {
    const page = documents.get(`/?lang=${language}`)!;
    const text = String(page.identity.bytes);
    const addresses = text.matchAll(/(?:src|rel="stylesheet" href)="(\/assets\/[^"]+)"/gu);
    const loaded = [...addresses].map(([, address = '']) => assets.get(address)!);
    expect(loaded).toHaveLength(7);
    const sum = [page, ...loaded].reduce((total, document) => total + sentBytes(document), 0);
    expect(sum).toBeLessThan(BUDGET);
  }
});
