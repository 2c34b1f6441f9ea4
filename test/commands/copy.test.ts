import { randomBytes } from 'node:crypto';
import { appendFile, mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { parseCopyArguments, runCopy } from '../../src/commands/copy.ts';
import { openDiskStorage } from '../../src/uploads/storage/disk.ts';
import { placeOf } from '../../src/uploads/storage/objects.ts';
import { temporaryFolder } from '../support/service.ts';
import { HOUR_MS, keep } from '../support/uploads.ts';

/** Runs the command with its arguments. Resolves with the exit code and everything it prints. */
async function copy(...args: string[]) {
  const lines: string[] = [];
  const print = (line: string) => void lines.push(line);
  const exitCode = await runCopy(parseCopyArguments(args), { print, printError: print });
  return { exitCode, output: lines.join('\n') };
}

/** A folder of uploads with one file. */
async function openUploads() {
  const parent = await temporaryFolder(onTestFinished);
  const folder = path.join(parent, 'uploads');
  await mkdir(folder);
  const storage = await openDiskStorage(folder);
  onTestFinished(() => storage.close());
  await storage.check(AbortSignal.timeout(5_000));
  const id = await keep(storage, randomBytes(1_000), Date.now() + HOUR_MS);
  return { parent, folder, file: path.join(folder, placeOf(id)) };
}

test('a folder is not copied into itself, and nothing is created in it', async () => {
  const { parent, folder } = await openUploads();
  await symlink(folder, path.join(parent, 'link'));
  const before = await readdir(folder);
  for (const [from, to, reason] of [
    [folder, `${folder}/copy/of`, 'TO is inside FROM; name a folder outside it'],
    [folder, `${parent}/link/copy`, 'TO is inside FROM; name a folder outside it'],
    [folder, parent, 'FROM is inside TO; name a folder outside it'],
    [folder, `${parent}/link`, 'FROM and TO are the same folder'],
  ])
    expect(await copy('uploads', `file:${from}`, `file:${to}`)).toEqual({
      exitCode: 1,
      output: `Nothing was copied: ${reason}.`,
    });
  expect(await readdir(folder)).toEqual(before);
  expect((await copy('uploads', `file:${folder}`, `file:${folder}-2`)).exitCode).toBe(0);
});

test('with a damaged file the command exits 1 and names it', async () => {
  const { parent, folder, file } = await openUploads();
  await appendFile(file, 'x');
  const { exitCode, output } = await copy('uploads', `file:${folder}`, `file:${parent}/copy`);
  expect(exitCode).toBe(1);
  expect(output).toMatch(/was not copied: The stored file \S+ is damaged\.\nFailed to copy 1 item from /u);
});

test('an end that cannot be used is named, without the secrets of its address', async () => {
  const folder = await temporaryFolder(onTestFinished);
  await writeFile(path.join(folder, 'text'), 'no database');
  const text = `sqlite:${folder}/text`;
  const store = `sqlite:${folder}/store`;
  const secret = 'redis://tayang:hunter2@127.0.0.1:1';
  for (const [from, to, expected] of [
    [text, store, /^Nothing was copied: FROM cannot be used: file is not a database\.$/u],
    [secret, store, /^Nothing was copied: FROM cannot be used: redis:\/\/127\.0\.0\.1:1 .*[^.]\.$/u],
    [text, secret, /^Nothing was copied: TO cannot be used: redis:\/\/127\.0\.0\.1:1 .*[^.]\.$/u],
  ] as const) {
    const { exitCode, output } = await copy('cache', from, to);
    expect(exitCode).toBe(1);
    expect(output).toMatch(expected);
    expect(output).not.toContain('hunter2');
  }
});
