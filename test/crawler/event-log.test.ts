import { describe, expect, test } from 'vitest';
import { appendEvents } from '../../src/crawler/write-listing.ts';
import type { AnimeEvent, Change } from '../../src/domain/event.ts';
import { openTestRefresh } from '../support/refresh.ts';

const DAY = 86_400_000;
const change = (slug: string): Change => ({ type: 'left', slug, title: slug });
const numbers = (events: AnimeEvent[]) => events.map((event) => event.number);

describe('the log of events', () => {
  test("continues with the number after the snapshot's last event", () => {
    const log = appendEvents([], [change('a'), change('b')], { last: 0, at: DAY });
    expect(appendEvents(log, [change('c')], { last: 2, at: 2 * DAY })).toEqual([
      { number: 1, at: DAY, ...change('a') },
      { number: 2, at: DAY, ...change('b') },
      { number: 3, at: 2 * DAY, ...change('c') },
    ]);
  });

  test('drops events of a refresh that died before it wrote its snapshot', () => {
    const log = appendEvents([], [change('a'), change('never')], { last: 0, at: DAY });
    const after = appendEvents(log, [change('b')], { last: 1, at: DAY });
    expect(after.map(({ number, slug }) => [number, slug])).toEqual([
      [1, 'a'],
      [2, 'b'],
    ]);
  });

  test('keeps events for thirty days', () => {
    const log = appendEvents([], [change('a')], { last: 0, at: DAY });
    expect(numbers(appendEvents(log, [change('b')], { last: 1, at: 31 * DAY - 1 }))).toEqual([1, 2]);
    expect(numbers(appendEvents(log, [change('b')], { last: 1, at: 31 * DAY }))).toEqual([2]);
  });

  test('keeps the newest ten thousand events', () => {
    const changes = Array.from({ length: 10_005 }, () => change('a'));
    const log = appendEvents([], changes, { last: 0, at: DAY });
    expect([log.length, log[0]?.number, log.at(-1)?.number]).toEqual([10_000, 6, 10_005]);
  });
});

test('events without their snapshot are invisible, and the next refresh overwrites them', async () => {
  const { source, store, refresh } = await openTestRefresh();
  await refresh();
  source.anime[0]!.episode += 1;
  const { writeSnapshot } = store;
  store.writeSnapshot = () => Promise.reject(new Error('killed between two writes'));
  await expect(refresh()).rejects.toThrow(/killed/u);
  store.writeSnapshot = writeSnapshot;
  const shown = async () => store.readEvents((await store.readSnapshot())?.lastEvent ?? 0);
  expect(await shown()).toEqual([]);
  source.anime[1]!.episode += 1;
  await refresh();
  expect((await shown()).map(({ number, type }) => [number, type])).toEqual([
    [1, 'new-episode'],
    [2, 'new-episode'],
  ]);
});
