import { expect, test } from 'vitest';
import { measureGrowth, WARM_UP_MINUTES } from './soak/judge.ts';
import type { Sample } from './soak/sample.ts';

const FIGURES = { residentMb: 100, heapMb: 100, descriptors: 100, diskMb: 100, files: 100, timers: 100 };

/** What grows in a run of 40 minutes in which every figure is 100, except for those that `change` returns. */
function growing(change: (minute: number) => Partial<Sample>): string[] {
  const samples = Array.from({ length: 40 }, (_, minute) => ({
    ...{ minute, ...FIGURES, restarts: 0 },
    ...change(minute),
  }));
  return measureGrowth(samples).flatMap(({ name, isFlat }) => (isFlat ? [] : [name]));
}

test('a run is flat when its figures only vary, or grow during the warm-up', () => {
  expect(growing((minute) => ({ residentMb: 100 + (minute % 7) * 10 }))).toEqual([]);
  expect(growing((minute) => ({ diskMb: minute < WARM_UP_MINUTES ? minute * 10 : 100 }))).toEqual([]);
});

test.each(Object.keys(FIGURES))('a steady growth of %s is found', (key) => {
  expect(growing((minute) => ({ [key]: 100 + minute * 3 }))).toHaveLength(1);
});
