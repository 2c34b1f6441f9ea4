import { chmod, chown, mkdir, readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { readJson, runCommand, startServe, temporaryFolder } from './support/service.ts';
import { filePart, multipart, post, upload } from './support/upload-client.ts';

/** Backups that root puts back belong to root, and the service runs as somebody else. */

const defer = onTestFinished;
const ROOT = 0;
const OWNER = 65_534;
const AS_OWNER = ['setpriv', `--reuid=${OWNER}`, `--regid=${OWNER}`, '--clear-groups', '--'];

async function openData() {
  const DATA_DIR = await temporaryFolder(defer);
  await chown(DATA_DIR, OWNER, OWNER);
  await chmod(DATA_DIR, 0o755);
  const environment = { DATA_DIR, SOURCE_URLS: 'http://127.0.0.1:9', METRICS_PORT: '0' };
  const root = path.join(DATA_DIR, 'uploads');
  return {
    environment,
    root,
    start: () => startServe(environment, defer, AS_OWNER),
    /** Gives a folder of the uploads an owner, with the mode that a copy of root has. */
    async give(folder: string, owner: number) {
      const [parent] = folder.split('/');
      await mkdir(path.join(root, folder), { recursive: true });
      await chown(path.join(root, parent!), OWNER, OWNER);
      await chmod(path.join(root, folder), 0o755);
      await chown(path.join(root, folder), owner, owner);
    },
    async runDoctor() {
      const doctor = runCommand(['doctor'], environment, defer, AS_OWNER);
      await doctor.ended;
      return doctor.output();
    },
  };
}

type Data = Awaited<ReturnType<typeof openData>>;

const storageAt = async (origin: string) => {
  const { storage, dependencies } = await readJson(fetch(`${origin}/readyz`));
  expect(dependencies.storage).toBe(storage.state);
  return storage;
};
const statusOf = async (origin: string) => (await post(origin, multipart(filePart('a.txt', 'x')))).status;
const hourOf = (ms: number) => new Date(ms).toISOString().slice(0, 13);

describe.runIf(process.getuid?.() === ROOT)('a folder of the uploads that belongs to root', () => {
  test.each<[string, (data: Data) => Promise<string>]>([
    [
      'an hour of files',
      async ({ root }) => (await readdir(root)).find((name) => /^\d{4}-/u.test(name)) ?? expect.fail(),
    ],
    ['an hour of files that nobody uploads to now', async () => hourOf(Date.now() + 3 * 3_600_000)],
    ['the records of moderation', async () => 'moderation'],
    ['an hour of resumable uploads', async () => `resumable/${hourOf(Date.now() + 3_600_000)}`],
    ['what is staged', async () => 'staging'],
  ])('%s: is named by /readyz and the doctor until it is given back', async (_what, find) => {
    const data = await openData();
    const first = await data.start();
    await upload(first.uploads, 'x');
    expect(await storageAt(first.listing)).toEqual({ state: 'ok', reason: null });
    first.kill('SIGTERM');
    await first.ended;

    const folder = await find(data);
    await data.give(folder, ROOT);
    const second = await data.start();
    const named = {
      state: 'down',
      reason: expect.stringContaining(`${folder} of the uploads cannot be written`),
    };
    expect(await storageAt(second.listing)).toEqual(named);
    expect(await storageAt(second.operations)).toEqual(named);
    expect(await data.runDoctor()).toMatch(new RegExp(`problem .*uploads/${folder}`, 'u'));

    await data.give(folder, OWNER);
    await expect.poll(() => storageAt(second.listing)).toEqual({ state: 'ok', reason: null });
    expect(await statusOf(second.uploads)).toBe(200);
  });

  test('an hour that root puts back while the service runs is named, and its uploads are answered 503', async () => {
    const data = await openData();
    const { listing, uploads, output } = await data.start();
    await upload(uploads, 'x');
    const hours = (await readdir(data.root)).filter((name) => /^\d{4}-/u.test(name));
    // The hour may end meanwhile.
    const next = hourOf(Date.now() + 25 * 3_600_000);
    for (const hour of [...hours, next]) await data.give(hour, ROOT);
    expect(await statusOf(uploads)).toBe(503);
    await expect.poll(() => storageAt(listing)).toMatchObject({ state: 'down' });
    expect(output().match(/"type":"dependency-down"/gu)).toHaveLength(1);
    expect((await stat(path.join(data.root, next))).uid).toBe(ROOT);
  });
});
