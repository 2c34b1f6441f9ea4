import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { openSqliteStore } from '../../src/store/drivers/sqlite.ts';
import { runCommand, temporaryFolder } from '../support/service.ts';
import { openTestSource, type TestSource } from '../support/source.ts';

const defer = onTestFinished;
let source: TestSource;
let DATA_DIR: string;

beforeEach(async () => {
  source = await openTestSource(defer);
  DATA_DIR = await temporaryFolder(defer);
});

/** What the command prints for an installation whose machine has enough free space, and its exit code. */
async function examine(environment: Record<string, string> = {}) {
  const run = runCommand(
    ['doctor'],
    {
      DATA_DIR,
      SOURCE_URLS: source.origin,
      // Other tests may keep the machine busy.
      SOURCE_TIMEOUT: '15s',
      ...{ UPLOAD_QUOTA: '2 MB', UPLOAD_MAX_SIZE: '1 MB', UPLOAD_ADDRESS_QUOTA: '1 MB' },
      ...{ BASE_URL: 'https://anime.example.org', UPLOAD_URL: 'https://files.example.net' },
      ...environment,
    },
    defer,
  );
  const code = await run.ended;
  const output = run.output();
  const found = (level: string) =>
    output.split('\n').filter((line) => line.startsWith(`  ${level.padEnd(7)}  `));
  return { code, output, problems: found('problem'), warnings: found('warning') };
}

async function openStore() {
  const store = await openSqliteStore(`sqlite:${path.join(DATA_DIR, 'cache.sqlite')}`);
  defer(() => store.close());
  return store;
}

test('a healthy installation has no problem, every part is listed, and nothing is changed', async () => {
  const { code, output, problems, warnings } = await examine();
  expect(problems).toEqual([]);
  expect(warnings).toEqual([]);
  expect(code).toBe(0);
  expect(output).toContain('ok       read ongoing page 6');
  expect(output).toContain('ok       refreshed: 132 anime, 54 scheduled, 8 pages, ');
  expect(output).toContain(`ok       ${source.origin} serves the site`);
  expect(output).toMatch(/No problem\.\n$/u);
  expect(output).not.toContain('\x1b');
  expect(source.requests).toHaveLength(8);
  expect(await (await openStore()).values.get('snapshot')).toBeUndefined();

  const lease = await (await openStore()).lease('refresh');
  const leased = await examine();
  expect(leased.code).toBe(0);
  expect(leased.warnings[0]).toContain('another process is refreshing, so writing was not tried');
  // A lease that nothing refers to any more can be collected with its lock.
  await lease?.release();
});

test('a file where a folder should be, and a source that is gone, are problems', async () => {
  const file = path.join(DATA_DIR, 'file');
  await writeFile(file, '');
  await source.close();
  const places = { CACHE_URL: `sqlite:${file}/cache.sqlite`, UPLOAD_STORAGE_URL: `file:${file}/uploads` };
  const { code, output, problems } = await examine(places);
  expect(code).toBe(1);
  expect(problems).toEqual([
    expect.stringMatching(/sqlite:.*cannot be opened.*set CACHE_URL/u),
    expect.stringMatching(/file:.*cannot be used.*set UPLOAD_STORAGE_URL/u),
    expect.stringMatching(/ECONNREFUSED.*set SOURCE_URLS/u),
  ]);
  expect(output).toContain('3 problems');
});
