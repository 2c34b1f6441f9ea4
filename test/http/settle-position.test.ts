import { describe, expect, test } from 'vitest';
import { shareReads } from '../../src/http/listing/read-store.ts';
import { settlePosition } from '../../src/http/listing/settle-position.ts';
import { renderEvents } from '../../src/publishing/events.ts';

function logUpTo(lastEvent: number, epoch = 'e1') {
  const events = Array.from({ length: lastEvent }, (_, index) => {
    const number = index + 1;
    return { number, at: 0, type: 'left' as const, slug: `anime-${number}`, title: 'x' };
  });
  const listing = { schedule: [], ongoing: [], scheduleChangedAt: 0, ongoingChangedAt: 0 };
  return renderEvents(
    events,
    { ...listing, epoch, lastEvent, ledger: {} },
    { url: 'https://tayang.example' },
  );
}

const NEVER = 60_000;

describe('a position', () => {
  test('that the log has needs no reading', async () => {
    const read = () => Promise.reject(new Error('nobody may ask'));
    for (const number of [0, 2, 3]) {
      const position = { epoch: number === 0 ? undefined : 'e1', number };
      expect(await settlePosition(position, () => logUpTo(3), read)).toBe(true);
    }
  });

  test.each([
    ['above the last one', { epoch: 'e1', number: 4 }],
    ['above the last one, without an epoch', { number: 4 }],
    ['of an epoch that is not known', { epoch: 'e2', number: 2 }],
    ['named by an event that is not known', { epoch: '0123456789ab4', number: 4 }],
    ['named by another event than the one here', { epoch: '0123456789ab2', number: 2 }],
  ])('%s is settled by a reading of the store, and by nothing else', async (_what, position) => {
    const log = () => logUpTo(3);
    let readings = 0;
    const third = async () => {
      readings += 1;
      return readings === 3;
    };
    expect(await settlePosition(position, log, third, NEVER)).toBe(true);
    expect(readings).toBe(3);
    const noAnswer = () => new Promise<boolean>(() => {});
    expect(await settlePosition(position, log, noAnswer, 1)).toBe(false);
  });

  test('is settled once the log has it, although the store gave no certainty', async () => {
    let log = logUpTo(3);
    const read = async () => {
      log = logUpTo(4);
      return false;
    };
    expect(await settlePosition({ epoch: 'e1', number: 4 }, () => log, read, NEVER)).toBe(true);
  });
});

test('readings of the store are shared, and none is taken that began before the question', async () => {
  const begun: PromiseWithResolvers<boolean>[] = [];
  const read = shareReads(() => {
    begun.push(Promise.withResolvers());
    return begun.at(-1)!.promise;
  }, 0);
  const first = read();
  await expect.poll(() => begun.length).toBe(1);
  const later = Array.from({ length: 1_000 }, read);
  expect(new Set(later).size).toBe(1);
  begun[0]!.resolve(false);
  expect(await first).toBe(false);
  await expect.poll(() => begun.length).toBe(2);
  begun[1]!.resolve(true);
  expect(await later[0]).toBe(true);
  expect(begun).toHaveLength(2);
});
