import { formatTable } from '../../../src/commands/table.ts';
import { measureGrowth } from './flatness.ts';
import type { Sample } from './sample.ts';

/** One line for each minute. */
export function formatSample(sample: Sample): string {
  const { minute, residentMb, heapMb, descriptors, diskMb, files, timers, loopDelay } = sample;
  const errors = Object.entries(sample.errors).map(([kind, count]) => `${kind}: ${count}`);
  return [
    `minute ${minute}: resident ${residentMb.toFixed(0)} MB, heap ${heapMb.toFixed(0)} MB`,
    `${descriptors} descriptors, ${timers} timers, ${files} files, ${diskMb.toFixed(0)} MB`,
    `loop ${loopDelay.toFixed(0)} ms, reads ${sample.readP50.toFixed(1)} / ${sample.readP99.toFixed(1)} ms`,
    `uploads ${sample.uploadP50.toFixed(1)} / ${sample.uploadP99.toFixed(1)} ms`,
    ...errors,
  ].join('; ');
}

/** Prints the halves of a run, its exchanges and its errors. Returns whether nothing grew and nothing failed. */
export function judgeSoak(samples: readonly Sample[], print: (text: string) => void): boolean {
  const growths = measureGrowth(samples);
  const rows = growths.map(({ name, firstHalf, secondHalf, allowed, isFlat }) => [
    ...[name, firstHalf.toFixed(1), secondHalf.toFixed(1), allowed.toFixed(1), isFlat ? 'flat' : 'GROWS'],
  ]);
  print(formatTable(['median of', 'first half', 'second half', 'allowed', ''], rows));
  const outcomes = sumCounts(samples.map((sample) => sample.outcomes));
  const errors = sumCounts(samples.map((sample) => sample.errors));
  print(formatTable(['exchanges', 'number'], toRows(outcomes)));
  print(Object.keys(errors).length === 0 ? 'no errors' : formatTable(['errors', 'number'], toRows(errors)));
  const restarts = samples.at(-1)?.restarts ?? 0;
  print(`restarts of threads: ${restarts}`);
  return growths.every(({ isFlat }) => isFlat) && Object.keys(errors).length === 0 && restarts === 0;
}

function sumCounts(all: readonly Record<string, number>[]): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const counts of all)
    for (const [key, count] of Object.entries(counts)) sums[key] = (sums[key] ?? 0) + count;
  return sums;
}

function toRows(counts: Record<string, number>): string[][] {
  return Object.entries(counts)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([kind, count]) => [kind, String(count)]);
}
