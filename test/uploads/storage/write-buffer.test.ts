import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { WriteBuffer } from '../../../src/uploads/storage/write-buffer.ts';

/** Batches as they are written. `hold` keeps each write under way until `release` is called. */
function openBuffer({ smallBytes = 4, batchBytes = 8, isEven = false, holds = false } = {}) {
  const written: string[] = [];
  const memory = new Set<ArrayBufferLike>();
  let release = () => {};
  const buffer = new WriteBuffer({
    smallBytes,
    batchBytes,
    isEven,
    async write(batch) {
      memory.add(batch.buffer);
      if (holds)
        await new Promise<void>((resolve) => {
          release = resolve;
        });
      written.push(String(batch));
    },
  });
  const append = (text: string) => buffer.append(Buffer.from(text));
  return { buffer, append, written, memory, release: () => release() };
}

const isDone = (work: Promise<unknown> | undefined) =>
  Promise.race([Promise.resolve(work).then(() => true), nextTurn().then(() => nextTurn(false))]);

describe('a write buffer', () => {
  test('writes nothing while there are few bytes', async () => {
    const { append, buffer, written } = openBuffer();
    await append('ab');
    await append('cd');
    expect(String(await buffer.finish())).toBe('abcd');
    expect(written).toEqual([]);
  });

  test('makes a small write first, and larger ones from then on', async () => {
    const { append, buffer, written } = openBuffer();
    await append('abc');
    await append('defghijklmnopqrstu');
    expect(String(await buffer.finish())).toBe('u');
    expect(written).toEqual(['abcd', 'efghijkl', 'mnopqrst']);
  });

  test('makes writes of one size where the first one must have it too', async () => {
    const { append, buffer, written } = openBuffer({ isEven: true });
    for (const letter of 'abcdefghijklmnopq') await append(letter);
    expect(String(await buffer.finish())).toBe('q');
    expect(written).toEqual(['abcdefgh', 'ijklmnop']);
  });

  test('grows from its first size to that of a small upload without losing bytes', async () => {
    const text = 'abcdefghij'.repeat(1_000);
    const { append, buffer, written } = openBuffer({ smallBytes: 6_000, batchBytes: 8_000 });
    await append(text);
    expect(written).toEqual([text.slice(0, 6_000)]);
    expect(String(await buffer.finish())).toBe(text.slice(6_000));
  });

  test('copies chunks, so that later changes of them have no effect', async () => {
    const { buffer } = openBuffer();
    const chunk = Buffer.from('ab');
    await buffer.append(chunk);
    chunk.fill('x');
    expect(String(await buffer.finish())).toBe('ab');
  });

  test('takes the memory of two large writes', async () => {
    const { append, memory } = openBuffer({ smallBytes: 8_192, batchBytes: 65_536 });
    for (let count = 0; count < 40; count += 1) await append('x'.repeat(60_000));
    expect(memory.size).toBe(1 + 2);
  });
});

describe('while a batch is written', () => {
  test('the next one fills, and further bytes wait', async () => {
    const { append, buffer, written, release } = openBuffer({ holds: true });
    await append('abcdefgh');
    expect(await isDone(append('ijkl'))).toBe(true);
    const more = append('m');
    expect(await isDone(more)).toBe(false);
    expect(written).toEqual([]);
    release();
    await more;
    expect(written).toEqual(['abcd']);
    const end = buffer.finish();
    expect(await isDone(end)).toBe(false);
    release();
    expect(String(await end)).toBe('m');
  });

  test('`settle` waits for the write', async () => {
    const { append, buffer, release } = openBuffer({ holds: true });
    await append('abcde');
    const settled = buffer.settle();
    expect(await isDone(settled)).toBe(false);
    release();
    await settled;
  });
});

test('the error of a write is thrown by the next call that waits for it, and not by `settle`', async () => {
  const error = new Error('full');
  const buffer = new WriteBuffer({
    smallBytes: 2,
    batchBytes: 2,
    isEven: false,
    write: () => Promise.reject(error),
  });
  await buffer.append(Buffer.from('abc'));
  await nextTurn();
  await expect(buffer.append(Buffer.from('de'))).rejects.toBe(error);
  await expect(buffer.finish()).rejects.toBe(error);
  await expect(buffer.settle()).resolves.toBeUndefined();
});

test('`settle` resolves at once when nothing was written', async () => {
  await expect(openBuffer().buffer.settle()).resolves.toBeUndefined();
});
