import { expect, test } from 'vitest';
import type { ListingView } from '../../src/http/health.ts';
import { createSelections } from '../../src/http/listing/selections.ts';
import { isNotModified } from '../../src/http/preconditions.ts';
import { ANIME_PATH, RELEASES_PATH } from '../../src/publishing/addresses.ts';
import { createDocument, type Document, tagsOf } from '../../src/publishing/document.ts';
import type { Edition } from '../../src/publishing/edition.ts';

/** When answers about chosen anime changed, for clients that send `If-Modified-Since`. */

const SECOND_MS = 1_000;
const MIDNIGHT = Date.parse('2026-11-28T00:00:00Z');

/** An edition with these anime, by their names, and one release of the first of them on each of two days. */
function editionOf(names: Record<string, string>, changedAt: number): Edition {
  const items = Object.keys(names).map((slug) => ({ slug, json: JSON.stringify({ slug }) }));
  const whole = createDocument('application/json', JSON.stringify(names), changedAt);
  const days = ['2026-11-27', '2026-11-28'];
  const edition: Partial<Edition> = {
    documents: new Map([ANIME_PATH, RELEASES_PATH].map((path) => [path, whole])),
    parts: {
      searchTexts: new Map(Object.entries(names)),
      schedule: [],
      ongoing: items,
      releases: days.map((day) => ({ slug: 'a', json: JSON.stringify({ day }), day })),
    },
    renamed: new Map(),
  };
  return edition as Edition;
}

function openSelections() {
  const state = { edition: editionOf({ a: 'naga', b: 'naga' }, MIDNIGHT - 60 * SECOND_MS), now: MIDNIGHT };
  const view: Partial<ListingView> = { edition: () => state.edition, now: () => state.now };
  const find = createSelections(view as ListingView, 'UTC');
  return { state, ask: (path: string, query: string) => find(path, query) ?? expect.fail() };
}

/** Whether a client that has the first answer, and names its date alone, gets the second one. */
function getsNew(first: Document, { changedAt, ...second }: Document): boolean {
  const since = { 'if-modified-since': new Date(first.changedAt).toUTCString() };
  return !isNotModified(since, { changedAt, variants: tagsOf({ changedAt, ...second }) });
}

test('a search that finds less has a new date, although another query had the same answer before', () => {
  const { state, ask } = openSelections();
  const named = ask(ANIME_PATH, 'slugs=a');
  state.now += 10 * SECOND_MS;
  state.edition = editionOf({ a: 'naga', b: 'naga', c: 'naga' }, state.now);
  const found = ask(ANIME_PATH, 'q=naga');
  expect(ask(ANIME_PATH, 'slugs=a')).toBe(named);
  state.now += 10 * SECOND_MS;
  state.edition = editionOf({ a: 'naga', b: 'robot', c: 'robot' }, state.now);
  const fewer = ask(ANIME_PATH, 'q=naga');
  expect(fewer.identity.etag).toBe(named.identity.etag);
  expect(getsNew(found, fewer)).toBe(true);
  expect(ask(ANIME_PATH, 'slugs=a')).toBe(named);
});

test('a search that finds more has a new date, although the whole answer has none', () => {
  const { state, ask } = openSelections();
  const { changedAt } = state.edition.documents.get(ANIME_PATH)!;
  const nothing = ask(ANIME_PATH, 'q=dragon');
  state.now += 10 * SECOND_MS;
  state.edition = editionOf({ a: 'naga\ndragon', b: 'naga' }, changedAt);
  expect(getsNew(nothing, ask(ANIME_PATH, 'q=dragon'))).toBe(true);
});

test('the answer for today has a new date with each day, although another client asked for that day before', () => {
  const { state, ask } = openSelections();
  state.now = MIDNIGHT - 10 * SECOND_MS;
  const tomorrow = ask(RELEASES_PATH, 'day=2026-11-28');
  const yesterday = ask(RELEASES_PATH, 'day=today');
  state.now = MIDNIGHT;
  const today = ask(RELEASES_PATH, 'day=today');
  expect(today.identity.etag).toBe(tomorrow.identity.etag);
  expect(getsNew(yesterday, today)).toBe(true);
  expect(ask(RELEASES_PATH, 'day=2026-11-28')).toBe(tomorrow);
  state.now += 10 * SECOND_MS;
  expect(ask(RELEASES_PATH, 'day=today')).toBe(today);
});

test('the order, the case and the repetitions in a query make no other answer', () => {
  const { ask } = openSelections();
  expect(ask(ANIME_PATH, 'slugs=b,a,b&q=Naga%20NAGA')).toBe(ask(ANIME_PATH, 'q=naga&slugs=a,%20b'));
});
