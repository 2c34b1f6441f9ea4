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
  const sent = ['one', 'two', 'three'].map((text) => Buffer.from(text.repeat(10_000)));
  const received: string[] = [];
  for await (const chunk of freeingChunks(Readable.from(sent))) {
    expect(sent.map(({ length }) => length > 0)).toEqual(sent.map((_, index) => index >= received.length));
    received.push(chunk.toString());
  }
  expect(received).toEqual(['one', 'two', 'three'].map((text) => text.repeat(10_000)));
  expect(sent.map(({ length }) => length)).toEqual([0, 0, 0]);
});

test('a stream is destroyed when its reader stops', async () => {
  const stream = Readable.from([Buffer.alloc(1), Buffer.alloc(1)]);
  for await (const _chunk of freeingChunks(stream)) break;
  expect(stream.destroyed).toBe(true);
});
