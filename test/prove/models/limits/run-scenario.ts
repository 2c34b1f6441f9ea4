import { setTimeout as sleep } from 'node:timers/promises';
import { inOrder } from '../../../../src/domain/serial.ts';
import type { UploadId } from '../../../../src/domain/upload.ts';
import { connectRedis } from '../../../../src/redis/connection.ts';
import type { Usage } from '../../../../src/uploads/ledger.ts';
import { openRedisLimits } from '../../../../src/uploads/limiters/redis.ts';
import { ListedFiles, openLimits, type TestLimits } from '../../../support/quota.ts';
import type { TestRedis } from '../../../support/redis.ts';
import { type Handlers, takeSteps } from '../steps.ts';
import type { Operation, Step } from './scenario.ts';

const OWNER = '203.0.113.7';
const SHARE_BYTES = 60;
const PLACES = [{ key: 'uploads 203.0.113.7', limit: 3 }];
const PLACE_KEYS = PLACES.map(({ key }) => key);
const HOUR_MS = 3_600_000;
/** What happened while Redis was away has to be counted right within this time. */
const MAX_COUNT_MS = 60_000;
/** Longer than a process waits until it registers again. */
const WAIT_MS = 1_200;

/** Runs a scenario with two processes on a Redis and a storage without contents, and returns what is wrong. */
export async function runScenario(steps: Step[], server: TestRedis): Promise<string[]> {
  const url = server.url();
  const redis = connectRedis(url, { replyTimeoutMs: 2_000 });
  const listed = new ListedFiles();
  const faults: string[] = [];
  const open = () =>
    openLimits((options) => openRedisLimits(url, options), {
      totalBytes: 10 * SHARE_BYTES,
      ownerBytes: SHARE_BYTES,
      storage: listed.storage,
    });
  const processes = [await open(), await open()];
  const underWay: Promise<void>[] = [];
  /** One request at a time continues an upload. */
  const inTurn = inOrder();
  let isPaused = false;
  const handlers: Handlers<Step> = {
    operate: ({ operations }) => void underWay.push(...operations.map(operate)),
    async restart() {
      isPaused = false;
      await server.kill();
      await server.start();
    },
    empty,
    pause() {
      isPaused = true;
      server.pause();
    },
    resume,
    wait: () => sleep(WAIT_MS),
    crash,
  };
  try {
    for (const one of steps) {
      await takeSteps([one], handlers, []);
      await sleep(5);
    }
    resume();
    await Promise.all(underWay);
    for (const limits of processes) await checkCount(limits);
    return faults;
  } finally {
    resume();
    await Promise.all(processes.map((limits) => limits.close()));
    redis.close();
  }

  /** Does nothing while Redis does not answer. */
  async function empty(): Promise<void> {
    if (isPaused) return;
    try {
      await redis.client().flushAll();
    } catch {}
  }

  function resume(): void {
    if (isPaused) server.resume();
    isPaused = false;
  }

  function choose(file: number): Usage | undefined {
    return [...listed.files.values()][file];
  }

  async function operate({ what, process, file, size }: Operation): Promise<void> {
    const limits = processes[process];
    const chosen = choose(file);
    if (!limits) return;
    if (what === 'store') await upload(limits, size);
    else if (chosen && what === 'continue') await inTurn(() => upload(limits, size, chosen.id));
    else if (chosen) {
      listed.files.delete(chosen.id);
      limits.quota.release(chosen.id);
    }
  }

  /** Receives a file, or more bytes of an upload that is stored. It may be refused. */
  async function upload({ quota, ledger }: TestLimits, size: number, id?: UploadId): Promise<void> {
    if (!(await takePlaces(ledger, 1))) return;
    const reservation = await quota.reserve(OWNER, size).catch(() => undefined);
    try {
      await reservation?.grow(size);
      const keep = async ({ id, size: stored }: Usage) =>
        reservation?.keep(id, stored, async () => {}, { id, bytes: stored - size });
      if (reservation) await store(id, size, keep);
    } catch (error) {
      if (!['storage-full', 'limiter-down'].includes((error as { code?: string }).code ?? ''))
        faults.push(String(error));
    } finally {
      reservation?.release();
      ledger.give(PLACE_KEYS, 1);
    }
  }

  async function store(
    id: UploadId | undefined,
    size: number,
    keep: (stored: Usage) => Promise<void>,
  ): Promise<void> {
    const earlier = id && listed.files.get(id);
    if (id && !earlier) return;
    const stored = listed.add(OWNER, size, Date.now() + HOUR_MS);
    if (earlier) {
      listed.files.delete(stored.id);
      earlier.size += size;
    }
    const sum = listed.bytes;
    if (sum > SHARE_BYTES) faults.push(`${sum} bytes are stored`);
    await keep(earlier ?? stored);
  }

  async function crash({ process, file, size }: Extract<Step, { type: 'crash' }>): Promise<void> {
    await Promise.all(underWay);
    const chosen = choose(file);
    if (chosen) listed.files.delete(chosen.id);
    else if (listed.bytes + size <= SHARE_BYTES) listed.add(OWNER, size, Date.now() + HOUR_MS);
    await processes[process]?.close();
    processes[process] = await open();
  }

  /** Waits until a process counts what is stored, and nothing else is held. */
  async function checkCount(limits: TestLimits): Promise<void> {
    const expected = SHARE_BYTES - listed.bytes;
    let left: number | undefined;
    for (const startedAt = performance.now(); performance.now() - startedAt < MAX_COUNT_MS; await sleep(50)) {
      left = await limits.leftOf(OWNER);
      if (left === expected && (await hasAllPlaces(limits))) return;
    }
    faults.push(`${left} bytes are left where ${expected} should be, or places are taken`);
  }

  async function hasAllPlaces({ ledger }: TestLimits): Promise<boolean> {
    const areLeft = await takePlaces(ledger, 3);
    if (areLeft) ledger.give(PLACE_KEYS, 3);
    return areLeft;
  }
}

/** Resolves with false when there are not so many places, or Redis does not answer. */
async function takePlaces(ledger: TestLimits['ledger'], places: number): Promise<boolean> {
  try {
    return (await ledger.take(PLACES, places, places)).ok;
  } catch {
    return false;
  }
}
