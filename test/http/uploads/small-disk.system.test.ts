import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, chown, mkdir, readdir, rm, stat, statfs, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished } from 'vitest';
import { scrape } from '../../support/metrics.ts';
import { testWith } from '../../support/needs.ts';
import { describeWithRedis, openTestRedis } from '../../support/redis.ts';
import { createdUpload, patch, TUS } from '../../support/resumable.ts';
import { runCommand, startServe } from '../../support/service.ts';
import { mayMount, openMemoryDisk, openSmallDisk, type SmallDisk } from '../../support/small-disk.ts';
import { filePart, KB, MB, multipart, post, send, upload } from '../../support/upload-client.ts';
import { HOUR_MS, newId } from '../../support/uploads.ts';

const test = testWith(mayMount, 'root, to mount a small disk');
const LIMITS = { UPLOAD_RATE_LIMIT: '10000', UPLOAD_CONCURRENCY: '1000', METRICS_PORT: '0' };

/** Writes files until there is neither a block nor an inode. */
async function fill(folder: string): Promise<void> {
  await mkdir(folder);
  for (const bytes of [MB, 4 * KB, 0]) {
    for (let file = 0; ; file += 1) {
      const isWritten = await writeFile(path.join(folder, `${bytes}-${file}`), Buffer.alloc(bytes)).then(
        () => true,
        () => false,
      );
      if (!isWritten) break;
    }
  }
}

/** Runs a command as a user without any rights. */
const asUser = (user: number) => ['setpriv', `--reuid=${user}`, `--regid=${user}`, '--clear-groups'];

const start = ({ DATA_DIR, before }: Pick<SmallDisk, 'DATA_DIR' | 'before'>, environment = {}) =>
  startServe({ ...LIMITS, ...environment, DATA_DIR }, onTestFinished, before);

