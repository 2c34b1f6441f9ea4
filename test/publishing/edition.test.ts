import { describe, expect, test } from 'vitest';
import { DAYS, type OngoingAnime } from '../../src/domain/listing.ts';
import type { EditionContent } from '../../src/publishing/edition.ts';
import { makeExpected, makeSnapshot, NOW, renderTestEdition } from '../support/edition.ts';
import { makeAnime } from '../support/fake-source.ts';

const SCHEDULE = '/api/anime/schedule';
const home = (page: number) => `/api/anime/home?page=${page}`;
const animeOf = (count: number) => Array.from({ length: count }, (_, index) => makeAnime(index + 1));
const SCHEDULED = DAYS.filter((day) => day !== 'Random').map(
  (day): OngoingAnime => ({ ...makeAnime(1), day, title: `Naga ${day}`, slug: `naga-${day.toLowerCase()}` }),
);
const snapshotOf = (count: number) => makeSnapshot(animeOf(count), SCHEDULED);

test('the schedule has eight groups in order, with empty days', () => {
  const { document, json } = renderTestEdition(snapshotOf(1));
  expect(document(SCHEDULE).contentType).toMatch(/^application\/json\b/u);
  expect(json(SCHEDULE)).toEqual({
    status: true,
    data: DAYS.map((day) => ({
      day,
      animeList: day === 'Random' ? [] : [{ title: `Naga ${day}`, slug: `naga-${day.toLowerCase()}` }],
    })),
  });
});

test('no other field of a record is served', () => {
  const snapshot = snapshotOf(1);
  const [day] = snapshot.schedule;
  for (const part of [snapshot, snapshot.ongoing[0]!, day!, day!.animeList[0]!])
    Object.assign(part, { seenAt: 1 });
  const [altered, plain] = [renderTestEdition(snapshot), renderTestEdition(snapshotOf(1))];
  for (const address of [SCHEDULE, home(1)]) expect(altered.text(address)).toBe(plain.text(address));
});

test.each([
  [1, [1]],
  [25, [25]],
  [26, [25, 1]],
  [50, [25, 25]],
  [132, [25, 25, 25, 25, 25, 7]],
])('%i anime are served in order on pages of 25: %j', (count, sizes) => {
  const { documents, json } = renderTestEdition(snapshotOf(count));
  const pages = sizes.map((_, index) => json(home(index + 1)).data);
  expect(pages.map((page) => page.data.length)).toEqual(sizes);
  expect(pages.flatMap((page) => page.data)).toEqual(animeOf(count));
  for (const [index, page] of pages.entries()) {
    expect(page).toMatchObject({
      currentPage: index + 1,
      maxPage: sizes.length,
      hasNextPage: index + 1 < sizes.length,
      hasPrevPage: index > 0,
    });
  }
  expect(documents.has(home(sizes.length + 1))).toBe(false);
});

test('a document has the date at which its part of the snapshot changed', () => {
  const changed = { scheduleChangedAt: NOW, ongoingChangedAt: NOW + 5_000 };
  const { document } = renderTestEdition({ ...snapshotOf(26), ...changed });
  expect([SCHEDULE, home(1), home(2)].map((address) => document(address).changedAt)).toEqual([
    ...[NOW, NOW + 5_000, NOW + 5_000],
  ]);
});

test('unchanged documents are the same objects in the next edition', () => {
  const before = renderTestEdition(snapshotOf(60));
  const after = renderTestEdition(snapshotOf(60), {}, { before });
  expect(after.documents.size).toBeGreaterThan(200);
  for (const [address, document] of after.documents) expect(document, address).toBe(before.document(address));
});

test('a changed page is a new document with new tags, and the others are reused', () => {
  const before = renderTestEdition(snapshotOf(60));
  const snapshot = snapshotOf(60);
  snapshot.ongoing[30]!.episode = 99;
  snapshot.ongoingChangedAt += 60_000;
  const after = renderTestEdition(snapshot, {}, { before });
  expect(after.json(home(2)).data.data[5].episode).toBe(99);
  expect(after.document(home(2)).changedAt).toBe(snapshot.ongoingChangedAt);
  const tags = [before, after].map(({ document }) => document(home(2)).variants.map(({ etag }) => etag));
  expect(tags[0]!.filter((tag) => tags[1]!.includes(tag))).toEqual([]);
  for (const address of [SCHEDULE, home(1), '/api/anime/judul-1', '/feeds/schedule.ics?slug=judul-1'])
    expect(after.document(address), address).toBe(before.document(address));
});

test('a document whose bytes change while its part of the snapshot does not is dated when it changed', () => {
  const before = renderTestEdition(snapshotOf(2));
  const other = snapshotOf(2);
  other.ongoing[0]!.title = 'Another title';
  const after = renderTestEdition(other, {}, { before, now: NOW + 60_000 });
  expect(after.document(home(1)).changedAt).toBe(NOW + 60_000);
});

describe('a document that differs from an earlier one is dated later', () => {
  const BEFORE = NOW + 60_000;
  const events: EditionContent['events'] = [
    { number: 1, type: 'new-episode', slug: 'judul-1', title: 'Judul 1', episode: 1, day: 'None', at: NOW },
  ];
  const expectedAt = (at: number) => ({
    expected: { 'judul-1': makeExpected(at), 'naga-senin': makeExpected(at) },
  });
  const renamed = snapshotOf(2);
  renamed.ongoing[0]!.title = 'Naga pertama';
  renamed.ongoingChangedAt += 30_000;

  type Content = Partial<EditionContent>;
  test.each<[string, Content, Content]>([
    ['a corrected title', { events }, { events, snapshot: renamed }],
    ['an event that is over', { events }, { snapshot: renamed }],
    ['an expected time', expectedAt(BEFORE + 3_600_000), expectedAt(BEFORE + 7_200_000)],
  ])('after %s, by the same process and by another one', (_what, one, other) => {
    const before = renderTestEdition(snapshotOf(2), one, { now: BEFORE });
    const now = BEFORE + 60_000;
    for (const state of [{ now, before }, { now }]) {
      const after = renderTestEdition(snapshotOf(2), other, state);
      const wrong = [...after.documents].filter(([address, { identity, changedAt }]) => {
        const old = before.documents.get(address);
        if (!old || old.identity.etag === identity.etag) return false;
        return Math.floor(changedAt / 1_000) <= Math.floor(old.changedAt / 1_000);
      });
      expect(wrong.map(([address]) => address)).toEqual([]);
    }
  });
});
