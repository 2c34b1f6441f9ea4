import { pbkdf2, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  filePart,
  KB,
  MB,
  multipart,
  openOnce,
  openUploads,
  part,
  postHead,
} from '../../support/upload-client.ts';

const LIMIT = 6;
const LIMITS = { UPLOAD_CONCURRENCY: String(LIMIT), UPLOAD_MAX_SIZE: '4 MB', UPLOAD_ADDRESS_QUOTA: '4 MB' };
const uploads = openOnce((defer) => openUploads(defer, LIMITS));

/** Longer than what is gathered before the first write. */
const BODY = multipart(filePart('a.bin', randomBytes(600 * KB)));
const length = { 'Content-Length': BODY.length };
const chunked = Buffer.concat([
  Buffer.from(`${BODY.length.toString(16)}\r\n`),
  BODY,
  Buffer.from('\r\n0\r\nX-A: b\r\n\r\n'),
]);
const whole = Buffer.concat([Buffer.from(postHead(length)), BODY]);
const fileOfMany = (content: Buffer | string) => part('form-data; name="files[]"; filename="a.bin"', content);
const MANY = multipart(...['a', 'b', randomBytes(600 * KB)].map(fileOfMany));

/** What a sender writes before a short pause, and after it, and the status that it is answered with if all of it arrives. */
const WAYS: [string, string, Buffer, number?][] = [
  ['with a length', postHead(length), BODY],
  ['of several files', postHead({ 'Content-Length': MANY.length }), MANY],
  ['in chunks, with trailers', postHead({ 'Transfer-Encoding': 'chunked', Trailer: 'X-A' }), chunked],
  ['with Expect: 100-continue', postHead({ ...length, Expect: '100-continue' }), BODY],
  ['with Connection: close', postHead({ ...length, Connection: 'close' }), BODY],
  [
    'with a body after its end',
    postHead({ 'Content-Length': BODY.length * 2 }),
    Buffer.concat([BODY, BODY]),
    400,
  ],
  [
    'behind a refused request',
    postHead({ ...length, 'Content-Type': 'text/plain' }),
    Buffer.concat([BODY, whole]),
    415,
  ],
];

/** Numbers of bytes that are less than a whole request. */
const MOMENTS = [0, 1, 100, 30 * KB, 200 * KB, BODY.length - 60, BODY.length - 1];

describe.each(WAYS)('an upload %s', (_, head, body, status = 200) => {
  test(`is ${status} when all of it arrives`, async () => {
    const { socket, received } = await uploads.openSocket();
    socket.write(head);
    socket.write(body);
    await expect.poll(received).toContain(`HTTP/1.1 ${status} `);
    for (const [path] of received().matchAll(/(?<=localhost:\d+)\/d\/[\w/-]+/gu))
      await uploads.send({ method: 'DELETE', path });
    await uploads.expectNothingLeft();
  });

  test('leaves nothing when it is aborted at any moment, in any way', async () => {
    for (const moment of MOMENTS)
      for (const ending of ['close', 'half-close', 'reset']) {
        const { socket } = await uploads.openSocket();
        socket.write(head);
        if (moment % 2) await sleep(5);
        await new Promise((sent) => socket.write(body.subarray(0, moment), sent));
        if (moment % 4 === 0) await sleep(5);
        if (ending === 'half-close') socket.end();
        else if (ending === 'reset') socket.resetAndDestroy();
        else socket.destroy();
      }
    await uploads.expectNothingLeft();

    // All slots and the whole share are available again.
    const deletions: string[] = [];
    const uploadOne = () =>
      uploads.upload().then(
        ({ deletion }) => deletions.push(deletion),
        () => 0,
      );
    const uploadAll = () => Promise.all(Array.from({ length: LIMIT }, uploadOne));
    await expect.poll(uploadAll).toSatisfy((outcomes) => outcomes.every(Boolean));
    for (const path of deletions) await uploads.send({ method: 'DELETE', path });
    const { deletion } = await uploads.upload(randomBytes(4 * MB - 8 * KB));
    expect((await uploads.send({ method: 'DELETE', path: deletion })).status).toBe(204);
    await uploads.expectNothingLeft();
  });
});

/** Occupies the four threads of the thread pool, so that the service waits for the disk before it reads a body. */
function keepThreadsBusy(): void {
  for (let thread = 0; thread < 4; thread += 1) pbkdf2('', '', 20_000, 64, 'sha512', () => {});
}

test('a connection that is closed before its body is read releases its slot', async () => {
  const { failures, post, openSocket } = await openUploads(onTestFinished, { UPLOAD_CONCURRENCY: '2' });
  for (let i = 0; i < 4; i += 1) {
    const { socket } = await openSocket();
    keepThreadsBusy();
    socket.write(postHead({ 'Content-Length': BODY.length }));
    await sleep(10);
    socket.destroy();
    await sleep(10);
  }
  await expect.poll(async () => (await post(BODY)).status).toBe(200);
  expect(failures).toEqual([]);
});

describe('a file whose last part has ended, but not its request,', () => {
  async function sendAllButTheEnd() {
    const other = await openUploads(onTestFinished);
    const { socket, received } = await other.openSocket();
    socket.write(postHead({ 'Transfer-Encoding': 'chunked' }));
    socket.write(`${BODY.length.toString(16)}\r\n`);
    socket.write(BODY);
    await expect.poll(other.held).toHaveLength(1);
    await sleep(100);
    expect((await other.kept()).filter((file) => !file.includes('/staging/'))).toEqual([]);
    expect(received()).toBe('');
    return { ...other, socket, received };
  }

  test('is published when the request ends', async () => {
    const { socket, received, kept } = await sendAllButTheEnd();
    socket.write('\r\n0\r\n\r\n');
    await expect.poll(received).toMatch(/^HTTP\/1\.1 200 OK/u);
    expect((await kept()).filter((file) => !file.includes('/staging/'))).toHaveLength(1);
  });

  test('is removed when the connection is closed', async () => {
    const { socket, ...other } = await sendAllButTheEnd();
    socket.destroy();
    await other.expectNothingLeft();
  });
});