describe('on a disk with few inodes', () => {
  test('uploads stop at 507, and a full disk stops neither a start nor the operator', async () => {
    const disk = await openSmallDisk(onTestFinished, 300, 100);
    const first = await start(disk);
    const file = await upload(first.uploads, 'first');
    const others = await Promise.all([1, 2, 3].map(() => upload(first.uploads, 'x')));
    const statuses: number[] = [];
    while (statuses.at(-1) !== 507)
      statuses.push((await post(first.uploads, multipart(filePart('a.txt', 'x')))).status);
    expect(statuses.length).toBeGreaterThan(100);
    expect((await statfs(disk.seen)).ffree).toBeGreaterThanOrEqual(64);
    first.kill('SIGTERM');
    expect(await first.ended).toBe(0);

    // As a removal leaves it that was interrupted.
    await writeFile(path.join(disk.seen, 'uploads', 'moderation', `removal.${file.id}`), '');
    await fill(path.join(disk.seen, 'fill'));
    const second = await start(disk);
    const { uploads: origin } = second;
    expect((await send(origin, { path: file.file })).text).toBe('first');
    expect((await post(origin, multipart(filePart('a.txt', 'x')))).status).toBe(507);
    expect((await fetch(`${second.listing}/healthz`)).status).toBe(200);
    const { DATA_DIR, before } = disk;
    const run = (...args: string[]) =>
      runCommand(['uploads', ...args], { DATA_DIR }, onTestFinished, before).ended;
    expect(await run('list')).toBe(0);
    expect(await run('remove', file.page, '--block')).toBe(0);
    expect((await send(origin, { path: file.page })).status).toBe(410);

    for (const { deletion } of others)
      expect((await send(origin, { method: 'DELETE', path: deletion })).status).toBe(204);
    await rm(path.join(disk.seen, 'fill'), { recursive: true });
    await expect
      .poll(() => post(origin, multipart(filePart('a.txt', 'first'))), { timeout: 10_000 })
      .toMatchObject({ status: 403 });
  });

  test('that is read-only at the start, uploads are 503, all else works, and they do again once it is not', async () => {
    const disk = await openSmallDisk(onTestFinished, 300, 100);
    const { DATA_DIR, before, remount } = disk;
    const first = await start(disk);
    const file = await upload(first.uploads, 'first');
    first.kill('SIGTERM');
    await first.ended;
    await remount('ro');
    const second = await start(disk);
    const { uploads: origin } = second;
    expect((await fetch(`${second.listing}/healthz`)).status).toBe(200);
    expect((await send(origin, { path: file.file })).text).toBe('first');
    expect((await post(origin, multipart(filePart('a.txt', 'x')))).status).toBe(503);
    expect(await runCommand(['uploads', 'list'], { DATA_DIR }, onTestFinished, before).ended).toBe(0);
    await remount('rw');
    await expect.poll(() => post(origin, multipart(filePart('a.txt', 'x')))).toMatchObject({ status: 200 });
  });

  test('a command of root acts as the owner of the uploads, and one of somebody else says that it cannot', async () => {
    const { DATA_DIR, seen, before } = await openSmallDisk(onTestFinished, 300, 100);
    const [owner, other] = [1_000, 1_001];
    await mkdir(path.join(seen, 'uploads'), { mode: 0o700 });
    await chown(path.join(seen, 'uploads'), owner, owner);
    const block = (...as: string[]) => {
      const run = [...before, 'sh', '-c', 'umask 077; exec "$@"', 'sh', ...as];
      return runCommand(['uploads', 'block', 'address:203.0.113.9'], { DATA_DIR }, onTestFinished, run);
    };
    expect(await block().ended).toBe(0);
    const records = path.join(seen, 'uploads', 'moderation');
    for (const name of await readdir(records))
      expect(await stat(path.join(records, name))).toMatchObject({ uid: owner, mode: 0o100600 });
    const refused = block(...asUser(other));
    expect(await refused.ended).toBe(1);
    expect(refused.output()).toContain('as the owner of the uploads, or as root');
  });

  test('the numbers are those of the disk, also of uploads that may be continued', async () => {
    const disk = await openSmallDisk(onTestFinished, 600, 200);
    // The store of the listing would write to the disk meanwhile.
    const { uploads: origin, operations } = await start(disk, { SERVE: 'uploads' });
    const used = async () => {
      const { bfree, bsize } = await statfs(disk.seen);
      return -bfree * bsize;
    };
    const counted = async () => (await scrape(operations)).sample('tayang_stored_bytes') as number;
    await upload(origin, 'x');
    const before = (await used()) - (await counted());

    const files = [await upload(origin, randomBytes(3 * MB))];
    for (let i = 0; i < 40; i += 1) files.push(await upload(origin, randomBytes(i * 500)));
    const unfinished = await Promise.all(Array.from({ length: 40 }, () => createdUpload(origin, 10)));
    for (const one of unfinished) await patch(origin, one, 0, Buffer.from('x'));
    // Names share the blocks of folders, and an upload counts the block of its file's id from the beginning.
    const ahead = 64 * (41 + 40 * 4) + 40 * 4 * KB;
    const difference = (await counted()) + before - (await used());
    expect(difference).toBeGreaterThanOrEqual(-16 * KB);
    expect(difference).toBeLessThanOrEqual(ahead);

    for (const one of unfinished) await send(origin, { method: 'DELETE', path: one, headers: TUS });
    for (const { deletion } of files) await send(origin, { method: 'DELETE', path: deletion });
    expect(await counted()).toBe(4 * KB + 64);
    expect((await used()) - (await counted()) - before).toBeLessThanOrEqual(16 * KB);
  });
});

test('the operator can block, unblock and remove where the disk was full before the first start', async () => {
  const disk = await openMemoryDisk(onTestFinished, 100);
  const { DATA_DIR, seen, before } = disk;
  await promisify(execFile)(
    'sh',
    ['-c', 'dd if=/dev/zero of=fill bs=64k || true; dd if=/dev/zero of=rest bs=4k || true'],
    { cwd: seen },
  );
  const { uploads: origin } = await start(disk, { SERVE: 'uploads' });
  const run = async (...args: string[]) => {
    const command = runCommand(['uploads', ...args], { DATA_DIR }, onTestFinished, before);
    return { code: await command.ended, output: command.output() };
  };
  const statusOf = async () => (await post(origin, multipart(filePart('a.txt', 'x')))).status;
  const FULL = 507;
  const BLOCKED = 403;
  expect(await statusOf()).toBe(FULL);
  // Each change is announced, the second and later ones as well.
  for (let time = 0; time < 2; time += 1) {
    expect((await run('block', 'address:127.0.0.1')).code).toBe(0);
    await expect.poll(statusOf, { timeout: 10_000 }).toBe(BLOCKED);
    expect((await run('unblock', 'address:127.0.0.1')).code).toBe(0);
    await expect.poll(statusOf, { timeout: 10_000 }).toBe(FULL);
  }
  const hash = `sha256:${'0'.repeat(64)}`;
  expect((await run('block', hash)).code).toBe(0);
  expect(JSON.parse((await run('blocked')).output)).toEqual([hash]);
  expect(await run('list')).toEqual({ code: 0, output: '[]\n' });

  await rm(path.join(seen, 'fill'));
  await expect.poll(statusOf, { timeout: 10_000 }).toBe(200);
  expect((await run('block', 'address:127.0.0.1')).code).toBe(0);
  await expect.poll(statusOf, { timeout: 10_000 }).toBe(BLOCKED);
});

