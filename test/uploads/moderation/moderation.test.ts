import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { OperationalEvent } from '../../../src/domain/operational-event.ts';
import { blockRecordName } from '../../../src/uploads/moderation/block-list.ts';
import { followModeration, type Moderation } from '../../../src/uploads/moderation/follow-moderation.ts';
import { createModerator, type Moderator } from '../../../src/uploads/moderation/moderator.ts';
import { createReporting, reportNames } from '../../../src/uploads/moderation/reports.ts';
import { openDiskStorage } from '../../../src/uploads/storage/disk.ts';
import type { Storage } from '../../../src/uploads/storage.ts';
import { sweepRecords } from '../../../src/uploads/sweep.ts';
import { temporaryFolder } from '../../support/service.ts';
import { HOUR_MS, keep, newId, sha256, usageOf } from '../../support/uploads.ts';

const NOW = Date.parse('2026-08-15T21:30:00Z');
const OPERATOR = { reason: 'operator', blocks: false } as const;
/** When the process that follows started. */
const BLOCKED = 'address:203.0.113.0/24';

let now: number;
let storage: Storage;
let moderator: Moderator;
let forgotten: string[];
let listings: number;
let events: OperationalEvent[];

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  now = NOW;
  [forgotten, listings, events] = [[], 0, []];
  storage = await openDiskStorage(await temporaryFolder(onTestFinished));
  moderator = createModerator(storage, () => now);
});

afterEach(async () => {
  vi.useRealTimers();
  await storage.close();
});

function follow(over: Partial<Storage['records']> = {}): Moderation {
  const list = (prefix: string) => {
    listings += 1;
    return storage.records.list(prefix);
  };
  const moderation = followModeration({
    storage: { ...storage, records: { ...storage.records, list, ...over } },
    onRemoved: (id) => void forgotten.push(id),
    report: (event) => void events.push(event),
    elapsedMs: () => now,
  });
  onTestFinished(() => moderation.close());
  return moderation;
}

/** Lets the clock go on until the next poll. */
function pass(ms = 2_000): void {
  now += ms;
  vi.advanceTimersByTime(ms);
}

/** Waits until a process has read all that is there now: it has, once it reads again. */
async function followed(moderation: Moderation): Promise<void> {
  const isBlocked = async () => (await moderation.blocks()).hasAddress('203.0.113.7');
  await moderator.block([BLOCKED]);
  pass();
  await expect.poll(isBlocked).toBe(true);
  await moderator.unblock([BLOCKED]);
  pass();
  await expect.poll(isBlocked).toBe(false);
}

const keepFile = (bytes = randomBytes(10)) => keep(storage, bytes, NOW + HOUR_MS);

describe('a process', () => {
  test('lists records only after a change, and every 30 seconds', async () => {
    let polls = 0;
    const get = async (name: string) => {
      const content = await storage.records.get(name);
      polls += 1;
      return content;
    };
    const moderation = follow({ get });
    await moderation.blocks();
    const before = listings;
    for (let i = 2; i <= 10; i += 1) {
      pass();
      await expect.poll(() => polls).toBe(i);
    }
    expect(listings).toBe(before);
    await storage.records.put(blockRecordName(BLOCKED), Buffer.alloc(0));
    pass(30_000);
    await expect.poll(async () => (await moderation.blocks()).hasAddress('203.0.113.7')).toBe(true);
  });

  test('notices each removal once', async () => {
    const moderation = follow();
    await moderation.blocks();
    const ids = [await keepFile(), await keepFile()];
    for (const id of ids) await moderator.remove(id, OPERATOR);
    await moderator.remove(ids[0]!, { ...OPERATOR, reason: 'legal' });
    await followed(moderation);
    expect(forgotten.toSorted()).toEqual(ids.toSorted());
  });

  test('that starts later notices a removal that was begun before', async () => {
    const id = await keepFile();
    await moderator.remove(id, OPERATOR);
    await followed(follow());
    expect(forgotten).toEqual([id]);
  });

  test('does not release the space of an interrupted removal before it is complete', async () => {
    const moderation = follow();
    await moderation.blocks();
    const id = await keepFile();
    const remove = () => Promise.reject(new Error('killed'));
    const killed = createModerator({ ...storage, remove }, () => now);
    await expect(killed.remove(id, OPERATOR)).rejects.toThrow('killed');
    await followed(moderation);
    expect(forgotten).toEqual([]);
    await moderator.remove(id, OPERATOR);
    pass();
    await expect.poll(() => forgotten).toEqual([id]);
  });

  test('that cannot read the records refuses uploads, and recovers', async () => {
    let error: Error | undefined = new Error('the disk is on fire');
    const get = async (name: string) => {
      if (error) throw error;
      return storage.records.get(name);
    };
    async function* list(prefix: string) {
      if (error) throw error;
      yield* storage.records.list(prefix);
    }
    const moderation = follow({ get, list });
    await expect(moderation.blocks()).rejects.toThrow('on fire');
    pass();
    await expect(moderation.blocks()).rejects.toThrow('on fire');
    expect(events).toHaveLength(1);
    error = undefined;
    await followed(moderation);
  });
});

