import { setTimeout as sleep } from 'node:timers/promises';
import type { MeasuredServer } from './servers.ts';

/**
 * Pairs of one short measurement of the baseline and one of ours are added until the median is certain enough, or time
 * is up.
 */
const MIN_PAIRS = 7;
const MAX_MS = 30_000;
/** The median is certain enough when its interval is not wider than this share of it. */
const NARROW = 0.08;
const SAMPLE_EVERY_MS = 25;

type Measure = () => Promise<number>;

/** Ours divided by the baseline. The two are measured alternately, so other load on the machine affects both. */
export async function ratios(baseline: Measure, ours: Measure): Promise<number[]> {
  return compare(baseline, ours, (base, own) => own / base);
}

/** Ours minus the baseline, in the unit of the measurement. */
export async function differences(baseline: Measure, ours: Measure): Promise<number[]> {
  return compare(baseline, ours, (base, own) => own - base);
}

async function compare(
  baseline: Measure,
  ours: Measure,
  relate: (base: number, own: number) => number,
): Promise<number[]> {
  // The first pair is a warm-up.
  await baseline();
  await ours();
  const startedAt = performance.now();
  const values: number[] = [];
  while (values.length < MIN_PAIRS || (!isNarrow(values) && performance.now() - startedAt < MAX_MS)) {
    const base = await baseline();
    values.push(relate(base, await ours()));
  }
  return values;
}

function isNarrow(values: readonly number[]): boolean {
  const { low, high } = medianInterval(values);
  return high - low <= NARROW * Math.abs(median(values));
}

/** How much the resident memory of a server grows during `work`, in bytes: the highest of continuous samples. */
export async function memoryGrowth(server: MeasuredServer, work: () => Promise<unknown>): Promise<number> {
  const { residentBytes: before } = await server.usage();
  let max = before;
  let isOver = false;
  const working = work().finally(() => {
    isOver = true;
  });
  while (!isOver) {
    max = Math.max(max, (await server.usage()).residentBytes);
    await sleep(SAMPLE_EVERY_MS);
  }
  await working;
  return max - before;
}

/** Work per second of the server's CPU time; `work` resolves with its amount. */
export async function perCpuSecond(server: MeasuredServer, work: () => Promise<number>): Promise<number> {
  const before = await server.usage();
  const done = await work();
  const after = await server.usage();
  return done / (after.cpuSeconds - before.cpuSeconds);
}

/** CPU time of this process for one call of `work`, in ms: the mean of all repetitions. */
export async function cpuMsOf(repetitions: number, work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  for (let count = 0; count < repetitions; count += 1) await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000 / repetitions;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2;
}

/** The interval in which the true median lies with a probability of 95 %; of fewer than seven values, all of them. */
export function medianInterval(values: readonly number[]): { low: number; high: number } {
  const sorted = values.toSorted((a, b) => a - b);
  // The ranks follow a binomial distribution, by its normal approximation.
  const outside = Math.max(0, Math.floor(sorted.length / 2 - 0.98 * Math.sqrt(sorted.length)));
  return { low: sorted.at(outside) ?? Number.NaN, high: sorted.at(-1 - outside) ?? Number.NaN };
}

/** The value that a share of the values does not exceed. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}