describeWithRedis('on a disk with what its owner can neither read nor remove', () => {
  test('all else is swept, what stays is counted and named once, and an empty Redis counts it again', async () => {
    const { DATA_DIR, seen, before } = await openSmallDisk(onTestFinished, 300, 100);
    const redis = await openTestRedis(onTestFinished);
    const owner = 1_000;
    await chown(seen, owner, owner);
    const disk = { DATA_DIR, before: [...before, ...asUser(owner)] };
    const environment = { UPLOAD_LIMITER_URL: redis.url() };
    const root = path.join(seen, 'uploads');
    const hourOf = (ms: number) => new Date(ms).toISOString().slice(0, 13);
    const placeOf = ({ id, result: { expired } }: Awaited<ReturnType<typeof upload>>) =>
      path.join(root, hourOf(expired), id);

    const first = await start(disk, environment);
    const [unreadable, kept] = [
      await upload(first.uploads, 'unreadable'),
      await upload(first.uploads, 'kept'),
    ];
    const soon = { path: '/upload?expires=2s' };
    const [immutable, ...others] = await Promise.all([1, 2, 3].map(() => upload(first.uploads, 'x', soon)));
    first.kill('SIGTERM');
    await first.ended;
    await chown(placeOf(unreadable), 0, 0);
    await chmod(placeOf(unreadable), 0);
    const records = [1_000, 500].map((ms) =>
      path.join(root, 'moderation', `report.${newId(Date.now() - ms)}.1`),
    );
    for (const record of records) await writeFile(record, '{}');
    await promisify(execFile)('chattr', ['+i', placeOf(immutable!), records[0]!]);
    const [unreadableHour, hour] = [1, 2].map((hours) => hourOf(Date.now() + hours * HOUR_MS));
    const empty = path.join(root, 'resumable', hour!, newId(Date.now() + 2 * HOUR_MS));
    const left = [
      path.join(root, 'staging', '4711-of-root'),
      path.join(root, 'resumable', unreadableHour!),
      empty,
    ];
    for (const folder of left) await mkdir(folder, { recursive: true });
    for (const folder of left.slice(0, 2)) await chmod(folder, 0o700);
    for (const folder of [path.dirname(path.dirname(empty)), path.dirname(empty), empty])
      await chown(folder, owner, owner);
    for (const folder of left) await utimes(folder, 0, 0);
    await expect.poll(Date.now).toBeGreaterThan(immutable!.result.expired);

    await redis.kill();
    await redis.start();
    const { uploads: origin, operations, output } = await start(disk, environment);
    await expect.poll(() => post(origin, multipart(filePart('a.txt', 'x')))).toMatchObject({ status: 200 });
    expect((await send(origin, { path: kept.file })).text).toBe('kept');
    await expect
      .poll(async () => (await scrape(operations)).sample('tayang_unswept_items'))
      .toBeGreaterThan(1);
    for (const gone of [...others.map(placeOf), records[1]!, empty])
      await expect(stat(gone), gone).rejects.toMatchObject({ code: 'ENOENT' });
    await expect.poll(async () => (await scrape(operations)).sample('tayang_stored_files')).toBe(4);
    expect(output().match(/"doing":"sweeping/gu)).toHaveLength(1);
    const list = runCommand(['uploads', 'list'], { DATA_DIR }, onTestFinished, disk.before);
    expect(await list.ended).toBe(0);
    expect(list.output()).toContain(`"id": "${kept.id}"`);
    expect(list.output()).toContain(`${unreadable.id} cannot be read`);
  });
});
