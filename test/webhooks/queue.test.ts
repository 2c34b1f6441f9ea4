import { expect, test } from 'vitest';
import { type Cursor, nextMessage, type QueueContent, toCurrentEpoch } from '../../src/webhooks/queue.ts';
import { makeEvents } from '../support/webhook-store.ts';
import { NOON } from '../support/webhooks.ts';

const contentOf = (events: QueueContent['events'], epoch = 'e1'): QueueContent => ({
  epoch,
  lastEvent: events.at(-1)?.number ?? 0,
  events,
  notices: [],
});
const cursor = (event: number, epoch = 'e1'): Cursor => ({ epoch, event, notice: 0 });

test('no message is skipped where the log has lost an older one', () => {
  const content = contentOf(makeEvents(1, 4, NOON).filter(({ number }) => number !== 2));
  const numbers = [0, 1, 2, 3, 4].map((event) => nextMessage(content, cursor(event))?.after.event);
  expect(numbers).toEqual([1, 3, 3, 4, undefined]);
});

test('a cursor stays where it is in its epoch', () => {
  const events = makeEvents(1, 4, NOON);
  expect(toCurrentEpoch(cursor(3), contentOf(events), NOON)).toEqual(cursor(3));
  // The process that sends may have heard of events that the store has forgotten.
  expect(toCurrentEpoch(cursor(9), contentOf(events), NOON)).toEqual(cursor(9));
});
