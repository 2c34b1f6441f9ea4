import { describe, expect, test } from 'vitest';
import type { AnimeEvent } from '../../src/domain/event.ts';
import type { Snapshot } from '../../src/domain/snapshot.ts';
import type { Edition, EditionContent } from '../../src/publishing/edition.ts';
import { makeExpected, makeSnapshot, NOW, renderTestEdition } from '../support/edition.ts';

const HOUR_MS = 3_600_000;

const NAGA = {
  title: 'Naga <Kecil>',
  episode: 21,
  day: 'Jumat' as const,
  date: '15 Nov' as const,
  image: 'https://source.example/naga.jpg',
  slug: 'naga-%e2%88%9e',
};
const PUTRI = { ...NAGA, title: 'Putri', slug: 'putri', day: 'Minggu' as const };
const SNAPSHOT = makeSnapshot([NAGA], [NAGA, PUTRI]);

const seen = (number: number, episode: number, slug = NAGA.slug): AnimeEvent => ({
  number,
  at: NOW + number * HOUR_MS,
  type: 'new-episode',
  slug,
  title: NAGA.title,
  episode,
  day: 'Jumat',
});

function render({ snapshot = SNAPSHOT, ...content }: Partial<EditionContent> = {}, before?: Edition) {
  const seen = (content.events ?? []).filter((event) => event.type === 'new-episode').toReversed();
  const bySlug = Map.groupBy(seen, ({ slug }) => slug);
  const history = Object.fromEntries(
    [...bySlug].map(([slug, own]) => [slug, own.map(({ episode, at }) => ({ episode, seenAt: at }))]),
  );
  return renderTestEdition(snapshot, { history, ...content }, before && { before });
}

test('one document contains both listings', () => {
  const { json } = render();
  expect(json('/api/anime')).toEqual({
    status: true,
    data: { schedule: json('/api/anime/schedule').data, ongoing: [NAGA] },
  });
});

test('an anime has exactly the keys of the contract, and a link to its page at the source', () => {
  expect(render().json(`/api/anime/${NAGA.slug}`)).toEqual({
    status: true,
    data: {
      ...NAGA,
      link: `https://source.example/anime/${NAGA.slug}/`,
      page: `https://tayang.example/anime/${NAGA.slug}`,
      ...{ leftAt: null, next: null, details: null, ids: null },
      episodes: [{ episode: 21, seenAt: null, releasedAt: null, date: '2026-11-15' }],
    },
  });
});

test('an anime that only the schedule has is served with its title and day', () => {
  const { data } = render().json('/api/anime/putri');
  expect(data).toMatchObject({ title: 'Putri', day: 'Minggu', episode: null, date: null, image: null });
});

test('an expected episode is in the record of its anime, and in the upcoming list within seven days', () => {
  const next = (days: number) => makeExpected(NOW + days * 24 * HOUR_MS, { episode: 22 });
  const expected = { [NAGA.slug]: next(6), putri: next(8) };
  const { json, text } = render({ expected });
  const { basis, ...times } = json(`/api/anime/${NAGA.slug}`).data.next;
  expect([basis, times.expectedAt]).toEqual([3, '2026-11-26T00:00:00.000Z']);
  expect(json('/api/anime/upcoming')).toEqual({
    status: true,
    data: [{ slug: NAGA.slug, title: NAGA.title, ...times }],
  });
  expect(text(`/anime/${NAGA.slug}?lang=en`)).toMatch(
    /<b>Episode 22<\/b>[\s\S]+Thursday 26 Nov<\/time>, around <time/u,
  );
  expect(render().json('/api/anime/upcoming')).toEqual({ status: true, data: [] });
});

test('the feed of an anime has only its episodes, and links to its page', () => {
  const { text } = render({ events: [seen(1, 21), seen(2, 7, 'putri'), seen(3, 9, 'gone')] });
  const feed = text(`/feeds/episodes.atom?slug=${NAGA.slug}`);
  expect(feed.match(/<entry>/gu)).toHaveLength(1);
  expect(feed).toContain(`href="https://tayang.example/anime/${NAGA.slug}"`);
  const all = text('/feeds/episodes.atom');
  expect(all.match(/<entry>/gu)).toHaveLength(3);
  // An anime that is no longer listed has no page.
  expect(all).not.toContain('/anime/gone');
});

