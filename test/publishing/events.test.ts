import { describe, expect, test } from 'vitest';
import type { AnimeEvent } from '../../src/domain/event.ts';
import type { Snapshot } from '../../src/domain/snapshot.ts';
import { epochAt, eventsContent, type RenderedEvents, renderEvents } from '../../src/publishing/events.ts';
import { nameOf } from '../../src/store/event-position.ts';

const CONTEXT = { url: 'https://tayang.example' };
const NOON = Date.parse('2026-11-20T12:00:00Z');

const eventOf = (number: number): AnimeEvent => ({
  number,
  at: NOON + number * 1_000,
  type: 'left',
  slug: `anime-${number}`,
  title: `Judul ∞ ${number}`,
});

const snapshotOf = (lastEvent: number, epoch = 'e1', at = NOON): Snapshot => ({
  schedule: [],
  ongoing: [],
  scheduleChangedAt: at,
  ongoingChangedAt: at,
  epoch,
  lastEvent,
  ledger: {},
});

function render(first: number, last: number, epoch?: string, at?: number) {
  const events = Array.from({ length: last + 1 - first }, (_, index) => eventOf(first + index));
  return renderEvents(events, snapshotOf(last, epoch, at), CONTEXT);
}

const since = (rendered: RenderedEvents, number: number) =>
  eventsContent(rendered, { epoch: undefined, number }).text;

const read = (text: string) => JSON.parse(text).data;
const numbersOf = (text: string) => read(text).events.map((event: AnimeEvent) => event.number);

describe('the events since a number', () => {
  const rendered = render(11, 2_000);

  test('are the later ones, a thousand at a time', () => {
    const first = since(rendered, 20);
    expect(read(first)).toMatchObject({ last: 1_020, complete: true, hasMore: true });
    expect(numbersOf(first)).toEqual(Array.from({ length: 1_000 }, (_, index) => 21 + index));
    expect(read(since(rendered, 1_998))).toEqual({
      epoch: nameOf('e1', eventOf(2_000)),
      last: 2_000,
      complete: true,
      hasMore: false,
      events: [1_999, 2_000].map((number) => {
        return {
          ...eventOf(number),
          image: null,
          link: null,
          page: `https://tayang.example/anime/anime-${number}`,
          at: new Date(NOON + number * 1_000).toISOString(),
        };
      }),
    });
  });

  test.each([
    [10, true],
    [9, false],
    [0, false],
  ])('after %i are complete when the oldest kept is 11: %s', (number, isComplete) => {
    const text = since(rendered, number);
    expect(read(text).complete).toBe(isComplete);
    expect(numbersOf(text).slice(0, 2)).toEqual([11, 12]);
  });

  test('are not complete since an event that another past had under that number, as after a backup was put back', () => {
    const events = [1, 2, 3, 4, 5, 6].map(eventOf);
    const later = events.map((event) => (event.number > 3 ? { ...event, at: event.at + 60_000 } : event));
    const [before, after] = [events, later].map((log) => renderEvents(log, snapshotOf(6), CONTEXT));
    const [third, sixth] = [3, 6].map((number) => epochAt(before!, number));
    const ask = (epoch: string | undefined, number: number) =>
      read(eventsContent(after!, { epoch, number }).text).complete;
    expect([ask(sixth, 6), ask(sixth, 5), ask(third, 3)]).toEqual([false, false, true]);
    // Who keeps the first epoch that it was given, and the one of an earlier version, is known by that.
    expect([ask(third, 6), ask('e1', 6), ask('e2', 6)]).toEqual([true, true, false]);
    expect(epochAt(after!, 6)).not.toBe(sixth);
  });

  test('are other bytes, and so have another tag, only where an event or its position is another', () => {
    const other = render(11, 2_001);
    const same = render(11, 2_000, 'e1', NOON + 1);
    expect(since(rendered, 12)).not.toBe(since(rendered, 13));
    expect(since(rendered, 1_500)).not.toBe(since(other, 1_500));
    // There are more than one answer has, before and after the new one.
    expect(since(rendered, 12)).toBe(since(other, 12));
    expect(since(rendered, 12)).not.toBe(since(render(11, 2_000, 'e2'), 12));
    expect(since(rendered, 12)).toBe(since(same, 12));
  });
});
