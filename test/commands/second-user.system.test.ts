import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, chown, cp, mkdir, readdir, stat, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { runCommand, startServe, temporaryFolder } from '../support/service.ts';

/** Files that another user of the machine can write are neither run nor read as settings. */

const defer = onTestFinished;
const ROOT = 0;
/** The second user, and a third one. */
const NOBODY = 65_534;
const PROJECT = path.resolve(import.meta.dirname, '../..');
const isRoot = process.getuid?.() === ROOT;

/** A folder that everybody can enter, as installations are. */
async function openFolder(mode = 0o755): Promise<string> {
  const folder = await temporaryFolder(defer);
  await chmod(folder, mode);
  return folder;
}

/** Runs a command as a user of the machine. Resolves with its exit code and output. */
async function runAs(user: number, argv: string[], cwd: string, environment: Record<string, string> = {}) {
  const asUser = [`--reuid=${user}`, `--regid=${user}`, '--clear-groups', '--'];
  const run = promisify(execFile)('setpriv', [...asUser, process.execPath, ...argv], {
    cwd,
    env: { PATH: process.env.PATH, ...environment },
  });
  const { code = 0, stdout, stderr } = await run.catch((error) => error);
  return { code, output: `${stdout}${stderr}` };
}

describe.runIf(isRoot)('compiled code', () => {
  /** An installation in which only the command line works, and a shared temporary folder. */
  async function install() {
    const root = await openFolder();
    await cp(path.join(PROJECT, 'src'), path.join(root, 'src'), { recursive: true });
    await cp(path.join(PROJECT, 'package.json'), path.join(root, 'package.json'));
    await mkdir(path.join(root, 'node_modules'));
    const shared = await openFolder(0o1777);
    return {
      root,
      modules: path.join(root, 'node_modules'),
      cache: path.join(root, 'node_modules/.tayang'),
      /** Runs the command line twice, and resolves with the names in the temporary folder. */
      async run(user: number) {
        for (let time = 0; time < 2; time += 1) {
          const run = await runAs(user, [path.join(root, 'src/start.js'), '--help'], '/', { TMPDIR: shared });
          expect(run).toEqual({ code: 0, output: expect.stringContaining('uploads: ') });
        }
        return readdir(shared);
      },
    };
  }

  const namesIn = (folder: string) => readdir(folder, { recursive: true });

  test('is kept in the installation, for its owner alone', async () => {
    const { run, cache } = await install();
    expect(await run(ROOT)).toEqual([]);
    expect((await namesIn(cache)).length).toBeGreaterThan(3);
    expect((await stat(cache)).mode & 0o777).toBe(0o700);
  });

  test('is kept nowhere for a user who cannot write the installation', async () => {
    const { run, modules } = await install();
    expect(await run(NOBODY)).toEqual([]);
    expect(await namesIn(modules)).toEqual([]);
  });

  test('of root is not kept in the installation of another user', async () => {
    const { run, root, modules } = await install();
    await chown(root, NOBODY, NOBODY);
    expect(await run(ROOT)).toEqual([]);
    expect(await namesIn(modules)).toEqual([]);
  });

  test.each<[string, (folders: { root: string; modules: string; cache: string }) => Promise<string>]>([
    [
      'the cache of another user',
      async ({ cache }) => {
        await mkdir(cache);
        await chown(cache, NOBODY, NOBODY);
        return cache;
      },
    ],
    [
      'a cache that everybody can write',
      async ({ cache }) => {
        await mkdir(cache);
        await chmod(cache, 0o1777);
        return cache;
      },
    ],
    [
      'a cache that another group can write',
      async ({ cache }) => {
        await mkdir(cache);
        await chown(cache, ROOT, NOBODY);
        await chmod(cache, 0o770);
        return cache;
      },
    ],
    [
      'a folder that everybody can write',
      async ({ modules, cache }) => {
        await mkdir(cache, { mode: 0o700 });
        await chmod(modules, 0o777);
        return cache;
      },
    ],
    [
      'a link to the folder of another user',
      async ({ cache }) => {
        const theirs = await openFolder(0o700);
        await chown(theirs, NOBODY, NOBODY);
        await symlink(theirs, cache);
        return theirs;
      },
    ],
    [
      'a link in the folder of another user',
      async ({ cache }) => {
        const [theirs, ours] = [await openFolder(), await openFolder(0o700)];
        await symlink(ours, path.join(theirs, 'link'));
        await chown(theirs, NOBODY, NOBODY);
        await symlink(path.join(theirs, 'link'), cache);
        return ours;
      },
    ],
  ])('is not read from %s', async (_what, prepare) => {
    const installation = await install();
    const folder = await prepare(installation);
    expect(await installation.run(ROOT)).toEqual([]);
    expect(await namesIn(folder)).toEqual([]);
  });

  test('is never kept in the shared temporary folder, by any thread or command', async () => {
    const TMPDIR = await openFolder(0o1777);
    const environment = { TMPDIR, SOURCE_URLS: 'http://127.0.0.1:9', LOG_LEVEL: 'info' };
    const serve = await startServe(environment, defer);
    serve.kill('SIGTERM');
    expect(await serve.ended).toBe(0);
    for (const command of ['doctor', 'refresh']) {
      const DATA_DIR = await temporaryFolder(defer);
      expect(await runCommand([command], { ...environment, DATA_DIR }, defer).ended).toBe(1);
    }
    expect(await readdir(TMPDIR)).toEqual([]);
  });
});