test('notices of removals, and reports, are swept in the millisecond in which their files would have expired', async () => {
  const reportFile = createReporting(
    storage.records,
    () => now,
    () => {},
  );
  await reportFile(newId(NOW + HOUR_MS), { reason: 'spam', note: '' });
  await moderator.remove(await keepFile(), OPERATOR);
  const names = async () => [
    ...(await Array.fromAsync(storage.records.list('removal.'))),
    ...(await Array.fromAsync(storage.records.list('report.'))),
  ];
  await sweepRecords(storage.records, NOW + HOUR_MS - 1, new Map());
  expect(await names()).toHaveLength(2);
  await sweepRecords(storage.records, NOW + HOUR_MS, new Map());
  expect(await names()).toEqual([]);
});

describe('a removal', () => {
  test('can block the bytes, also of a file that was removed earlier', async () => {
    const bytes = randomBytes(10);
    const id = await keepFile(bytes);
    await moderator.remove(id, OPERATOR);
    expect(await moderator.blocked()).toEqual([]);
    await moderator.remove(id, { ...OPERATOR, blocks: true });
    expect(await moderator.blocked()).toEqual([`sha256:${sha256(bytes)}`]);
  });

  test.each(['put', 'remove'] as const)(
    'that fails at its %s leaves the file as it was, and can be repeated',
    async (step) => {
      const id = await keepFile();
      const fail = () => Promise.reject(new Error('the disk is on fire'));
      const broken = step === 'put' ? { records: { ...storage.records, put: fail } } : { remove: fail };
      const failing = createModerator({ ...storage, ...broken }, () => now);
      await expect(failing.remove(id, OPERATOR)).rejects.toThrow('on fire');
      expect((await usageOf(storage)).map((usage) => usage.id)).toEqual([id]);
      await moderator.remove(id, OPERATOR);
      expect(await usageOf(storage)).toEqual([]);
    },
  );
});

describe('blocks', () => {
  test('are 10,000 at most', async () => {
    const entries = Array.from({ length: 10_001 }, (_, i) => `address:10.0.${i >> 8}.${i & 255}/32`);
    await expect(moderator.block(entries)).rejects.toThrow('there may be 10000 blocks, and there are 0');
    expect(await moderator.blocked()).toEqual([]);
  });
});

const SPAM = { reason: 'spam', note: '' } as const;
const reporting = (over: Partial<Storage['records']> = {}) => {
  const report = (event: OperationalEvent) => void events.push(event);
  return createReporting({ ...storage.records, ...over }, () => now, report);
};

describe('reports', () => {
  test('are logged without control characters, and stored as they were sent', async () => {
    const id = newId(NOW + HOUR_MS);
    const note = '\x1b[31m<b>red</b>\u202e\nend';
    await reporting()(id, { reason: 'malware', note });
    expect(events).toEqual([
      {
        type: 'file-reported',
        id,
        reason: 'malware',
        note: '[31m<b>red</b> end',
        isStored: true,
        earlier: 0,
      },
    ]);
    const [name = ''] = await reportNames(storage.records);
    expect(JSON.parse(String(await storage.records.get(name)))).toEqual({
      id,
      reason: 'malware',
      note,
      at: NOW,
    });
  });

  test('are limited to twenty for one file; further ones are neither stored nor logged', async () => {
    const id = newId(NOW + HOUR_MS);
    const reportFile = reporting();
    for (let i = 0; i < 50; i += 1) await reportFile(id, SPAM);
    expect(await reportNames(storage.records)).toHaveLength(20);
    expect(events).toHaveLength(20);
    await reportFile(newId(NOW + HOUR_MS), SPAM);
    expect(await reportNames(storage.records)).toHaveLength(21);
  });

  test('beyond 10,000 in all are only logged, until there are fewer', async () => {
    const full = { isFull: true };
    async function* list(prefix: string) {
      const isAll = prefix === 'report.';
      for (let i = 0; isAll && full.isFull && i < 10_000; i += 1) yield `report.${i}`;
    }
    const reportFile = reporting({ list });
    await reportFile(newId(NOW + HOUR_MS), SPAM);
    expect(events).toMatchObject([{ type: 'file-reported', isStored: false }]);
    expect(await reportNames(storage.records)).toEqual([]);
    full.isFull = false;
    now += 60_000;
    await reportFile(newId(NOW + HOUR_MS), SPAM);
    expect(await reportNames(storage.records)).toHaveLength(1);
  });
});
