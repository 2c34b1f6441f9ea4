import { readdir, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { takeLock } from '../../../src/uploads/storage/disk/resumable/lock-file.ts';
import { temporaryFolder } from '../../support/service.ts';

const NOW = Date.parse('2026-08-15T21:30:00Z');
const ROUNDS = 40;

test('only one of several processes that find the same stale lock takes it over', async () => {
  const folder = await temporaryFolder(onTestFinished);
  for (let round = 0; round < ROUNDS; round += 1) {
    const file = path.join(folder, `lock-${round}`);
    await writeFile(file, 'another-machine 1 x');
    await utimes(file, NOW / 1_000 - 60, NOW / 1_000 - 60);
    const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => takeLock(file, () => NOW)));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  }
  expect(await readdir(folder)).toHaveLength(ROUNDS);
});