test('a page says that the source is in trouble, in its language, until it is well again', () => {
  const address = `/anime/${NAGA.slug}?lang=id`;
  const at = (state: 'ok' | 'down', hours: number, before?: Edition) => {
    const since = NOW + hours * HOUR_MS;
    const status = { state, since, readAt: NOW, refreshedAt: NOW };
    return renderTestEdition(SNAPSHOT, {}, { status, now: since, ...(before && { before }) });
  };
  const well = at('ok', 0);
  const down = at('down', 1, well);
  const again = at('ok', 2, down);
  expect(down.text(address)).toContain('Situs sumber sedang mati');
  expect(down.text('/anime/putri?lang=en')).toContain('The source is down');
  expect(again.text(address)).toBe(well.text(address));
  expect(again.text(address)).not.toContain('class="card trouble"');
  expect([down, again].map(({ document }) => document(address).changedAt - NOW)).toEqual([
    ...[HOUR_MS, 2 * HOUR_MS],
  ]);
  // What does not show it is not rendered again.
  for (const other of [`/api/anime/${NAGA.slug}`, '/api/anime/schedule'])
    expect(down.document(other)).toBe(well.document(other));
});

test('titles are escaped on every page', () => {
  const { documents } = render();
  for (const [address, { identity }] of documents) {
    if (!address.includes('lang=')) continue;
    expect(String(identity.bytes)).not.toContain(NAGA.title);
  }
});

describe('an anime that left', () => {
  const LEFT_AT = NOW - 24 * HOUR_MS;
  const left = { tamat: { leftAt: LEFT_AT, anime: { ...NAGA, slug: 'tamat', title: 'Tamat' } } };
  const leftSchedule = { 'hanya-jadwal': { leftAt: LEFT_AT, title: 'Hanya jadwal', day: 'Senin' as const } };
  const snapshot: Snapshot = { ...SNAPSHOT, left, leftSchedule };
  const history = { tamat: [{ episode: NAGA.episode, releasedAt: LEFT_AT - HOUR_MS }] };
  const events = [{ ...seen(1, NAGA.episode, 'tamat'), title: 'Tamat' }];

  test('keeps its record, its pages, its feed and its calendar', () => {
    const { json, text, documents } = render({ snapshot, history, events });
    expect(json('/api/anime/tamat').data).toMatchObject({
      ...{ title: 'Tamat', episode: NAGA.episode, next: null },
      leftAt: new Date(LEFT_AT).toISOString(),
    });
    expect(json('/api/anime/hanya-jadwal').data).toMatchObject({ episode: null, image: null, day: 'Senin' });
    expect(text('/anime/tamat?lang=en')).toContain('The source no longer lists it.');
    expect(text('/feeds/episodes.atom?slug=tamat')).toContain('/anime/tamat');
    expect(documents.has('/feeds/schedule.ics?slug=tamat')).toBe(true);
    expect(text('/api/anime')).not.toContain('tamat');
  });

  test('is forgotten after 90 days', () => {
    const before = { tamat: { ...left.tamat, leftAt: NOW - 90 * 24 * HOUR_MS } };
    const { documents } = render({ snapshot: { ...snapshot, left: before } });
    expect(documents.has('/api/anime/tamat')).toBe(false);
  });

  test('is listed as before when it comes back', () => {
    const back = { ...snapshot, left: { [NAGA.slug]: { leftAt: LEFT_AT, anime: NAGA } } };
    expect(render({ snapshot: back }).json(`/api/anime/${NAGA.slug}`).data.leftAt).toBeNull();
  });
});

test('an entry of a feed is of the time that the source gives', () => {
  const releasedAt = NOW - 2 * HOUR_MS;
  const history = { [NAGA.slug]: [{ episode: NAGA.episode, seenAt: NOW, releasedAt }] };
  const { json } = render({ history, events: [seen(1, NAGA.episode)] });
  expect(json('/feeds/episodes.json').items[0].date_published).toBe(new Date(releasedAt).toISOString());
});
