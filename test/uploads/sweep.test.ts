import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { OperationalEvent } from '../../src/domain/operational-event.ts';
import { openDiskStorage } from '../../src/uploads/storage/disk.ts';
import type { Storage } from '../../src/uploads/storage.ts';
import { startSweeping } from '../../src/uploads/sweep.ts';
import { A, commit, openQuota } from '../support/quota.ts';
import { eventually, temporaryFolder } from '../support/service.ts';
import { filesIn } from '../support/upload-client.ts';
import { HOUR_MS, keep, newId } from '../support/uploads.ts';

const NOW = Date.parse('2026-08-15T21:30:00Z');
const MINUTE = 60_000;

let root: string;
let now: number;
let storage: Storage;
let events: OperationalEvent[];

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  root = await temporaryFolder(onTestFinished);
  now = NOW;
  storage = await openDiskStorage(root);
  events = [];
});

afterEach(async () => {
  vi.useRealTimers();
  await storage.close();
});

async function start(over: Partial<Storage> = {}) {
  const quota = await openQuota({ totalBytes: 1_000, ownerBytes: 1_000 });
  const report = (event: OperationalEvent) => void events.push(event);
  let underWay: Promise<unknown> | undefined;
  const sweep: Storage['sweep'] = (...at) => {
    const sweeping = (over.sweep ?? storage.sweep)(...at);
    underWay = sweeping.catch(() => {});
    return sweeping;
  };
  // There are no records and collections here: `underWay` is all that takes time.
  const records: Storage['records'] = { ...storage.records, async *list() {} };
  const collections: Storage['collections'] = { ...storage.collections, async *list() {} };
  const { stop, failing } = startSweeping({
    storage: { ...storage, sweep, records, collections },
    quota,
    report,
    now: () => now,
  });

  /** Advances the clock and all intervals, after the sweep under way has ended. */
  async function pass(ms: number): Promise<void> {
    await idle();
    now += ms;
    vi.advanceTimersByTime(ms);
    await idle();
  }

  async function idle(): Promise<void> {
    await underWay;
    await new Promise((passed) => setImmediate(passed));
  }

  return { quota, stop, failing, pass };
}

/** Waits until `count` files are left. */
async function expectFiles(count: number): Promise<void> {
  await eventually(
    () => filesIn(root),
    (files) => files.length === count,
  );
}

describe('the sweep', () => {
  test('removes every file within a minute of its expiry, and not before', async () => {
    const { stop, pass } = await start();
    for (const life of [1, MINUTE, 10 * MINUTE, 29 * MINUTE, 31 * MINUTE, 5 * HOUR_MS]) {
      await keep(storage, randomBytes(10), NOW + life);
    }
    await pass(MINUTE - 1);
    await expectFiles(5);
    await pass(MINUTE);
    await expectFiles(4);
    await pass(28 * MINUTE);
    await expectFiles(2);
    await pass(2 * MINUTE);
    await expectFiles(1);
    await pass(4 * HOUR_MS);
    await expectFiles(1);
    await pass(HOUR_MS);
    await expectFiles(0);
    await stop();
  });

  test('removes files of a crashed process within a minute of the start', async () => {
    const left = path.join(root, 'staging', '4711-x7Qz9B');
    await mkdir(left, { recursive: true });
    await writeFile(path.join(left, '1'), randomBytes(100));
    // The folder of an upload that may be continued for hours, of which nothing else was created.
    const empty = path.join(root, 'resumable', '2026-08-16T03', newId(NOW + 6 * HOUR_MS));
    await mkdir(empty, { recursive: true });
    for (const folder of [left, empty]) await utimes(folder, NOW / 1_000, NOW / 1_000);

    const { stop, pass } = await start();
    await pass(1_000);
    await expectFiles(1);
    for (let second = 0; second < 59; second += 1) await pass(1_000);
    await expectFiles(0);
    await stop();
    expect(existsSync(empty)).toBe(false);
    expect(events).toContainEqual({ type: 'uploads-swept', files: 0, stagedUploads: 1 });
  });

  test('continues after a failure, and reports it', async () => {
    const error = new Error('no such disk');
    const sweep = vi.fn<Storage['sweep']>().mockRejectedValueOnce(error);
    sweep.mockResolvedValue({ files: 0, stagedUploads: 0, removed: [], kept: [] });
    const { stop, pass } = await start({ sweep });
    await eventually(
      async () => events,
      (told) => told.length === 1,
    );
    expect(events[0]).toMatchObject({ type: 'store-failed', error });
    await pass(MINUTE);
    expect(sweep.mock.calls.length).toBeGreaterThanOrEqual(2);
    await stop();
  });

  test('leaves what cannot be removed counted, reports it once, and removes all else', async () => {
    const { quota, stop, failing, pass } = await start();
    const id = newId(NOW + 10);
    // Nothing can unlink a folder.
    await mkdir(path.join(root, new Date(NOW).toISOString().slice(0, 13), id), { recursive: true });
    await commit(await quota.reserve(A), id, 400);
    await keep(storage, randomBytes(10), NOW + 10);
    await pass(MINUTE);
    await pass(MINUTE);
    await expectFiles(0);
    await stop();
    expect(quota.stored().bytes).toBe(400);
    expect(failing()).toBe(1);
    const failures = events.filter(({ type }) => type === 'store-failed');
    expect(failures).toMatchObject([{ doing: expect.stringContaining(id) }]);
  });

  test('never runs twice at a time, and ends when it is stopped', async () => {
    const swept = Promise.withResolvers<Awaited<ReturnType<Storage['sweep']>>>();
    const sweep = vi.fn<Storage['sweep']>().mockReturnValueOnce(swept.promise);
    const { stop, pass } = await start({ sweep });
    vi.advanceTimersByTime(10 * MINUTE);
    expect(sweep).toHaveBeenCalledTimes(1);
    const stopped = stop();
    swept.resolve({ files: 0, stagedUploads: 0, removed: [], kept: [] });
    await stopped;
    await pass(10 * MINUTE);
    expect(sweep).toHaveBeenCalledTimes(1);
  });
});