describe.runIf(isRoot)('.env', () => {
  const START = path.join(PROJECT, 'src/start.js');

  /** A folder with `.env`. Where the file is used, the output contains the folder that it names. */
  async function open(mode = 0o755) {
    const folder = await openFolder(mode);
    const file = path.join(folder, '.env');
    await writeFile(file, 'DATA_DIR=/named-in-env\n');
    return { folder, file, run: (user = ROOT) => runAs(user, [START, 'uploads', 'blocked'], folder) };
  }

  const USED = { code: 1, output: expect.stringContaining('/named-in-env') };
  const refused = (what: string) => ({
    code: 1,
    output: expect.stringMatching(
      new RegExp(
        `^The file \\.env is not used, because another user can change ${what}: [^\\n]+\\.\\n$`,
        'u',
      ),
    ),
  });

  test('of root is used by everybody', async () => {
    const { run } = await open();
    expect([await run(), await run(NOBODY)]).toEqual([USED, USED]);
  });

  test('of a user is used by this user, also in a folder such as /tmp', async () => {
    const { run, file } = await open(0o1777);
    await chown(file, NOBODY, NOBODY);
    expect(await run(NOBODY)).toEqual(USED);
  });

  test('of a user is not used by root who starts a command in a folder such as /tmp', async () => {
    const { run, file } = await open(0o1777);
    await chown(file, NOBODY, NOBODY);
    expect(await run()).toEqual(refused(file));
  });

  test('that everybody, or another group, can write is not used', async () => {
    const { run, file } = await open();
    await chmod(file, 0o666);
    expect(await run()).toEqual(refused(file));
    await chmod(file, 0o660);
    await chown(file, ROOT, NOBODY);
    expect(await run()).toEqual(refused(file));
  });

  test('in a folder that everybody can write is not used', async () => {
    const { run, folder } = await open(0o777);
    expect(await run()).toEqual(refused(folder));
  });

  test('that is a link to the file of another user is not used', async () => {
    const theirs = await open();
    await chown(theirs.file, NOBODY, NOBODY);
    const folder = await openFolder();
    await symlink(theirs.file, path.join(folder, '.env'));
    expect(await runAs(ROOT, [START, 'uploads', 'blocked'], folder)).toEqual(refused(theirs.file));
  });

  test('of the owner of the installation is used by everybody', async () => {
    const { folder, file } = await open();
    await cp(path.join(PROJECT, 'src'), path.join(folder, 'src'), { recursive: true });
    await cp(path.join(PROJECT, 'package.json'), path.join(folder, 'package.json'));
    await symlink(path.join(PROJECT, 'node_modules'), path.join(folder, 'node_modules'));
    for (const name of [folder, file]) await chown(name, 1_234, 1_234);
    const start = path.join(folder, 'src/start.js');
    expect(await runAs(ROOT, [start, 'uploads', 'blocked'], folder)).toEqual(USED);
    expect(await runAs(NOBODY, [start, 'uploads', 'blocked'], folder)).toEqual(USED);
  });
});

describe.runIf(isRoot)('the doctor', () => {
  test.each(['UPLOAD_STORAGE_URL', 'CACHE_URL'])(
    'as root acts as the other user in the folder of another user that %s names',
    async (variable) => {
      const theirs = await openFolder();
      await chown(theirs, NOBODY, NOBODY);
      const places: Record<string, string> = {
        UPLOAD_STORAGE_URL: `file:${theirs}/data`,
        CACHE_URL: `sqlite:${theirs}/data/cache.sqlite`,
      };
      const DATA_DIR = await temporaryFolder(defer);
      const environment = { DATA_DIR, SOURCE_URLS: 'http://127.0.0.1:9', [variable]: places[variable] ?? '' };
      await runCommand(['doctor'], environment, defer).ended;
      expect(existsSync(path.join(theirs, 'data'))).toBe(true);
      for (const name of await readdir(theirs, { recursive: true }))
        expect((await stat(path.join(theirs, name))).uid).toBe(NOBODY);
    },
  );

  test('warns about data that another user can change', async () => {
    const DATA_DIR = await openFolder(0o777);
    const run = runCommand(['doctor'], { DATA_DIR, SOURCE_URLS: 'http://127.0.0.1:9' }, defer);
    await run.ended;
    expect(run.output().match(/warning +another user can change/gu)).toHaveLength(2);
  });
});
