import { formatTable } from '../../../src/commands/table.ts';
import type { Sample } from './sample.ts';

/** What must not grow. The second half may exceed the first by a tenth, and by `slack` for what is small anyway. */
const QUANTITIES = [
  { name: 'resident memory, MB', key: 'residentMb', slack: 16 },
  { name: 'heap of all threads, MB', key: 'heapMb', slack: 8 },
  { name: 'open descriptors', key: 'descriptors', slack: 10 },
  { name: 'data folder, MB', key: 'diskMb', slack: 10 },
  { name: 'files in the data folder', key: 'files', slack: 20 },
  { name: 'timers of the main thread', key: 'timers', slack: 5 },
] as const;
const TOLERANCE = 0.1;
/** The files that expire do so within four minutes; before that the folder only grows. */
export const WARM_UP_MINUTES = 5;

/** Compares the medians of the halves of a run after its warm-up, which takes two minutes more at least. */
export function measureGrowth(samples: readonly Sample[]) {
  const steady = samples.slice(WARM_UP_MINUTES);
  const middle = Math.floor(steady.length / 2);
  return QUANTITIES.map(({ name, key, slack }) => {
    const firstHalf = median(steady.slice(0, middle).map((sample) => sample[key]));
    const secondHalf = median(steady.slice(-middle).map((sample) => sample[key]));
    const allowed = firstHalf * (1 + TOLERANCE) + slack;
    return { name, firstHalf, secondHalf, allowed, isFlat: secondHalf <= allowed };
  });
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const [low = 0, high = 0] = [Math.floor((sorted.length - 1) / 2), Math.floor(sorted.length / 2)];
  return ((sorted[low] ?? 0) + (sorted[high] ?? 0)) / 2;
}

/** Prints the halves of a run. Returns whether nothing grew and no thread was restarted. */
export function judgeSoak(samples: readonly Sample[], print: (text: string) => void): boolean {
  const growths = measureGrowth(samples);
  const rows = growths.map(({ name, firstHalf, secondHalf, allowed, isFlat }) => [
    ...[name, firstHalf.toFixed(1), secondHalf.toFixed(1), allowed.toFixed(1), isFlat ? 'flat' : 'GROWS'],
  ]);
  print(formatTable(['median of', 'first half', 'second half', 'allowed', ''], rows));
  const restarts = samples.at(-1)?.restarts ?? 0;
  print(`restarts of threads: ${restarts}`);
  return growths.every(({ isFlat }) => isFlat) && restarts === 0;
}
