import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readdir, rm, stat, statfs } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished } from 'vitest';
import { parseUploadId } from '../../src/domain/upload-id.ts';
import { createRandom } from '../support/create-random.ts';
import { filesIn } from '../support/files.ts';
import { scrape } from '../support/metrics.ts';
import { MORE } from '../support/more-runs.ts';
import { testWith } from '../support/needs.ts';
import { createUpload, patch } from '../support/resumable.ts';
import { startServe } from '../support/service.ts';
import { mayMount, openSmallDisk, type SmallDisk } from '../support/small-disk.ts';
import type { Answer } from '../support/upload-client.ts';
import { filePart, KB, MB, multipart, openSocket, post, postHead, send } from '../support/upload-client.ts';
import { sha256 } from '../support/uploads.ts';

/** `TEST_RUNS=100` goes on for ten minutes, with a process that is killed in each round but the last. */
const ROUND_MS = 6_000;
const SENDERS = 6;
const RESUME_MS = 5_000;
const SOON = { timeout: 90_000 };
const ENVIRONMENT = {
  ...{ SERVE: 'uploads', TRUST_PROXY: '1', UPLOAD_RESUME_TTL: `${RESUME_MS}ms`, UPLOAD_MAX_SIZE: '4 MB' },
  ...{ UPLOAD_RATE_LIMIT: '10000', UPLOAD_ADDRESS_QUOTA: '20 MB', UPLOAD_QUOTA: '80 MB' },
};
/** Takes all blocks, and then all inodes, again and again. */
const FILL = `while :; do dd if=/dev/zero of=x bs=1M; sleep .3; rm x; sleep 1
  i=0; while true > $i; do i=$((i+1)); done; sleep .3; rm *; sleep 1; done 2> /dev/null`;

const start = ({ DATA_DIR, before }: SmallDisk) =>
  startServe({ ...ENVIRONMENT, DATA_DIR, METRICS_PORT: '0' }, onTestFinished, before);

/** What was acknowledged, by its path, and how often each status was answered. */
const acknowledged = new Map<string, { sha256: string; expired: number }>();
const statuses: Record<number, number> = {};
const random = createRandom(44);

type Service = Awaited<ReturnType<typeof start>>;

const isGood = ({ status }: Answer): boolean => {
  statuses[status] = (statuses[status] ?? 0) + 1;
  return status < 300;
};

function note(result: { url_file: string; expired: number }, content: Buffer): void {
  acknowledged.set(new URL(result.url_file).pathname, { sha256: sha256(content), expired: result.expired });
}

interface Upload {
  origin: string;
  headers: Record<string, string>;
  query: string;
  content: Buffer;
}

async function sendWhole({ origin, headers, query, content }: Upload): Promise<void> {
  const answer = await post(origin, multipart(filePart('a.bin', content)), {
    path: `/upload${query}`,
    headers,
  });
  if (!isGood(answer)) return;
  if (random() < 0.8) return note(answer.json().result, content);
  const { pathname } = new URL(String(answer.headers['x-delete-url']));
  isGood(await send(origin, { method: 'DELETE', path: pathname }));
}

/** Leaves every third one after its first piece. */
async function sendInPieces({ origin, headers, query, content }: Upload): Promise<void> {
  const { answer, path: to } = await createUpload(origin, content.length, {
    path: `/files${query}`,
    headers,
  });
  if (!isGood(answer)) return;
  const half = Math.ceil(content.length / 2);
  if (!isGood(await patch(origin, to, 0, content.subarray(0, half))) || random() < 0.3) return;
  if (!isGood(await patch(origin, to, half, content.subarray(half)))) return;
  note((await send(origin, { path: to })).json().result, content);
}

async function breakOff({ origin, headers, content }: Upload): Promise<void> {
  const { socket } = await openSocket(origin);
  socket.write(postHead({ ...headers, 'Content-Length': content.length + KB }));
  socket.write(filePart('a.bin', content));
  await sleep(random() * 500);
  socket.destroy();
}

/** Sends until then, or until the process is killed. */
async function keepSending(origin: string, sender: number, until: number): Promise<void> {
  const headers = { 'X-Forwarded-For': `198.51.100.${sender}` };
  while (performance.now() < until) {
    const content = randomBytes(Math.ceil(random() ** 3 * 3 * MB));
    const query = `?expires=${random() < 0.7 ? '3s' : '1h'}`;
    const act = [sendWhole, sendInPieces, breakOff][Math.floor(random() * 2.5)]!;
    await act({ origin, headers, query, content });
  }
}

