import { pbkdf2, randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { eventually } from '../../support/service.ts';
import {
  expectNothingLeft,
  filePart,
  KB,
  MB,
  multipart,
  openOnce,
  openSocket,
  openUploads,
  post,
  postHead,
  send,
} from '../../support/upload-client.ts';

const ABORTED = 500;
const AT_ONCE = 25;

const BODY = multipart(filePart('a.bin', randomBytes(200 * KB)));
const HEADER_LENGTH = filePart('a.bin', '').length;

/** How many bytes of the body are sent before the connection is closed. */
const POINTS = [
  ...[0, 1, 20, HEADER_LENGTH - 3, HEADER_LENGTH, HEADER_LENGTH + 1, 30 * KB, 64 * KB, 66 * KB, 150 * KB],
  ...[BODY.length - 60, BODY.length - 40, BODY.length - 4, BODY.length - 3, BODY.length - 1],
];

// Space for the concurrent uploads, but not for 500 that are never released.
const uploads = openOnce((defer) =>
  openUploads(defer, { UPLOAD_MAX_SIZE: '6 MB', UPLOAD_ADDRESS_QUOTA: '6 MB' }),
);

async function abort(number: number): Promise<void> {
  const { socket } = await openSocket(uploads.origin);
  const length = POINTS[number % POINTS.length]!;
  socket.write(postHead({ 'Content-Length': BODY.length }));
  await new Promise((sent) => socket.write(BODY.subarray(0, length), sent));
  // Some connections are closed at once, others after the service had time to read the bytes.
  if (number % 2) await sleep(5);
  if (number % 3) socket.destroy();
  else socket.resetAndDestroy();
}

async function abortMany(count: number): Promise<void> {
  for (let first = 0; first < count; first += AT_ONCE) {
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, count - first) }, (_, i) => abort(first + i)));
    // When this request is answered, the service has seen the requests before it.
    await send(uploads.origin, { path: '/' });
  }
}

const countDescriptors = async () => (await readdir('/proc/self/fd')).length;

/** Occupies the four threads of the thread pool, so that the service waits for the disk before it reads a body. */
function keepThreadsBusy(): void {
  for (let thread = 0; thread < 4; thread += 1) pbkdf2('', '', 50_000, 64, 'sha512', () => {});
}

test('a connection that is closed before its body is read releases its slot', async () => {
  const { origin, failures } = await openUploads(onTestFinished, { UPLOAD_CONCURRENCY: '2' });
  for (let i = 0; i < 4; i += 1) {
    const { socket } = await openSocket(origin);
    keepThreadsBusy();
    socket.write(postHead({ 'Content-Length': BODY.length }));
    await sleep(10);
    socket.destroy();
    await sleep(10);
  }
  await eventually(
    async () => (await post(origin, BODY)).status,
    (status) => status === 200,
  );
  expect(failures).toEqual([]);
});

test(`${ABORTED} uploads that are aborted anywhere leave no file or descriptor, and release their space`, async () => {
  await abortMany(AT_ONCE);
  await expectNothingLeft(uploads);
  const before = await countDescriptors();

  await abortMany(ABORTED);
  await expectNothingLeft(uploads);
  await eventually(countDescriptors, (count) => count <= before + 2);
  const all = multipart(filePart('a.bin', randomBytes(6 * MB)));
  await eventually(
    async () => (await post(uploads.origin, all)).status,
    (status) => status === 200,
  );
  expect(uploads.failures).toEqual([]);
});

describe('a file whose last part has ended, but not its request,', () => {
  async function sendAllButTheEnd() {
    const other = await openUploads(onTestFinished);
    const { socket, received } = await openSocket(other.origin);
    socket.write(postHead({ 'Transfer-Encoding': 'chunked' }));
    socket.write(`${BODY.length.toString(16)}\r\n`);
    socket.write(BODY);
    await eventually(other.held, (files) => files.length === 1);
    await sleep(100);
    expect((await other.kept()).filter((file) => !file.includes('/staging/'))).toEqual([]);
    expect(received()).toBe('');
    return { ...other, socket, received };
  }

  test('is published when the request ends', async () => {
    const { socket, received, kept } = await sendAllButTheEnd();
    socket.write('\r\n0\r\n\r\n');
    await eventually(
      async () => received(),
      (text) => text.startsWith('HTTP/1.1 200 OK'),
    );
    expect((await kept()).filter((file) => !file.includes('/staging/'))).toHaveLength(1);
  });

  test('is removed when the connection is closed', async () => {
    const { socket, ...other } = await sendAllButTheEnd();
    socket.destroy();
    await expectNothingLeft(other);
  });
});
