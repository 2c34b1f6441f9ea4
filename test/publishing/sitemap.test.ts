import { expect, test } from 'vitest';
import { DAY_MS, toIso } from '../../src/domain/units.ts';
import { makeSnapshot, NOW, renderTestEdition } from '../support/edition.ts';
import { makeAnime } from '../support/fake-source.ts';

const [listed, other, gone] = [makeAnime(1), makeAnime(2), makeAnime(3)];
const LEFT_AT = NOW - DAY_MS;
const RELEASED_AT = NOW - 2 * DAY_MS;

const render = () =>
  renderTestEdition(
    makeSnapshot([listed, other], [listed], { left: { [gone.slug]: { leftAt: LEFT_AT, anime: gone } } }),
    { history: { [listed.slug]: [{ episode: listed.episode, releasedAt: RELEASED_AT }] } },
  );

test('the sitemap has the page of every anime with the time of its last change', () => {
  const { text, document } = render();
  expect(document('/sitemap.xml').contentType).toMatch(/^application\/xml\b/u);
  const urls = [...text('/sitemap.xml').matchAll(/<url><loc>(.*?)<\/loc><lastmod>(.*?)<\/lastmod><\/url>/gu)];
  const changes = Object.fromEntries(urls.map(([, address, change]) => [address, change]));
  const pageOf = ({ slug }: typeof listed) => `https://tayang.example/anime/${slug}`;
  expect(Object.keys(changes)).toEqual([
    'https://tayang.example/',
    pageOf(listed),
    pageOf(other),
    pageOf(gone),
  ]);
  expect(changes[pageOf(listed)]).toBe(toIso(RELEASED_AT));
  expect(changes[pageOf(gone)]).toBe(toIso(LEFT_AT));
  for (const change of Object.values(changes)) expect(Date.parse(`${change}`)).toBeLessThanOrEqual(NOW);
});

test('the document for scripts has every anime with its newest episode, and whether it is listed', () => {
  const { anime } = render().json('/anime.json') as { anime: Record<string, unknown>[] };
  expect(anime.map(({ slug, episode, isListed }) => [slug, episode, isListed])).toEqual([
    [listed.slug, listed.episode, true],
    [other.slug, other.episode, true],
    [gone.slug, gone.episode, false],
  ]);
});
