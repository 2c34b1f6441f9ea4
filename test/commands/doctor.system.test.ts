import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { readConfig } from '../../src/app/config.ts';
import { checkInstallation } from '../../src/commands/doctor.ts';
import { openSqliteStore } from '../../src/crawler/stores/sqlite.ts';
import { runCommand, temporaryFolder } from '../support/service.ts';
import { openTestSource, type TestSource } from '../support/source.ts';

/** Free space and sites of a machine that has enough of both. */
const HEALTHY = {
  // Other tests may keep the machine busy.
  SOURCE_TIMEOUT: '15s',
  UPLOAD_QUOTA: '2 MB',
  UPLOAD_MAX_SIZE: '1 MB',
  UPLOAD_ADDRESS_QUOTA: '1 MB',
  BASE_URL: 'https://anime.example.org',
  UPLOAD_URL: 'https://files.example.net',
};

const defer = onTestFinished;

interface Case {
  environment?: Record<string, string>;
  prepare?: (source: TestSource, folder: string) => unknown;
}

/** The command in a process of its own. */
async function examineInProcess(environment: Record<string, string>) {
  const run = runCommand(['doctor'], environment, defer);
  const code = await run.ended;
  return { code, output: run.output() };
}

/** What the command does, in this process. */
async function examineHere(
  environment: Record<string, string>,
): Promise<{ code: number | string; output: string }> {
  const lines: string[] = [];
  const print = (line: string) => void lines.push(line);
  const code = await checkInstallation(readConfig(environment, '0.0.0'), { print });
  return { code, output: `${lines.join('\n')}\n` };
}

/** What the doctor says of an installation, and its exit code. */
async function examine({ environment, prepare }: Case = {}, run = examineHere) {
  const source = await openTestSource(defer);
  const folder = await temporaryFolder(defer);
  await prepare?.(source, folder);
  const shared = { ...HEALTHY, DATA_DIR: folder, SOURCE_URLS: source.origin, ...environment };
  const { code, output } = await run({ SOURCE_DELAY: '0', ...shared });
  const lines = output.split('\n');
  const found = (level: string) => lines.filter((line) => line.startsWith(`  ${level.padEnd(7)}  `));
  return {
    source,
    folder,
    code,
    output,
    problems: found('problem'),
    warnings: found('warning'),
  };
}

describe('a healthy installation', () => {
  test('has no problem, every part is listed, and nothing is changed', async () => {
    const { code, output, problems, warnings, source, folder } = await examine({}, examineInProcess);
    expect(problems).toEqual([]);
    expect(warnings).toEqual(['  warning  none yet: run npm run refresh, or npm start']);
    expect(code).toBe(0);
    expect(output).toContain('ok       ongoing page 6 is read');
    expect(output).toContain('ok       refreshed: 132 anime, 54 scheduled, 8 pages, ');
    expect(output).toContain(`ok       ${source.origin} serves the site`);
    expect(output).toMatch(/No problem, 1 warning\.\n$/u);
    expect(output).not.toContain('\x1b');
    expect(source.requests).toHaveLength(8);
    const store = await openSqliteStore(`sqlite:${path.join(folder, 'cache.sqlite')}`);
    defer(() => store.close());
    expect(await store.keyv.get('snapshot')).toBeUndefined();
  });
});

test('a source that is gone is a problem, with the variable that fixes it', async () => {
  const { code, problems } = await examine({ prepare: (source) => source.close() });
  expect(code).toBe(1);
  expect(problems).toEqual([expect.stringMatching(/ECONNREFUSED.*set SOURCE_URLS/u)]);
});

describe('a problem apart from the source', () => {
  test('a configuration that cannot be used ends it at once', async () => {
    const environment = { PORT: 'x', SOURCE_DELAY: 'y' };
    const { code, output, source } = await examine({ environment }, examineInProcess);
    expect(code).toBe(1);
    expect(output).toMatch(/PORT must be.*\n.*SOURCE_DELAY must be/u);
    expect(source.requests).toEqual([]);
  });

  test('a file where the data folder should be', async () => {
    const dataDir = path.join(await temporaryFolder(defer), 'data');
    await writeFile(dataDir, '');
    const source = await openTestSource(defer);
    const { output } = await examineHere({
      ...HEALTHY,
      DATA_DIR: dataDir,
      SOURCE_URLS: source.origin,
      SOURCE_DELAY: '0',
    });
    expect(output).toMatch(/problem {2}.*cannot be used: .*set DATA_DIR/u);
    expect(output).toMatch(/problem {2}sqlite:.*cannot be opened.*set CACHE_URL/u);
    expect(output).toMatch(/problem {2}file:.*cannot be opened.*set UPLOAD_STORAGE_URL/u);
    expect(output).toContain('serves the site');
    expect(output).toContain('3 problems');
  });

  test('a lease of another process is reported and kept', async () => {
    const { code, warnings } = await examine({
      async prepare(_source, folder) {
        const store = await openSqliteStore(`sqlite:${path.join(folder, 'cache.sqlite')}`);
        defer(() => store.close());
        await store.lease();
      },
    });
    expect(code).toBe(0);
    expect(warnings[0]).toContain('another process is refreshing and holds the lease');
  });
});
