import { createHash, randomBytes } from 'node:crypto';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { openFakeClamd } from '../../support/clamd.ts';
import type { Defer } from '../../support/defer.ts';
import { fileHandleMethods } from '../../support/file-handles.ts';
import { openModerator } from '../../support/moderator.ts';
import {
  type Answer,
  expectRefusal,
  filePart,
  KB,
  MB,
  MULTIPART,
  multipart,
  openOnce,
  openUploads,
  part,
  postHead,
  type TestUploads,
} from '../../support/upload-client.ts';
import { DIALECTS, type Dialect, formOf, neko, postTo, WAYS } from '../../support/upload-ways.ts';

/** Larger than the buffer in memory, so that it is written to the disk. */
const CONTENT = randomBytes(300 * KB);
const LIMITS = { UPLOAD_MAX_SIZE: '1 MB' };
const SHA256 = createHash('sha256').update(CONTENT).digest('hex');

interface Cause {
  status: number;
  content?: Buffer;
  environment?: Record<string, string> | ((defer: Defer) => Promise<Record<string, string>>);
  /** What happens before the upload. */
  begin?: (uploads: TestUploads, defer: Defer) => Promise<unknown>;
}

const scannedBy = (reply: string) => async (defer: Defer) => ({
  UPLOAD_SCANNER_URL: await openFakeClamd(defer, reply, { atEnd: true }),
});

const blocking = (block: string) => async (uploads: TestUploads, defer: Defer) => {
  await (await openModerator(uploads.dataDir, defer)).block([block]);
  const isFollowed = () => WAYS['POST /upload']!.upload(uploads.origin, CONTENT);
  await expect.poll(isFollowed).toMatchObject({ status: 403 });
};

const failingToWrite = (code: string) => async (_uploads: TestUploads, defer: Defer) => {
  const failure = Object.assign(new Error(`${code}: write`), { code, errno: -1, syscall: 'write' });
  const methods = await fileHandleMethods();
  for (const name of ['write', 'writev', 'datasync', 'sync'] as const) {
    const spy = vi.spyOn(methods, name).mockRejectedValue(failure);
    defer(() => spy.mockRestore());
  }
};

const fill = async ({ upload }: TestUploads) => void (await upload(randomBytes(800 * KB)));

const CAUSES: Record<string, Cause> = {
  'is too large': { status: 413, content: randomBytes(MB + 200 * KB) },
  'has no room left in its share': {
    status: 507,
    environment: { UPLOAD_ADDRESS_QUOTA: '1 MB' },
    begin: fill,
  },
  'has no room left in the store': { status: 507, environment: { UPLOAD_QUOTA: '1 MB' }, begin: fill },
  'is one too many in the window': {
    status: 429,
    environment: { UPLOAD_RATE_LIMIT: '1' },
    begin: ({ upload }) => upload(),
  },
  'is one too many at once': {
    status: 429,
    environment: { UPLOAD_CONCURRENCY: '1' },
    async begin({ openSocket }) {
      const { socket, received } = await openSocket();
      socket.write(postHead({ 'Content-Length': 100, Expect: '100-continue' }));
      await expect.poll(received).toContain('100 Continue');
    },
  },
  'has bytes that are blocked': { status: 403, begin: blocking(`sha256:${SHA256}`) },
  'has a sender that is blocked': { status: 403, begin: blocking('address:127.0.0.0/8') },
  'has malware in it': { status: 422, environment: scannedBy('stream: Test FOUND\0') },
  'has a scanner that is away': { status: 503, environment: scannedBy('') },
  'has a disk that is full': { status: 507, begin: failingToWrite('ENOSPC') },
  ...Object.fromEntries(
    ['EROFS', 'EACCES', 'EIO'].map((code) => [
      `has a disk that fails with ${code}`,
      { status: 503, begin: failingToWrite(code) },
    ]),
  ),
};

function expectRefused(answer: Answer, status: number, messageOf: Dialect['messageOf']): string {
  expect(answer.status, answer.text).toBe(status);
  expect(answer.headers).toMatchObject({
    'cache-control': 'no-store',
    'access-control-allow-origin': '*',
    'x-content-type-options': 'nosniff',
  });
  if (status === 429 || status === 503) expect(answer.headers['retry-after']).toMatch(/^[1-9]\d*$/u);
  const message = messageOf(answer);
  expect(message.length).toBeGreaterThan(10);
  return message;
}

describe.each(Object.entries(CAUSES))('an upload that %s', (_cause, { status, ...cause }) => {
  const { content = CONTENT, environment = {}, begin } = cause;
  const uploads = openOnce(async (defer) => {
    const more = typeof environment === 'function' ? await environment(defer) : environment;
    return openUploads(defer, { ...LIMITS, ...more });
  });

  test(`is ${status} in every way to send it, in its own form, and leaves nothing`, async () => {
    await begin?.(uploads, onTestFinished);
    await expect.poll(async () => (await uploads.held()).length).toBe(0);
    const before = await uploads.kept();
    for (const [name, { upload, messageOf }] of Object.entries(WAYS)) {
      const answer = await upload(uploads.origin, content);
      expect([name, answer.status, answer.text]).toEqual([name, status, expect.any(String)]);
      expectRefused(answer, status, messageOf);
      await expect.poll(uploads.held).toEqual([]);
      await expect.poll(uploads.kept, { message: name }).toEqual(before);
    }
  });
});

