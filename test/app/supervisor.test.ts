import { describe, expect, onTestFinished, test } from 'vitest';
import { superviseThread } from '../../src/app/threads/supervisor.ts';
import type { OperationalEvent } from '../../src/domain/operational-event.ts';
import { eventually } from '../support/service.ts';

const ENTRY = new URL('./threads/troubled-thread.ts', import.meta.url);

function supervise(trouble: string) {
  const events: OperationalEvent[] = [];
  const lives = new Int32Array(new SharedArrayBuffer(4));
  const thread = superviseThread({
    name: 'crawler',
    entry: ENTRY,
    data: { trouble, lives },
    niceness: 0,
    origins: Promise.resolve({ listing: '', uploads: '' }),
    limits: { maxOldGenerationSizeMb: 16 },
    stopTimeoutMs: 35_000,
    // A short limit only for the frozen thread, because the others may be slow on a busy machine.
    maxSilenceMs: trouble === 'freezes' ? 2_000 : undefined,
    report: (event) => void events.push(event),
  });
  onTestFinished(() => thread.stop());
  return { ...thread, events };
}

describe('a thread that', () => {
  test.each([
    ['throws', 'something broke'],
    ['rejects', 'nobody caught this'],
    ['exits', 'it ended with code 3'],
    ['freezes', 'it has not answered for 2 s'],
    ['runs out of memory', 'memory limit'],
  ])('%s is restarted, and its error is reported', async (trouble, reason) => {
    const { ready, state, request, events } = supervise(trouble);
    await ready;
    const isBack = ({ restarts, state: name }: ReturnType<typeof state>) =>
      restarts === 1 && name === 'running';
    const now = await eventually(async () => state(), isBack);
    expect(now.reason).toContain(reason);
    expect(events).toEqual([
      {
        type: 'thread-failed',
        thread: 'crawler',
        error: expect.objectContaining({ message: expect.stringContaining(reason) }),
        retryInMs: 250,
      },
    ]);
    expect(await request({ kind: 'metrics' })).toEqual([{ life: 1 }]);
  });

  test('fails at its first start is not restarted, and ready rejects with its error', async () => {
    const { ready, state, events } = supervise('cannot start');
    await expect(ready).rejects.toThrow('there is nothing to start');
    expect(state()).toMatchObject({ state: 'stopped', restarts: 0, reason: 'there is nothing to start' });
    expect(events).toEqual([]);
  });

  test('is still starting is stopped at once', async () => {
    const { stop, state } = supervise('never starts');
    await stop();
    expect(state().state).toBe('stopped');
  });

  test('fails repeatedly is restarted with a backoff that doubles', async () => {
    const { ready, state, restart, events } = supervise('none');
    await ready;
    for (let count = 1; count <= 3; count += 1) {
      restart(new Error(`the ${count}. time`));
      await expect
        .poll(state)
        .toSatisfy(({ restarts, state: name }) => restarts === count && name === 'running');
    }
    expect(events.map((event) => event.type === 'thread-failed' && event.retryInMs)).toEqual([
      250, 500, 1_000,
    ]);
  });

  test('is stopped is not restarted', async () => {
    const { ready, state, stop, events } = supervise('none');
    await ready;
    await stop();
    expect(state().state).toBe('stopped');
    expect(events).toEqual([]);
  });
});
