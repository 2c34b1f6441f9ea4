import { expect, test } from 'vitest';
import { answer } from '../../src/http/answer.ts';
import type { Document } from '../../src/publishing/document.ts';
import { openAssets } from '../../src/publishing/site-files.ts';
import { NOW, renderTestEdition } from '../support/edition.ts';
import { createSeason, publishSeason } from '../support/season.ts';

/** Of everything that the front page of so many anime loads from its own origin, as it is sent. */
const BUDGET = 34_000;
const ANIME = 150;
const SOURCE = 'https://otakudesu.example';

const sentBytes = (document: Document) =>
  answer(document, { 'accept-encoding': 'br, gzip' }, NOW).body!.length;

test(`the front page of ${ANIME} anime sends less than ${BUDGET} bytes, with all that it loads`, async () => {
  const content = publishSeason(createSeason(ANIME, NOW, SOURCE), NOW);
  const { document, text } = renderTestEdition(content.snapshot, content);
  const assets = await openAssets();

  /** The modules among them with those that they import. */
  function withImports(named: readonly string[]): Set<string> {
    const imported = named.flatMap((address) => {
      const source = String(assets.get(address)!.identity.bytes);
      return [...source.matchAll(/(?:from|^import) '\.\/([^']+)'/gmu)].map(([, name]) => `/assets/${name}`);
    });
    const all = new Set([...named, ...imported]);
    return all.size > new Set(named).size ? withImports([...all]) : all;
  }

  for (const language of ['id', 'en']) {
    const page = `/?lang=${language}`;
    const addresses = text(page).matchAll(/(?:src|rel="stylesheet" href)="(\/assets\/[^"]+)"/gu);
    const named = [...addresses].map(([, address = '']) => address);
    const loaded = [...withImports(['/assets/push.js', ...named])].map((address) => assets.get(address)!);
    expect(loaded).toHaveLength(20);
    const sum = [document(page), ...loaded].reduce((total, one) => total + sentBytes(one), 0);
    expect(sum).toBeLessThan(BUDGET);
  }
});
