import { once } from 'node:events';
import {
  appendFile,
  mkdir,
  mkdtemp,
  open as openFile,
  readdir,
  readFile,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { openSqliteStore } from '../../../src/store/drivers/sqlite.ts';
import { useSqliteFile } from '../../../src/store/drivers/sqlite-file.ts';
import type { Store } from '../../../src/store/store.ts';
import { storeContract } from '../../contracts/store.ts';
import { runScript } from '../../support/run-script.ts';
import { temporaryFolder } from '../../support/service.ts';
import { writeValues } from '../../support/write-store.ts';

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
    // The test may have closed one of them already, which is then rejected.
    await Promise.allSettled(opened.map((store) => store.close()));
    await rm(folder, { recursive: true });
  };
  return { store: await reopen(), reopen, close };
}

/** Writes a value under a name. Processes that write at once wait for the lease of each other. */
const WRITE_NAME = `import { openSqliteStore } from 'src/store/drivers/sqlite.ts';
  const [, url, name] = process.argv;
  const store = await openSqliteStore(url, { onDamaged() {} });
  let lease;
  while (!(lease = await store.lease('refresh'))) await new Promise((resolve) => setTimeout(resolve, 10));
  await lease.write({ [name]: name });
  await lease.release();
  console.log('written');
  await store.close();`;

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

  test('that is opened to be read is neither created nor changed, also where it lacks tables', async () => {
    await expect(openSqliteStore(`sqlite:${file}`, { readOnly: true })).rejects.toThrow(/ENOENT/u);
    await mkdir(path.dirname(file), { recursive: true });
    const former = new DatabaseSync(file);
    former.exec(
      "CREATE TABLE keyv (key TEXT PRIMARY KEY, value TEXT); INSERT INTO keyv VALUES ('keyv:a', '1')",
    );
    former.close();
    const before = await readFile(file);
    const store = await openSqliteStore(`sqlite:${file}`, { readOnly: true });
    onTestFinished(() => store.close());
    expect(await store.contents.read('values', '', 10)).toEqual([{ key: 'a', text: '1', day: null }]);
    expect(await store.contents.read('subscriptions', '', 10)).toEqual([]);
    await expect(store.subscriptions.put('a', 'b', { max: 1, day: 1, unusedSince: 0 })).rejects.toThrow();
    expect((await readFile(file)).equals(before)).toBe(true);
  });

  test('is one whole file in a folder of its own once it is closed', async () => {
    const store = await openSqliteStore(`sqlite:${file}`);
    await writeValues(store, { key: { kept: true } });
    await store.close();
    expect((await filesBeside()).sort()).toEqual(['cache.sqlite', 'cache.sqlite-lease', 'cache.sqlite-lock']);
    expect(await (await open()).values.get('key')).toEqual({ kept: true });
  });

  test('throws when a value is damaged', async () => {
    const store = await open();
    await writeValues(store, { key: { whole: true } });
    const database = new DatabaseSync(file);
    database.exec('UPDATE keyv SET value = substr(value, 1, 12)');
    database.close();
    await expect(store.values.get('key')).rejects.toThrow();
  });

  test('that version 0.1 left with a write-ahead log keeps all its values, and is one file from then on', async () => {
    await (await openSqliteStore(`sqlite:${file}`)).close();
    const earlier = runScript(
      `import { DatabaseSync } from 'node:sqlite';
      const writer = new DatabaseSync(process.argv[1]);
      writer.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
      writer.exec(\`INSERT INTO keyv VALUES ('keyv:old', '{"value":"written"}')\`);
      console.log('written');
      setInterval(() => {}, 1_000);`,
      [file],
      onTestFinished,
    );
    await once(earlier.child.stdout!, 'data');
    await earlier.kill();
    expect((await stat(`${file}-wal`)).size).toBeGreaterThan(0);
    const store = await open();
    expect(await store.values.get('old')).toBe('written');
    await writeValues(store, { new: 1 });
    expect((await filesBeside()).sort()).toEqual(['cache.sqlite', 'cache.sqlite-lease', 'cache.sqlite-lock']);
  });

  describe('that is damaged', () => {
    const LETTER = 'a letter to a friend\n'.repeat(1_000);

    /** Opens the store and collects the paths that it passes to onDamaged. */
    async function openTold() {
      const told: string[] = [];
      const store = await openSqliteStore(`sqlite:${file}`, { onDamaged: (aside) => told.push(aside) });
      onTestFinished(() => store.close());
      return { store, told };
    }

    async function openFilled() {
      const opened = await openTold();
      for (let key = 0; key < 20; key += 1)
        await writeValues(opened.store, { [`key ${key}`]: 'x'.repeat(10_000) });
      return opened;
    }

    const asides = async () => (await filesBeside()).filter((name) => /\.damaged-.*Z$/u.test(name));

    test.each([
      ['is read', (store: Store) => store.values.get('key 7')],
      ['is written', (store: Store) => writeValues(store, { 'key 7': 'new' })],
    ])('is set aside when it %s, long after it was opened', async (_what, use) => {
      const { store, told } = await openFilled();
      await overwrite(0);
      await use(store);
      expect(told).toHaveLength(1);
      await writeValues(store, { key: 'new' });
      expect(await store.values.get('key')).toBe('new');
      expect(await store.values.get('key 8')).toBeUndefined();
      expect(told).toHaveLength(1);
    });

    test('is kept when SQLite reports damage and the whole file can be read', async () => {
      const { store, told } = await openFilled();
      const use = useSqliteFile(file, { onDamaged: (aside) => told.push(aside) });
      // What SQLite throws when the disk fails to read one page of a value.
      const malformed = Object.assign(new Error('database disk image is malformed'), { errcode: 11 });
      const fail = () => {
        throw malformed;
      };
      expect(() => use(fail)).toThrow(malformed);
      expect(told).toEqual([]);
      expect(await asides()).toEqual([]);
      expect(await store.values.get('key 7')).toBe('x'.repeat(10_000));
    });

    test('is set aside when the damage is in the middle of the file', async () => {
      const { store } = await openFilled();
      await store.close();
      await overwrite(4_096);
      const other = await openTold();
      for (let key = 0; key < 20; key += 1) await other.store.values.get(`key ${key}`);
      expect(other.told).toHaveLength(1);
    });

    test('is noticed by a process that only watches', async () => {
      const { store } = await openFilled();
      let noticed = 0;
      onTestFinished(
        store.watch(() => {
          noticed += 1;
        }),
      );
      const other = await openTold();
      await overwrite(0);
      await other.store.values.get('key 7');
      await expect.poll(() => noticed).toBeGreaterThan(0);
      await writeValues(other.store, { key: 'new' });
      expect(await store.values.get('key')).toBe('new');
    });

    test('is set aside by only one of several processes that find it at once, and no write is lost', async () => {
      await (await openSqliteStore(`sqlite:${file}`)).close();
      await writeFile(file, LETTER);
      const names = ['a', 'b', 'c', 'd'];
      const writers = names.map((name) => runScript(WRITE_NAME, [`sqlite:${file}`, name], onTestFinished));
      expect(await Promise.all(writers.map(({ output }) => output))).toEqual(Array(4).fill('written\n'));
      expect(await asides()).toHaveLength(1);
      const { store, told } = await openTold();
      expect(await Promise.all(names.map((name) => store.values.get(name)))).toEqual(names);
      expect(told).toEqual([]);
    });

    test('only in its lease file gives out one lease again', async () => {
      const [one, other] = [await openTold(), await openTold()];
      await (await one.store.lease('refresh'))?.release();
      await writeFile(`${file}-lease`, LETTER);
      await appendFile(`${file}-lock`, LETTER);
      const lease = await one.store.lease('refresh');
      expect(lease).toBeDefined();
      expect(await other.store.lease('refresh')).toBeUndefined();
      await lease?.release();
      await writeValues(other.store, { key: 1 });
      expect([...one.told, ...other.told]).toEqual([]);
    });
  });

  const filesBeside = () => readdir(path.dirname(file));

  /** Overwrites the file in place, like a failing disk. */
  async function overwrite(position: number): Promise<void> {
    const handle = await openFile(file, 'r+');
    await handle.write(Buffer.alloc(100_000, 'nonsense '), 0, 100_000, position);
    await handle.close();
  }
});
