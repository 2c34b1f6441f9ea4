import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createFolderFlusher, flushFolder } from '../../../../src/uploads/storage/disk/folder-flusher.ts';
import { fileHandleMethods } from '../../../support/file-handles.ts';
import { heldIn } from '../../../support/files.ts';
import { temporaryFolder } from '../../../support/service.ts';

/** Counts the flushes, and fails those whose numbers, from 1, are given. */
async function watchFlushes(...failing: number[]) {
  const methods = await fileHandleMethods();
  const { sync } = methods;
  const spy = vi.spyOn(methods, 'sync');
  spy.mockImplementation(function (this: typeof methods) {
    return failing.includes(spy.mock.calls.length) ? Promise.reject(new Error('EIO')) : sync.call(this);
  });
  onTestFinished(() => spy.mockRestore());
  return () => spy.mock.calls.length;
}

test('a folder is flushed, and not left open', async () => {
  const folder = await temporaryFolder(onTestFinished);
  const flushes = await watchFlushes();
  await flushFolder(folder);
  expect(flushes()).toBe(1);
  expect(await heldIn(folder)).toEqual([]);
  await expect(flushFolder(join(folder, 'gone'))).rejects.toThrow('ENOENT');
});

test('requests that come during a flush share the next one', async () => {
  const folder = await temporaryFolder(onTestFinished);
  const flushes = await watchFlushes();
  const flush = createFolderFlusher();
  const first = flush(folder);
  const others = [flush(folder), flush(folder), flush(folder)];
  await first;
  expect(flushes()).toBe(1);
  await Promise.all(others);
  expect(flushes()).toBe(2);
  await flush(folder);
  expect(flushes()).toBe(3);
});

test('each folder is flushed by itself', async () => {
  const folder = await temporaryFolder(onTestFinished);
  await mkdir(join(folder, 'a'));
  const flushes = await watchFlushes();
  const flush = createFolderFlusher();
  await Promise.all([flush(folder), flush(join(folder, 'a'))]);
  expect(flushes()).toBe(2);
});

test('a flush that fails is the failure of its own requests only', async () => {
  const folder = await temporaryFolder(onTestFinished);
  const flushes = await watchFlushes(1);
  const flush = createFolderFlusher();
  const outcomes = await Promise.allSettled([flush(folder), flush(folder)]);
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
  await flush(folder);
  expect(flushes()).toBe(3);
});
