import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { freeChunk, freeingChunks } from '../../src/uploads/free-chunk.ts';

test('the memory of a chunk is freed', () => {
  const chunk = Buffer.alloc(64 * 1024, 'x');
  freeChunk(chunk);
  expect(chunk).toHaveLength(0);
});

test('a chunk that shares its memory keeps it', () => {
  const whole = Buffer.alloc(64 * 1024, 'x');
  freeChunk(whole.subarray(1));
  freeChunk(whole.subarray(0, -1));
  expect(whole.toString()).toBe('x'.repeat(64 * 1024));
  const [pooled, neighbour] = [Buffer.from('pooled'), Buffer.from('neighbour')];
  freeChunk(pooled);
  expect([String(pooled), String(neighbour)]).toEqual(['pooled', 'neighbour']);
});

test('a chunk is freed once the next one is requested, the last one at the end', async () => {
  const sent = ['a', 'b', 'c'].map((letter) => Buffer.alloc(20_000, letter));
  const lengths = () => sent.map(({ length }) => length);
  const chunks = freeingChunks(Readable.from(sent));
  await chunks.next();
  expect(lengths()).toEqual([20_000, 20_000, 20_000]);
  await chunks.next();
  expect(lengths()).toEqual([0, 20_000, 20_000]);
  expect(await chunks.next()).toMatchObject({ value: Buffer.alloc(20_000, 'c') });
  await chunks.next();
  expect(lengths()).toEqual([0, 0, 0]);
});

test('a stream is destroyed when its reader stops', async () => {
  const stream = Readable.from([Buffer.alloc(1), Buffer.alloc(1)]);
  for await (const _chunk of freeingChunks(stream)) break;
  expect(stream.destroyed).toBe(true);
});
