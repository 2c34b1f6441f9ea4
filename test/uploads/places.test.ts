import { expect, onTestFinished, test, vi } from 'vitest';
import { createPlaces } from '../../src/uploads/places.ts';

const LIMITS = { total: 3, perOwner: 2, maxWaitMs: 1_000, busy: 'too much is being checked' };

/** Work that ends when it is told to. */
function createWork() {
  const inPlace = createPlaces(LIMITS);
  const begun: string[] = [];
  const ends = new Map<string, () => void>();

  function start(owner: string, name: string) {
    return inPlace(owner, async () => {
      begun.push(name);
      const { promise, resolve } = Promise.withResolvers<void>();
      ends.set(name, resolve);
      await promise;
    });
  }

  return { begun, start, end: (name: string) => ends.get(name)?.() };
}

test('an owner has a share of the places, and a free one goes to the owner with the fewest', async () => {
  const { begun, start, end } = createWork();
  const work = ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1'].map((name) => start(name.charAt(0), name));
  await expect.poll(() => begun).toEqual(['a1', 'a2', 'b1']);
  end('a1');
  await expect.poll(() => begun.at(-1)).toBe('c1');
  for (const name of ['a2', 'b1', 'c1', 'a3', 'a4', 'b2']) {
    await expect.poll(() => begun).toContain(name);
    end(name);
  }
  await Promise.all(work);
  expect(begun).toHaveLength(7);
});

test('work that found no place in time is refused, and takes none later', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const { begun, start, end } = createWork();
  const under = [start('a', 'a1'), start('a', 'a2')];
  const late = start('a', 'a3');
  const refused = expect(late).rejects.toMatchObject({ code: 'overloaded', message: /too much.*try again/u });
  await vi.advanceTimersByTimeAsync(LIMITS.maxWaitMs);
  await refused;
  end('a1');
  end('a2');
  await Promise.all(under);
  expect(begun).toEqual(['a1', 'a2']);
});

test('work that fails gives its place back', async () => {
  const inPlace = createPlaces({ ...LIMITS, total: 1 });
  await expect(inPlace('a', () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  expect(await inPlace('b', async () => 'done')).toBe('done');
});

test('a place can rest after its work, so that an owner gets so many in a second', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const inPlace = createPlaces({ ...LIMITS, restMs: 10 });
  let done = 0;
  for (let begun = 0; begun < 100; begun += 1) {
    void inPlace('a', async () => {
      done += 1;
    });
  }
  await vi.advanceTimersByTimeAsync(95);
  expect(done).toBe(20);
});
