import { expect, test } from 'vitest';
import { measureGrowth, WARM_UP_MINUTES } from './soak/judge.ts';
import type { Sample } from './soak/sample.ts';

/** A run of 40 minutes in which every figure is 100, except for those that `change` returns. */
function runWith(change: (minute: number) => Partial<Sample>): Sample[] {
  const figures = { residentMb: 100, heapMb: 100, descriptors: 100, diskMb: 100, files: 100, timers: 100 };
  return Array.from({ length: 40 }, (_, minute) => ({
    minute,
    ...figures,
    restarts: 0,
    outcomes: {},
    errors: {},
    ...change(minute),
  }));
}

const growing = (samples: Sample[]) =>
  measureGrowth(samples)
    .filter(({ isFlat }) => !isFlat)
    .map(({ name }) => name);

test('a run is flat when its figures only vary', () => {
  expect(growing(runWith((minute) => ({ residentMb: 100 + (minute % 7) * 10 })))).toEqual([]);
});

test('growth during the warm-up does not count', () => {
  const samples = runWith((minute) => ({ diskMb: minute < WARM_UP_MINUTES ? minute * 10 : 100 }));
  expect(growing(samples)).toEqual([]);
});

test.each([
  ['residentMb', 'resident memory, MB'],
  ['heapMb', 'heap of all threads, MB'],
  ['descriptors', 'open descriptors'],
  ['diskMb', 'data folder, MB'],
  ['files', 'files in the data folder'],
  ['timers', 'timers of the main thread'],
] as const)('a steady growth of %s is found', (key, name) => {
  expect(growing(runWith((minute) => ({ [key]: 100 + minute * 3 })))).toEqual([name]);
});

test('a run that is no longer than the warm-up is refused', () => {
  expect(() => measureGrowth(runWith(() => ({})).slice(0, WARM_UP_MINUTES + 1))).toThrow(/at least/u);
});
