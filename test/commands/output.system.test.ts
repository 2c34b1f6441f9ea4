import { spawn } from 'node:child_process';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openDiskStorage } from '../../src/uploads/storage/disk.ts';
import { openHttpServer } from '../support/http-server.ts';
import { START, temporaryFolder } from '../support/service.ts';
import { HOUR_MS, keep } from '../support/uploads.ts';

/** Commands that print to a pipe which is read slowly, or not to its end. */

const defer = onTestFinished;
/** The list of so many files is several times as long as a pipe holds. */
const FILES = 600;

/** A folder of data with many files. */
async function openFiles(): Promise<string> {
  const folder = await temporaryFolder(defer);
  const storage = await openDiskStorage(path.join(folder, 'uploads'));
  await storage.check(AbortSignal.timeout(60_000));
  for (let index = 0; index < FILES; index += 1) await keep(storage, Buffer.from('x'), Date.now() + HOUR_MS);
  await storage.close();
  return folder;
}

/**
 * Runs `COMMAND | READER` in a shell, which makes a true pipe that holds 64 KB; with `2>&1`, errors go there too. `code`: the
 * exit code of the command.
 */
async function runPiped(
  args: string[],
  environment: Record<string, string>,
  reader: string,
  redirect = '',
): Promise<{ code: number; output: string; errors: string }> {
  const command = [process.execPath, START, ...args].map((part) => `'${part}'`).join(' ');
  const script = `set -o pipefail; { ${command} ${redirect}; echo "code $?" >&2; } | { ${reader}; }`;
  const child = spawn('bash', ['-c', script], {
    env: { PATH: process.env.PATH, ...environment },
    cwd: environment.DATA_DIR ?? '/',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const [line = '', code] = /code (\d+)\n/u.exec(errors) ?? [];
  return { code: Number(code), output, errors: errors.replace(line, '') };
}

/** Begins to read once the command has had time to print everything and to end. */
const SLOWLY = 'sleep 3; cat';

describe('what a command prints is whole, however slowly it is read:', () => {
  test('a list of files, as JSON', async () => {
    const DATA_DIR = await openFiles();
    const { code, output, errors } = await runPiped(['uploads', 'list'], { DATA_DIR }, SLOWLY);
    expect([code, errors]).toEqual([0, '']);
    expect(JSON.parse(output)).toHaveLength(FILES);
  });

  test('a list of files that nobody reads to its end, quietly', async () => {
    const DATA_DIR = await openFiles();
    const run = await runPiped(['uploads', 'list'], { DATA_DIR }, 'sleep 1; head -n 1');
    expect(run).toEqual({ code: 0, output: '[\n', errors: '' });
  });

  /** A long argument, which the error contains. */
  const LONG = 'x'.repeat(100_000);

  test('an error about a long argument', async () => {
    const { code, output } = await runPiped(['uploads', 'list', `--larger=${LONG}`], {}, SLOWLY, '2>&1');
    expect(code).toBe(2);
    expect(output).toContain(LONG);
    expect(output).toMatch(/docs\/configuration\.md lists the variables\.\n$/u);
  });

  test('an error that nobody reads, quietly', async () => {
    const { output, errors } = await runPiped([LONG], {}, 'sleep 1; head -c 20', '2>&1');
    expect([output, errors]).toEqual(['There is no command ', '']);
  });

  test('the problems of a configuration', async () => {
    const urls = Array.from({ length: 30 }, () => `https://${'a'.repeat(3_000)}/path`).join(',');
    const { code, output } = await runPiped(['serve'], { SOURCE_URLS: urls, PORT: 'x' }, SLOWLY, '2>&1');
    expect(code).toBe(1);
    expect(output.match(/^ {2}(?:SOURCE_URLS|PORT) /gmu)).toHaveLength(2);
    expect(output).toMatch(/\n$/u);
  });
});

test('a command ends although something keeps the event loop alive', async () => {
  // The source accepts the request, and never answers.
  const origin = await openHttpServer(defer, () => {});
  const DATA_DIR = await temporaryFolder(defer);
  const environment = { DATA_DIR, SOURCE_URLS: origin, SOURCE_TIMEOUT: '1s' };
  const { code, output } = await runPiped(['doctor'], environment, 'cat');
  expect(code).toBe(1);
  expect(output).toMatch(/\d problems?[^\n]*\.\n$/u);
});