const uploads = openOnce((defer) => openUploads(defer, LIMITS));

describe.each(Object.entries({ '/upload': { ...neko, path: '/upload' }, ...DIALECTS }))(
  'a request for %s',
  (_name, dialect) => {
    const { path, field, messageOf } = dialect;
    const post = (body: Buffer, headers = {}) => postTo(dialect, uploads.origin, body, { headers });
    const refused: [string, number, () => Promise<Answer>, string?][] = [
      [
        'of another type',
        415,
        () => post(Buffer.from('url=x'), { 'Content-Type': 'text/plain' }),
        `"${field}"`,
      ],
      ['without a body', 415, () => uploads.send({ method: 'POST', path })],
      ['without a file', 400, () => post(multipart(part('form-data; name="time"', '1h'))), field],
      [
        'with another field',
        400,
        () => post(multipart(part('form-data; name="foto"; filename="a"'))),
        `"${field}"`,
      ],
      ['that is cut off', 400, () => post(formOf(dialect, CONTENT).subarray(0, -6))],
    ];

    test.each(refused)('%s is %i', async (_what, status, act, told = '') => {
      expect(expectRefused(await act(), status, messageOf)).toContain(told);
      await uploads.expectNothingLeft();
    });

    test('is refused as a page where its sender prefers pages and it is our own', async () => {
      const answer = await post(multipart(), { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' });
      expect(answer.status).toBe(400);
      if (messageOf === neko.messageOf) expect(answer.headers['content-type']).toMatch(/^text\/html/u);
      else expectRefused(answer, 400, messageOf);
    });
  },
);

/** Other types, boundaries and bodies are in the tables of `multipart.test.ts`. */
test('a multipart request without a body is 400', async () => {
  const headers = { 'Content-Type': MULTIPART };
  expectRefusal(await uploads.send({ method: 'POST', path: '/upload', headers }), 400);
});

test('a large file that is cut off is 400, however much of it has arrived', async () => {
  const body = multipart(filePart('a.bin', CONTENT));
  for (const length of [1, 200 * KB, CONTENT.length, body.length - 5, body.length - 4])
    for (const isChunked of [false, true])
      expectRefusal(await uploads.post(body.subarray(0, length), { isChunked }), 400);
  await uploads.expectNothingLeft();
});

test('malformed chunks are 400', async () => {
  const { socket, received } = await uploads.openSocket();
  socket.write(postHead({ 'Transfer-Encoding': 'chunked' }));
  socket.write(`${KB.toString(16)}\r\n`);
  socket.write(CONTENT.subarray(0, KB));
  socket.write('\r\nno length\r\n');
  await expect.poll(received).toMatch(/^HTTP\/1\.1 400 .+\r\n\r\n\{"status":false,"message":".+"\}$/su);
});

test('413 is also for one byte too much, for many at once, and for a body that goes on after its file', async () => {
  const bodyOf = (bytes: number) => multipart(filePart('a.bin', randomBytes(bytes)));
  const many = Array.from({ length: 20 }, (_, i) => bodyOf(MB + 1 + 70_000 * i));
  const longer = [10, 300 * KB].map((size) => Buffer.concat([bodyOf(size), randomBytes(2 * MB)]));
  const answers = [...many, ...longer].map((body, i) => uploads.post(body, { isChunked: i % 2 === 0 }));
  for (const answer of await Promise.all(answers)) expectRefusal(answer, 413);
  await uploads.expectNothingLeft();
});

test.each(['', '0', '0s', '0ms', 'x', '1', '-1h', '1w', '1h1m', '1 hour', 'Infinityh', '1h&expires=2h'])(
  '?expires=%s is 400',
  async (expires) => {
    const path = encodeURI(`/upload?expires=${expires}`);
    expectRefusal(await uploads.post(multipart(filePart()), { path }), 400);
  },
);

test('an unexpected error is a 500 without its cause', async () => {
  const write = vi.spyOn(await fileHandleMethods(), 'datasync').mockRejectedValue(new Error('a defect'));
  onTestFinished(() => write.mockRestore());
  const answer = await uploads.post(multipart(filePart('a.bin', CONTENT)));
  expectRefusal(answer, 500);
  expect(answer.text).not.toContain('defect');
});

test.each(['/nothing/here', '/upload/'])('POST %s is 404', async (path) => {
  const answer = await uploads.post(multipart(filePart()), { path });
  expect(answer.status).toBe(404);
  expect(answer.json()).toMatchObject({ status: false });
});
