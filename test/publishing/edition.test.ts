import { describe, expect, test } from 'vitest';
import { DAYS, type OngoingAnime, type Snapshot } from '../../src/domain/listing.ts';
import type { Document } from '../../src/publishing/document.ts';
import { type Edition, type EditionContent, renderEdition as render } from '../../src/publishing/edition.ts';

const CHANGED_AT = Date.UTC(2026, 10, 20);

function anime(number: number): OngoingAnime {
  const image = `https://example.org/${number}.jpg`;
  return {
    title: `Naga ${number}`,
    episode: number,
    day: 'None',
    date: '6 Des',
    image,
    slug: `naga-${number}`,
  };
}

function snapshotOf(count: number): Snapshot {
  return {
    schedule: DAYS.map((day) => ({
      day,
      animeList: day === 'Random' ? [] : [{ title: `Naga ${day}`, slug: `naga-${day.toLowerCase()}` }],
    })),
    ongoing: Array.from({ length: count }, (_, index) => anime(index + 1)),
    scheduleChangedAt: CHANGED_AT,
    ongoingChangedAt: CHANGED_AT + 5_000,
    epoch: 'e1',
    lastEvent: 0,
  };
}

const STATE = {
  timeZone: 'Asia/Jakarta',
  url: 'https://tayang.example',
  sourceUrl: 'https://source.example',
  status: { state: 'ok' as const, since: CHANGED_AT, refreshedAt: CHANGED_AT },
  now: CHANGED_AT,
};

const shown = (snapshot: Snapshot) => ({ snapshot, events: [], history: {}, expected: {} });

/** Renders an edition and names the documents that the tests look at. */
function renderEdition(...args: Parameters<typeof render>) {
  const edition: Edition = render(...args);
  const of = (prefix: string) =>
    [...edition.documents].flatMap(([address, document]) => (address.startsWith(prefix) ? [document] : []));
  return {
    ...edition,
    schedule: edition.documents.get('/api/anime/schedule')!,
    home: of('/api/anime/home?page='),
    calendars: of('/feeds/schedule.ics?slug='),
  };
}

// biome-ignore lint/suspicious/noExplicitAny: each test states the type that it expects
function read(document: Document | undefined): any {
  return JSON.parse(String(document?.identity.bytes));
}

test('the schedule has eight groups in order, with empty days', () => {
  const { schedule } = renderEdition(shown(snapshotOf(1)), STATE);
  expect(schedule.contentType).toMatch(/^application\/json\b/u);
  expect(read(schedule)).toEqual({
    status: true,
    data: DAYS.map((day) => ({
      day,
      animeList: day === 'Random' ? [] : [{ title: `Naga ${day}`, slug: `naga-${day.toLowerCase()}` }],
    })),
  });
});

test('a page of the ongoing list has exactly the keys of the contract', () => {
  const { home } = renderEdition(shown(snapshotOf(1)), STATE);
  expect(home[0]?.contentType).toMatch(/^application\/json\b/u);
  expect(read(home[0])).toEqual({
    status: true,
    data: { currentPage: 1, maxPage: 1, hasNextPage: false, hasPrevPage: false, data: [anime(1)] },
  });
});

test('no other field of a record is served', () => {
  const snapshot = snapshotOf(1);
  Object.assign(snapshot, { form: 1 });
  Object.assign(snapshot.ongoing[0]!, { seenAt: 1 });
  Object.assign(snapshot.schedule[0]!, { seenAt: 1 });
  Object.assign(snapshot.schedule[0]!.animeList[0]!, { seenAt: 1 });
  const { schedule, home } = renderEdition(shown(snapshot), STATE);
  const { schedule: plain, home: plainHome } = renderEdition(shown(snapshotOf(1)), STATE);
  expect(read(schedule)).toEqual(read(plain));
  expect(read(home[0])).toEqual(read(plainHome[0]));
});

test.each([
  [1, [1]],
  [25, [25]],
  [26, [25, 1]],
  [50, [25, 25]],
  [132, [25, 25, 25, 25, 25, 7]],
])('%i anime are served in order on pages of 25: %j', (count, sizes) => {
  const snapshot = snapshotOf(count);
  const pages = renderEdition(shown(snapshot), STATE).home.map((document) => read(document).data);
  expect(pages.map((page) => page.data.length)).toEqual(sizes);
  expect(pages.flatMap((page) => page.data)).toEqual(snapshot.ongoing);
  for (const [index, page] of pages.entries()) {
    expect(page).toMatchObject({
      currentPage: index + 1,
      maxPage: sizes.length,
      hasNextPage: index + 1 < sizes.length,
      hasPrevPage: index > 0,
    });
  }
});

