import { openMemoryWindow } from '../../src/network/memory-window.ts';
import { collectGarbage } from '../support/garbage.ts';
import { ratios } from '../support/measure.ts';
import type { Row } from '../support/table.ts';

const LIMIT = 40;
const WINDOW_MS = 60_000;
/** So many that the clock of a thread's CPU time, which counts in ms, is precise enough. */
const CHECKS = 3_000_000;
const MB = 1024 ** 2;
/** The maximum number of addresses that the limiter keeps. */
const MAX_ADDRESSES = 60_000;

/** A check of the limiter, compared with a Map look-up of the same key, and the memory for many addresses. */
export async function measureLimiter(): Promise<Row[]> {
  // The other rows leave garbage, so memory is measured first.
  const maxBytes = bytesFor(MAX_ADDRESSES);
  const manyBytes = bytesFor(1_000_000);
  return [
    { what: '1 address: time of a Map look-up', values: await timeOf(1), wanted: { atMost: 4 } },
    {
      what: '60,000 addresses: time of a Map look-up',
      values: await timeOf(MAX_ADDRESSES),
      wanted: { atMost: 4 },
    },
    { what: '60,000 addresses: memory', values: [maxBytes / MB], wanted: { atMost: 32 }, unit: 'MB' },
    {
      what: '1,000,000 addresses: memory more than that',
      values: [Math.max(0, manyBytes - maxBytes) / MB],
      wanted: { atMost: 1 },
      unit: 'MB',
    },
  ];
}

/** Every address sends as many requests as it may: each check removes the oldest one and counts a new one. */
async function timeOf(addresses: number): Promise<number[]> {
  let now = 0;
  // The look-ups have a clock to step, too, because that is not a part of a check.
  let otherNow = 0;
  const stepMs = WINDOW_MS / LIMIT / addresses;
  const limiter = openMemoryWindow({ windowMs: WINDOW_MS, elapsedMs: () => now });
  const keys = Array.from({ length: addresses }, (_, index) => [{ key: addressOf(index), limit: LIMIT }]);
  const map = new Map(keys.map(([bucket], index) => [bucket?.key ?? '', index]));
  let found = 0;

  const cpuMs = (work: (index: number) => void) => async () => {
    const before = process.threadCpuUsage();
    for (let count = 0; count < CHECKS; count += 1) work(count % addresses);
    const { user, system } = process.threadCpuUsage(before);
    return (user + system) / 1_000;
  };
  const values = await ratios(
    cpuMs((index) => {
      otherNow += stepMs;
      found += map.get(keys[index]![0]!.key)!;
    }),
    cpuMs((index) => {
      now += stepMs;
      if (limiter.take(keys[index]!) instanceof Promise) found += 1;
    }),
  );
  if ((found === 0 && addresses > 1) || otherNow === 0) throw new Error('nothing was looked up');
  return values;
}

/** The memory that a limiter takes for a number of addresses, in bytes; it may include a little garbage. */
function bytesFor(addresses: number): number {
  collectGarbage();
  const before = memory();
  let now = 0;
  const limiter = openMemoryWindow({ windowMs: WINDOW_MS, elapsedMs: () => now });
  for (let index = 0; index < addresses; index += 1) {
    now += 0.01;
    limiter.take([{ key: addressOf(index), limit: LIMIT }]);
  }
  collectGarbage();
  const after = memory();
  limiter.peek([{ key: 'keeps it alive', limit: 1 }]);
  return after - before;
}

function memory(): number {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

function addressOf(index: number): string {
  return `10.${(index >> 16) & 255}.${(index >> 8) & 255}.${index & 255}`;
}