/** Sends while another process fills and empties the disk; in every round but the last, the service is killed meanwhile. */
async function sendBesideFiller(
  { seen }: SmallDisk,
  { address: origin, kill }: Service,
  isLast: boolean,
): Promise<void> {
  const cwd = path.join(seen, 'fill');
  await mkdir(cwd);
  const filler = spawn('sh', ['-c', FILL], { cwd, detached: true });
  const until = performance.now() + ROUND_MS;
  const killing = isLast ? undefined : setTimeout(kill, ROUND_MS * random(), 'SIGKILL');
  const senders = Array.from({ length: SENDERS }, (_, sender) => keepSending(origin, sender, until));
  for (const { reason } of (await Promise.allSettled(senders)) as PromiseRejectedResult[])
    if (isLast && reason) throw reason;
  clearTimeout(killing);
  process.kill(-filler.pid!, 'SIGKILL');
  await once(filler, 'close');
  await rm(cwd, { recursive: true });
}

/**
 * What is on the disk. Names are counted with 64 bytes each, an upload that may be continued with four. Not counted are folders
 * of many names, which grow and do not shrink, and where the pieces of a file are.
 */
async function lookAt({ seen }: SmallDisk) {
  const root = path.join(seen, 'uploads');
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const placeOf = ({ parentPath, name }: (typeof entries)[0]) => path.join(parentPath, name);
  const folders = entries.filter((entry) => entry.isDirectory());
  const shared = folders.filter(({ name }) => parseUploadId(name) === undefined);
  /** The blocks of such a folder, or those that list the pieces of a file. */
  async function uncountedBlocks(entry: (typeof entries)[0]): Promise<number> {
    const { blocks, size } = await stat(placeOf(entry));
    return entry.isDirectory() ? blocks / 8 : blocks / 8 - Math.ceil(size / (4 * KB));
  }
  const uncounted = [...shared, ...entries.filter((entry) => entry.isFile())].map(uncountedBlocks);
  const blocks = (await Promise.all(uncounted)).reduce((sum, one) => sum + one, 0);
  const space = await statfs(seen);
  const files = (await filesIn(root)).map((file) => path.relative(root, file));
  const [published, uploads] = [files.filter((file) => /^\d/u.test(file)), folders.length - shared.length];
  const used = (space.blocks - space.bfree - blocks) * 4 * KB;
  return {
    bytes: used + 64 * (published.length + 4 * uploads),
    entries: published.length + uploads,
    published,
    others: files.filter((file) => !/^(?:\d|resumable)/u.test(file)),
    processes: shared.filter(({ parentPath }) => path.basename(parentPath) === 'staging').length,
  };
}

testWith(mayMount, 'root, to mount a small disk')(
  'a disk that fills and empties has exactly what is counted, and every file that was acknowledged',
  async () => {
    const disk = await openSmallDisk(onTestFinished, 1_000, 180);
    let service = await start(disk);
    const metric = async (name: string) => (await scrape(service.operations)).sample(name);
    const uncounted = async () => (await lookAt(disk)).bytes - ((await metric('tayang_stored_bytes')) ?? 0);
    const before = await uncounted();
    for (let round = 1; round <= MORE; round += 1) {
      await sendBesideFiller(disk, service, round === MORE);
      service.kill('SIGTERM');
      await service.ended;
      // What lives for seconds is over, and swept at the start.
      if (round === MORE) await sleep(RESUME_MS);
      service = await start(disk);
    }

    // What a process left that was killed is swept when it has shown no sign of life for 20 s.
    await expect.poll(() => lookAt(disk), SOON).toMatchObject({ processes: 1, others: [] });
    await expect.poll(async () => (await uncounted()) - before, SOON).toBe(0);
    const { entries, published } = await lookAt(disk);
    expect(await metric('tayang_stored_files')).toBe(entries);
    expect(await metric('tayang_unswept_items')).toBe(0);
    const left = [...acknowledged].filter(([, { expired }]) => expired > Date.now());
    for (const [file, { sha256: sent }] of left)
      expect(sha256((await send(service.address, { path: file })).body), file).toBe(sent);
    // A file whose answer a kill prevented is whole as well, and nobody knows its address.
    if (MORE === 1) expect(published.length).toBe(left.length);
    const readiness = await send(service.operations, { path: '/readyz' });
    expect(readiness.json().dependencies).toMatchObject({ storage: 'ok' });
    if (MORE > 1)
      console.info(JSON.stringify({ statuses, acknowledged: acknowledged.size, left: left.length }));
    expect(Object.keys(statuses)).toEqual(expect.arrayContaining(['200', '201', '204', '507']));
    expect(statuses).not.toHaveProperty('500');
  },
  120_000 * MORE,
);
