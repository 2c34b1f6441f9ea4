import { expect, test } from 'vitest';
import { createChunkSizes } from '../../../src/uploads/storage/disk/chunk-sizes.ts';

const KB = 1024;

function openSizes() {
  let now = 0;
  const open = createChunkSizes(() => now);
  return {
    open,
    wait(ms: number) {
      now += ms;
    },
  };
}

test('a fast reader gets large chunks from the beginning', () => {
  const { open, wait } = openSizes();
  const size = open();
  for (let piece = 0; piece < 50; piece += 1) {
    expect(size.next()).toBe(512 * KB);
    wait(100);
  }
});

test('a reader that becomes slow gets small chunks until it has been fast for a while', () => {
  const { open, wait } = openSizes();
  const size = open();
  size.next();
  wait(1_000);
  expect(size.next()).toBe(32 * KB);
  wait(10);
  expect(size.next()).toBe(32 * KB);
  for (let piece = 0; piece < 16; piece += 1) size.next();
  expect(size.next()).toBe(512 * KB);
});

test('at most 32 readers at a time get large chunks', () => {
  const { open } = openSizes();
  const sizes = Array.from({ length: 100 }, open);
  const large = () => sizes.filter((size) => size.next() > 32 * KB).length;
  expect(large()).toBe(32);
  expect(large()).toBe(32);
  sizes[0]!.end();
  sizes[0]!.end();
  sizes.shift();
  expect(large()).toBe(32);
});

test('a reader that has ended frees its large chunks for the others', () => {
  const { open } = openSizes();
  for (let round = 0; round < 100; round += 1) {
    const size = open();
    size.next();
    size.end();
    size.next();
  }
  expect(open().next()).toBe(512 * KB);
});
