import type { MeasuredServer } from './servers.ts';

/** The number of pairs of one measurement of the limit and one of ours, after a first pair as a warm-up. */
export const PAIRS = 5;

type Measure = () => Promise<number>;

/** Ours divided by the limit. The two are measured alternately, so other load on the machine affects both. */
export async function ratios(limit: Measure, ours: Measure, pairs = PAIRS): Promise<number[]> {
  return compare(limit, ours, (theirs, own) => own / theirs, pairs);
}

/** Ours minus the limit, in the unit of the measurement. */
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

/** The value that a share of the values does not exceed. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}
