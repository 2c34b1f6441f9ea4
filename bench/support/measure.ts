import type { MeasuredServer } from './servers.ts';

/** Pairs of limit and ours, after one of each that does not count. */
export const PAIRS = 5;

type Measure = () => Promise<number>;

/** Ours over the limit, measured in turn, so that what else the machine does meets both. */
export async function ratios(limit: Measure, ours: Measure, pairs = PAIRS): Promise<number[]> {
  return compare(limit, ours, (theirs, own) => own / theirs, pairs);
}

/** What ours is more than the limit, in its own unit. */
export async function differences(limit: Measure, ours: Measure, pairs = PAIRS): Promise<number[]> {
  return compare(limit, ours, (theirs, own) => own - theirs, pairs);
}

async function compare(
  limit: Measure,
  ours: Measure,
  relate: (theirs: number, own: number) => number,
  pairs: number,
): Promise<number[]> {
  await limit();
  await ours();
  const values: number[] = [];
  for (let pair = 0; pair < pairs; pair += 1) {
    const theirs = await limit();
    values.push(relate(theirs, await ours()));
  }
  return values;
}

/** Work per second of the server's own CPU; `work` resolves with how much it was. */
export async function perCpuSecond(server: MeasuredServer, work: () => Promise<number>): Promise<number> {
  const before = await server.usage();
  const done = await work();
  const after = await server.usage();
  return done / (after.cpuSeconds - before.cpuSeconds);
}

/** Milliseconds of this process's CPU that a piece of work takes, of many repetitions. */
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

/** The value that this share of the values does not exceed. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}
