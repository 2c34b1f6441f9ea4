import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { checkDependencies } from '../../src/app/uploads-thread.ts';
import type { CheckedDependencies, DependencyCheck } from '../../src/domain/dependency.ts';
import type { OperationalEvent } from '../../src/domain/operational-event.ts';

/** How soon a change must be known. */
const LIMIT_MS = 5_000;

let reported: CheckedDependencies[];
let events: OperationalEvent[];

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  reported = [];
  events = [];
});

function start(checks: Record<string, DependencyCheck>): void {
  const onChange = (states: CheckedDependencies) => void reported.push(states);
  onTestFinished(checkDependencies(checks, { onChange, report: (event) => void events.push(event) }));
}

const works = async () => {};
const fails = async () => {
  throw new Error('it cannot be reached');
};
/** Ends when its signal does. */
const hangs = (signal: AbortSignal) =>
  new Promise<void>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason));
  });

test('the states are reported once all are known, and then only when one changes, which is reported once', async () => {
  let limiter: DependencyCheck = works;
  start({ storage: works, limiter: (signal) => limiter(signal), scanner: fails });
  await vi.advanceTimersByTimeAsync(LIMIT_MS);
  const before = { storage: 'ok', limiter: 'ok', scanner: 'down' };
  expect(reported).toEqual([before]);
  limiter = fails;
  await vi.advanceTimersByTimeAsync(LIMIT_MS);
  expect(reported).toEqual([before, { ...before, limiter: 'down' }]);
  limiter = works;
  await vi.advanceTimersByTimeAsync(LIMIT_MS);
  expect(reported.slice(2)).toEqual([before]);
  expect(events).toEqual([
    { type: 'dependency-down', name: 'scanner', error: new Error('it cannot be reached') },
    { type: 'dependency-down', name: 'limiter', error: new Error('it cannot be reached') },
    { type: 'dependency-restored', name: 'limiter', downMs: expect.any(Number) },
  ]);
});

test('a dependency that hangs is down in time, also from the start, and delays no other', async () => {
  let storage: DependencyCheck = hangs;
  let scanner: DependencyCheck = works;
  start({ storage: (signal) => storage(signal), scanner: (signal) => scanner(signal) });
  await vi.advanceTimersByTimeAsync(LIMIT_MS);
  expect(reported).toEqual([{ storage: 'down', scanner: 'ok' }]);
  scanner = fails;
  await vi.advanceTimersByTimeAsync(LIMIT_MS);
  expect(reported.at(-1)).toEqual({ storage: 'down', scanner: 'down' });
  storage = works;
  await vi.advanceTimersByTimeAsync(LIMIT_MS);
  expect(reported.at(-1)).toEqual({ storage: 'ok', scanner: 'down' });
  storage = hangs;
  await vi.advanceTimersByTimeAsync(LIMIT_MS);
  expect(reported.at(-1)).toEqual({ storage: 'down', scanner: 'down' });
});

test('a check that cannot be ended is not repeated meanwhile: a hung disk would take all threads', async () => {
  const check = vi.fn(() => new Promise<void>(() => {}));
  start({ storage: check });
  await vi.advanceTimersByTimeAsync(10 * LIMIT_MS);
  expect(reported).toEqual([{ storage: 'down' }]);
  expect(check).toHaveBeenCalledTimes(1);
});