test('a document has the date at which its part of the snapshot changed', () => {
  const { schedule, home } = renderEdition(shown(snapshotOf(26)), STATE);
  expect(schedule.changedAt).toBe(CHANGED_AT);
  expect(home.map(({ changedAt }) => changedAt)).toEqual([CHANGED_AT + 5_000, CHANGED_AT + 5_000]);
});

test('unchanged documents are the same objects in the next edition', () => {
  const before = renderEdition(shown(snapshotOf(60)), STATE);
  const after = renderEdition(shown(snapshotOf(60)), STATE, before);
  expect(after).not.toBe(before);
  expect(after.schedule).toBe(before.schedule);
  expect(after.home).toHaveLength(3);
  for (const [index, document] of after.home.entries()) expect(document).toBe(before.home[index]);
});

test('a changed page is a new document with new tags, and the schedule is reused', () => {
  const before = renderEdition(shown(snapshotOf(60)), STATE);
  const snapshot = snapshotOf(60);
  snapshot.ongoing[30]!.episode += 1;
  snapshot.ongoingChangedAt += 60_000;
  const after = renderEdition(shown(snapshot), STATE, before);
  const tagsOf = (document?: Document) => document?.variants.map(({ etag }) => etag) ?? [];

  expect(after.schedule).toBe(before.schedule);
  expect(read(after.home[1]).data.data[5].episode).toBe(32);
  expect(after.home[1]?.changedAt).toBe(snapshot.ongoingChangedAt);
  const oldTags = new Set(tagsOf(before.home[1]));
  expect(tagsOf(after.home[1]).filter((tag) => oldTags.has(tag))).toEqual([]);
  expect(tagsOf(after.home[0])).toEqual(tagsOf(before.home[0]));
});

test('an edition is plain data, so that another thread can render it', () => {
  const edition = renderEdition(shown(snapshotOf(30)), STATE);
  const elsewhere = structuredClone(edition);
  expect(Buffer.from(elsewhere.home[1]!.identity.bytes)).toEqual(edition.home[1]!.identity.bytes);
  expect([...elsewhere.documents.keys()]).toEqual([...edition.documents.keys()]);
});

test('each anime has a calendar, which stays the same while its next episode does', () => {
  const before = renderEdition(shown(snapshotOf(1)), STATE);
  expect(before.calendars).toHaveLength(DAYS.length);
  const later = { ...snapshotOf(1), ongoingChangedAt: CHANGED_AT + 60_000 };
  const after = renderEdition(shown(later), STATE, before);
  for (const [index, calendar] of after.calendars.entries()) expect(calendar).toBe(before.calendars[index]);
});

test('a shorter list has no pages of the longer one', () => {
  const before = renderEdition(shown(snapshotOf(60)), STATE);
  const after = renderEdition(shown(snapshotOf(25)), STATE, before);
  expect(after.home).toHaveLength(1);
  expect(read(after.home[0]).data).toMatchObject({ maxPage: 1, hasNextPage: false });
});

describe('a document that differs from an earlier one is dated later', () => {
  const NOW = CHANGED_AT + 60_000;
  const sighted = (snapshot: Snapshot): EditionContent => ({
    ...shown(snapshot),
    events: [
      {
        ...{ number: 1, type: 'new-episode', slug: 'naga-1', title: 'Naga 1', episode: 1, day: 'None' },
        at: CHANGED_AT,
      },
    ],
  });
  const expectedAt = (at: number): EditionContent => {
    const expected = {
      episode: 2,
      expectedAt: at,
      earliest: at,
      latest: at,
      periodMs: 7 * 86_400_000,
      basis: 3,
      late: false,
    };
    return { ...shown(snapshotOf(2)), expected: { 'naga-1': expected, 'naga-senin': expected } };
  };
  const renamed = snapshotOf(2);
  renamed.ongoing[0]!.title = 'Naga pertama';
  renamed.ongoingChangedAt += 30_000;

  test.each<[string, EditionContent, EditionContent]>([
    ['a corrected title', sighted(snapshotOf(2)), sighted(renamed)],
    ['an event that is over', sighted(snapshotOf(2)), shown(renamed)],
    ['an expected time', expectedAt(NOW + 3_600_000), expectedAt(NOW + 7_200_000)],
  ])('after %s, by the same process and by another one', (_what, one, other) => {
    const before = render(one, { ...STATE, now: NOW });
    const later = { ...STATE, now: NOW + 60_000 };
    for (const after of [render(other, later, before), render(other, later)]) {
      const wrong = [...after.documents].filter(([address, { identity, changedAt }]) => {
        const old = before.documents.get(address);
        if (!old || old.identity.etag === identity.etag) return false;
        return Math.floor(changedAt / 1_000) <= Math.floor(old.changedAt / 1_000);
      });
      expect(wrong.map(([address]) => address)).toEqual([]);
    }
  });
});
