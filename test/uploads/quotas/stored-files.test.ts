import { describe, expect, test } from 'vitest';
import { type CountedFile, createStoredFiles } from '../../../src/uploads/quotas/stored-files.ts';
import { quotaOptions } from '../../support/quota.ts';
import { newId } from '../../support/uploads.ts';

/** A whole minute, in which everything here expires unless a test says otherwise. */
const MINUTE = 60_000 * Math.ceil(Date.now() / 60_000 + 60);
const file = (size: number, expiresAt = MINUTE, owner = 'a'): CountedFile => ({
  id: newId(expiresAt),
  owner,
  size,
});

function start() {
  const stored = createStoredFiles(quotaOptions());
  return { stored, counts: () => ({ bytes: stored.sums().total(), files: stored.files() }) };
}

describe('stored files', () => {
  test('count until the minute in which they expire is over, and are released once', () => {
    const { stored, counts } = start();
    stored.add(file(10));
    stored.expire(MINUTE - 1);
    expect(counts()).toEqual({ bytes: 10, files: 1 });
    for (let times = 0; times < 2; times += 1) {
      stored.expire(MINUTE);
      expect(counts()).toEqual({ bytes: 0, files: 0 });
    }
  });

  test('are released once when one was removed before its minute', () => {
    const { stored, counts } = start();
    const removed = file(10);
    stored.add(removed);
    stored.add(file(20));
    stored.remove(removed);
    expect(counts()).toEqual({ bytes: 20, files: 1 });
    stored.expire(MINUTE);
    expect(counts()).toEqual({ bytes: 0, files: 0 });
  });

  test('do not change when a file is removed that was never counted', () => {
    const { stored, counts } = start();
    stored.add(file(10));
    for (const unknown of [file(1, MINUTE, 'b'), file(11), file(1, 2 * MINUTE)]) stored.remove(unknown);
    expect(counts()).toEqual({ bytes: 10, files: 1 });
  });

  test('reflect after a recount what was added, removed or expired during it', async () => {
    const { stored, counts } = start();
    const [removed, removedEarly] = [file(1, MINUTE, 'b'), file(8, MINUTE, 'c')];
    const [expired, added] = [file(2, MINUTE - 60_000), file(4)];
    const { promise: halted, resolve: goOn } = Promise.withResolvers<void>();
    async function* list() {
      yield* [removed, expired];
      await halted;
      yield* [added, removedEarly, file(16)];
    }
    const recounting = stored.recount(list());
    await new Promise((listing) => setImmediate(listing));
    stored.add(added);
    stored.add(file(32));
    stored.remove(removed);
    stored.remove(removedEarly);
    stored.expire(MINUTE - 60_000);
    expect(counts()).toEqual({ bytes: 4 + 32, files: 2 });
    goOn();
    await recounting;
    expect(counts()).toEqual({ bytes: 4 + 16 + 32, files: 3 });
  });
});
