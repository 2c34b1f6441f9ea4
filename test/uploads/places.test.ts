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

test('work that found no place in time is refused, and takes none later', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const { begun, start, end } = createWork();
  const under = [start('a', 'a1'), start('a', 'a2')];
  const late = start('a', 'a3');
  const refused = expect(late).rejects.toMatchObject({
    code: 'too-many-requests',
    message: /too much.*try again/u,
  });
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
