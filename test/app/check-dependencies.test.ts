import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { checkDependencies, type RunningChecks } from '../../src/app/check-dependencies.ts';
import type { CheckedDependencies, DependencyCheck, DependencyChecks } from '../../src/domain/health.ts';
import type { OperationalEvent } from '../../src/domain/operational-event.ts';

/** How soon a change must be known. */
const LIMIT_MS = 5_000;

let elapsed: number;
let reported: CheckedDependencies[];
let events: OperationalEvent[];

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  elapsed = 0;
  reported = [];
  events = [];
});

/** Lets time pass in which the process gets all the CPU time that it needs. */
async function pass(ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 10) {
    elapsed += 10;
    await vi.advanceTimersByTimeAsync(10);
  }
}

/** Lets time pass in which the process gets no CPU time; timers that were due meanwhile fire once afterwards. */
async function starve(ms: number): Promise<void> {
  elapsed += ms;
  await vi.advanceTimersByTimeAsync(100);
}

function start(checks: DependencyChecks): RunningChecks {
  const running = checkDependencies({
    checks,
    onChange: (states) => void reported.push(states),
    report: (event) => void events.push(event),
    elapsedMs: () => elapsed,
  });
  onTestFinished(running.stop);
  return running;
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
  await pass(LIMIT_MS);
  const before = { storage: 'ok', limiter: 'ok', scanner: 'down' };
  expect(reported).toEqual([before]);
  limiter = fails;
  await pass(LIMIT_MS);
  expect(reported).toEqual([before, { ...before, limiter: 'down' }]);
  limiter = works;
  await pass(LIMIT_MS);
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
  await pass(LIMIT_MS);
  expect(reported).toEqual([{ storage: 'down', scanner: 'ok' }]);
  expect(events).toMatchObject([{ type: 'dependency-down', error: new Error('no answer within 2500 ms') }]);
  scanner = fails;
  await pass(LIMIT_MS);
  expect(reported.at(-1)).toEqual({ storage: 'down', scanner: 'down' });
  storage = works;
  await pass(LIMIT_MS);
  expect(reported.at(-1)).toEqual({ storage: 'ok', scanner: 'down' });
  storage = hangs;
  await pass(LIMIT_MS);
  expect(reported.at(-1)).toEqual({ storage: 'down', scanner: 'down' });
});

test('a check that cannot be ended is not repeated meanwhile: a hung disk would take all threads', async () => {
  const check = vi.fn(() => new Promise<void>(() => {}));
  start({ storage: check });
  await pass(10 * LIMIT_MS);
  expect(reported).toEqual([{ storage: 'down' }]);
  expect(check).toHaveBeenCalledTimes(1);
});

test('a check proves nothing while the process gets no CPU time, however long it takes', async () => {
  const answer = Promise.withResolvers<void>();
  start({ storage: () => answer.promise });
  for (let times = 0; times < 5; times += 1) await starve(10_000);
  expect(reported).toEqual([]);
  answer.resolve();
  await pass(10);
  expect(reported).toEqual([{ storage: 'ok' }]);
  expect(events).toEqual([]);
});

test('a check that fails because the process got no CPU time is repeated before it is believed', async () => {
  let fail: (error: Error) => void = () => {};
  const check = () =>
    new Promise<void>((_resolve, reject) => {
      fail = reject;
    });
  start({ limiter: check });
  await starve(2_000);
  fail(new Error('no reply within 2 s'));
  await pass(LIMIT_MS / 2);
  expect(events).toEqual([]);
  fail(new Error('no reply within 2 s'));
  await pass(10);
  expect(reported).toEqual([{ limiter: 'down' }]);
});

test('real work that succeeds shows that a dependency works, although its checks hang or fail', async () => {
  let storage: DependencyCheck = works;
  const { noteSuccess } = start({ storage: (signal) => storage(signal) });
  for (const broken of [hangs, fails]) {
    storage = broken;
    for (let count = 0; count < 20; count += 1) {
      await pass(500);
      noteSuccess('storage');
    }
  }
  expect(reported).toEqual([{ storage: 'ok' }]);
  await pass(LIMIT_MS);
  expect(reported).toEqual([{ storage: 'ok' }, { storage: 'down' }]);
});

test('a dependency is up again as soon as real work succeeds, though its check still hangs', async () => {
  const { noteSuccess } = start({ storage: () => new Promise<void>(() => {}) });
  await pass(LIMIT_MS);
  expect(reported).toEqual([{ storage: 'down' }]);
  noteSuccess('storage');
  noteSuccess('scanner');
  expect(reported).toEqual([{ storage: 'down' }, { storage: 'ok' }]);
});
