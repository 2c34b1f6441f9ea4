import { expect, test } from 'vitest';
import { nextMessage } from '../../src/webhooks/queue.ts';
import { makeEvents } from '../support/webhook-store.ts';
import { NOON } from '../support/webhooks.ts';

test('no message is skipped where the log has lost an older one', () => {
  const events = makeEvents(1, 4, NOON).filter(({ number }) => number !== 2);
  const content = { events: { last: 4, entries: events }, notices: { last: 0, entries: [] } };
  const numbers = [0, 1, 2, 3, 4].map((event) => nextMessage(content, { event, notice: 0 })?.after.event);
  expect(numbers).toEqual([1, 3, 3, 4, undefined]);
});
