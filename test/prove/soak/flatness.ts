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

export interface Growth {
  name: string;
  /** Medians of the minutes after the warm-up. */
  firstHalf: number;
  secondHalf: number;
  /** The most that the second half may have. */
  allowed: number;
  isFlat: boolean;
}

/** Compares the halves of a run after its warm-up. Throws when the run was too short for that. */
export function measureGrowth(samples: readonly Sample[]): Growth[] {
  const steady = samples.slice(WARM_UP_MINUTES);
  if (steady.length < 2) throw new Error(`a run takes at least ${WARM_UP_MINUTES + 2} minutes`);
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
  return (
    ((sorted[Math.floor((sorted.length - 1) / 2)] ?? 0) + (sorted[Math.floor(sorted.length / 2)] ?? 0)) / 2
  );
}
