import { Worker } from 'node:worker_threads';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { readConfig } from '../../src/app/config.ts';
import type { Gate } from '../../src/app/threads/gate.ts';
import type { OpenThread } from '../../src/app/threads/open-worker.ts';
import { superviseThread } from '../../src/app/threads/supervisor.ts';
import type { OperationalEvent } from '../../src/domain/operational-event.ts';
import { eventually } from '../support/service.ts';

const START_THREAD = new URL('../../src/app/threads/start-thread.js', import.meta.url);
const TROUBLED = new URL('./threads/troubled-thread.ts', import.meta.url);

/** Supervises a real thread. Its backoff passes at once; `clock` is what the supervisor reads. */
function supervise(trouble: string) {
  const events: OperationalEvent[] = [];
  const waits: number[] = [];
  const clock = { now: 0 };
  const shared = new Int32Array(new SharedArrayBuffer(8));
  const opened: Worker[] = [];
  const gates: Gate[] = [];
  const open: OpenThread = (_job, run) => {
    const worker = new Worker(START_THREAD, {
      workerData: { entry: TROUBLED.href, data: { trouble, shared }, niceness: 0, ...run },
      resourceLimits: { maxOldGenerationSizeMb: 16 },
    });
    // A second of a thread in a loop counts as ten.
    const { cpuUsage } = worker;
    worker.cpuUsage = async () => {
      const { user, system } = await cpuUsage.call(worker);
      return { user: 10 * user, system: 10 * system };
    };
    opened.push(worker);
    gates.push(run.gate);
    return worker;
  };
  const thread = superviseThread(
    {
      name: 'crawler',
      data: { config: readConfig({}, '0.0.0') },
      origins: Promise.resolve({ listing: '', uploads: '' }),
      onMessage() {},
      report: (event) => void events.push(event),
    },
    {
      open,
      clock: () => clock.now,
      async wait(ms) {
        waits.push(ms);
      },
    },
  );
  onTestFinished(async () => {
    Atomics.notify(shared, 1);
    await thread.stop();
  });
  /** Ends the thread, and waits until it runs again. */
  async function fail(): Promise<void> {
    const { restarts } = thread.state();
    thread.restart(new Error('ended by the test'));
    await eventually(
      async () => thread.state(),
      (now) => now.restarts === restarts + 1 && now.state === 'running',
    );
  }
  return { ...thread, events, waits, clock, shared, opened, gates, fail };
}

describe('a thread that', () => {
  test.each([
    ['throws', 'something broke'],
    ['rejects', 'nobody caught this'],
    ['exits', 'it ended with code 3'],
    ['freezes', /it has run for 1\d s without an answer/u],
    ['runs out of memory', 'memory limit'],
  ])('%s is restarted, and its error is reported', async (trouble, reason) => {
    const { ready, state, request, events } = supervise(trouble);
    await ready;
    await expect.poll(state).toSatisfy(({ restarts, state: name }) => restarts === 1 && name === 'running');
    expect(state().reason).toMatch(reason);
    const failures = events.filter(({ type }) => type === 'thread-failed');
    expect(failures).toMatchObject([{ thread: 'crawler', retryInMs: 250 }]);
    expect(await request({ kind: 'metrics' })).toEqual([{ life: 1 }]);
  });

  test('does not run is reported and left alone, and works as before once it runs again', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const { ready, state, request, events, shared } = supervise('is blocked');
    await ready;
    const passSecond = () => {
      vi.advanceTimersByTime(1_000);
      return events;
    };
    await expect.poll(passSecond).toMatchObject([{ type: 'thread-starved', thread: 'crawler' }]);
    expect(await request({ kind: 'metrics' })).toBeUndefined();
    Atomics.notify(shared, 1);
    await expect.poll(() => events.map(({ type }) => type)).toEqual(['thread-starved', 'thread-answers']);
    expect(await request({ kind: 'metrics' })).toEqual([{ life: 0 }]);
    expect(state()).toMatchObject({ state: 'running', restarts: 0 });
  });

  test('fails at its first start is not restarted, and ready rejects with its error', async () => {
    const { ready, state, events } = supervise('cannot start');
    await expect(ready).rejects.toThrow('there is nothing to start');
    expect(state()).toMatchObject({ state: 'stopped', restarts: 0, reason: 'there is nothing to start' });
    expect(events).toEqual([]);
  });

  test('fails repeatedly is restarted after a wait that doubles, up to ten seconds', async () => {
    const { ready, waits, fail } = supervise('none');
    await ready;
    for (let count = 1; count <= 8; count += 1) await fail();
    expect(waits).toEqual([250, 500, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000]);
  });

  test('fails after a minute in which it ran is restarted as after the first failure', async () => {
    const { ready, waits, clock, fail } = supervise('none');
    await ready;
    await fail();
    clock.now += 59_999;
    await fail();
    clock.now += 60_000;
    await fail();
    await fail();
    expect(waits).toEqual([250, 500, 250, 500]);
  });

  test('is ended while it compresses ends itself once it has finished that', async () => {
    const { ready, restart, state, opened, gates } = supervise('compresses');
    await ready;
    const terminate = vi.spyOn(opened[0]!, 'terminate');
    // The check and the restart have to follow each other in one turn of the event loop.
    const deadline = performance.now() + 60_000;
    while (Atomics.load(gates[0]!, 0) === 0 && performance.now() < deadline);
    restart(new Error('ended by the test'));
    await expect.poll(state).toMatchObject({ state: 'running', restarts: 1, reason: 'ended by the test' });
    expect(terminate).not.toHaveBeenCalled();
  });

  test('is ended is ended once, and is asked nothing from then on', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const { ready, restart, state, opened } = supervise('is blocked');
    await ready;
    const worker = opened[0]!;
    const post = vi.spyOn(worker, 'postMessage');
    const terminate = vi.spyOn(worker, 'terminate');
    const reason = new Error('ended by the test');
    restart(reason);
    vi.advanceTimersByTime(60_000);
    restart(reason);
    expect(post).not.toHaveBeenCalled();
    expect(terminate).toHaveBeenCalledOnce();
    await expect.poll(state).toMatchObject({ state: 'running', restarts: 1 });
  });

  test('is stopped is not restarted', async () => {
    const { ready, state, stop, events } = supervise('none');
    await ready;
    await stop();
    expect(state().state).toBe('stopped');
    expect(events).toEqual([]);
  });
});
