import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { Store } from '../../../src/listing/snapshot-store.ts';
import { openSqliteStore } from '../../../src/listing/stores/sqlite.ts';
import { storeContract } from '../../contracts/store.ts';
import { eventually, temporaryFolder } from '../../support/service.ts';

storeContract('sqlite', openSqlite, true);

async function openSqlite() {
  const folder = await mkdtemp(path.join(tmpdir(), 'tayang-test-'));
  const opened: Store[] = [];
  const reopen = async () => {
    const store = await openSqliteStore(`sqlite:${path.join(folder, 'cache.sqlite')}`);
    opened.push(store);
    return store;
  };
  const close = async () => {
    // One that the test has closed already says so.
    await Promise.allSettled(opened.map((store) => store.close()));
    await rm(folder, { recursive: true });
  };
  return { store: await reopen(), reopen, close };
}

describe('a sqlite store', () => {
  let file: string;

  beforeEach(async () => {
    file = path.join(await temporaryFolder(onTestFinished), 'made', 'for it', 'cache.sqlite');
  });

  async function open(): Promise<Store> {
    const store = await openSqliteStore(`sqlite:${file}`);
    onTestFinished(() => store.close());
    return store;
  }

  test('makes the folder it is to be in', async () => {
    await open();
    expect((await stat(file)).isFile()).toBe(true);
  });

  test('has its values after it was closed and opened again', async () => {
    const store = await openSqliteStore(`sqlite:${file}`);
    await store.keyv.set('key', { kept: true });
    await store.close();
    expect(await (await open()).keyv.get('key')).toEqual({ kept: true });
  });

  test('throws at a damaged value', async () => {
    const store = await open();
    await store.keyv.set('key', { whole: true });
    const database = new DatabaseSync(file);
    database.exec('UPDATE keyv SET value = substr(value, 1, 12)');
    database.close();
    await expect(store.keyv.get('key')).rejects.toThrow();
  });

  test('does not open a file of another kind', async () => {
    await (await openSqliteStore(`sqlite:${file}`)).close();
    await writeFile(file, 'a letter to a friend\n'.repeat(100));
    await expect(openSqliteStore(`sqlite:${file}`)).rejects.toThrow('not a database');
  });

  test('notices what another process writes', async () => {
    const store = await open();
    let noticed = 0;
    onTestFinished(
      store.watch(() => {
        noticed += 1;
      }),
    );
    await once(runWithStore("await store.keyv.set('key', 'from outside');"), 'exit');
    await eventually(
      async () => noticed,
      (times) => times > 0,
    );
    expect(await store.keyv.get('key')).toBe('from outside');
  });

  test('has its lease back at once from a process that is killed', async () => {
    const store = await open();
    const holder = runWithStore('await store.lease(); console.log("held"); setInterval(() => {}, 1_000);');
    await once(holder.stdout!, 'data');
    expect(await store.lease()).toBeUndefined();
    await kill(holder);
    expect(await store.lease()).toBeDefined();
  });

  test('is whole, and has all that was written, after a process is killed while it writes', async () => {
    const script = `
      const { number: last = 0 } = (await store.keyv.get('key')) ?? {};
      for (let number = last + 1; ; number += 1) {
        await store.keyv.set('key', { number, text: String(number % 10).repeat(200_000) });
        console.log(number);
      }`;
    for (let round = 0; round < 5; round += 1) {
      const writer = runWithStore(script);
      let written = '';
      writer.stdout!.setEncoding('utf8').on('data', (text: string) => {
        written += text;
      });
      await once(writer.stdout!, 'data');
      await sleep(Math.random() * 150);
      await kill(writer);

      const store = await openSqliteStore(`sqlite:${file}`);
      const { number, text } = (await store.keyv.get<{ number: number; text: string }>('key'))!;
      await store.close();
      expect(number).toBeGreaterThanOrEqual(Number(written.trim().split('\n').at(-1)));
      expect(text === String(number % 10).repeat(200_000)).toBe(true);
    }
  });

  /** Runs a script in a process of its own that has `store` open. */
  function runWithStore(script: string): ChildProcess {
    const module = new URL('../../../src/listing/stores/sqlite.ts', import.meta.url).href;
    const opening = `import { openSqliteStore } from '${module}';
      const store = await openSqliteStore(process.argv[1]);`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', opening + script, `sqlite:${file}`], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    return child;
  }

  /** Resolves when the process is gone and all that it had printed is read. */
  async function kill(child: ChildProcess): Promise<void> {
    const closed = once(child, 'close');
    child.kill('SIGKILL');
    await closed;
  }
});
