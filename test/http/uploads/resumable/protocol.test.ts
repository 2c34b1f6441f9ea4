import { createHash, randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  createdUpload,
  createUpload,
  metadata,
  OFFSET_STREAM,
  offsetOf,
  patch,
  TUS,
} from '../../../support/resumable.ts';
import { KB, MB, openOnce, openUploads, type Sending, send, upload } from '../../../support/upload-client.ts';
import { newId, sha256 } from '../../../support/uploads.ts';
import REFUSALS from './refusals.json' with { type: 'json' };

const LIMITS = { UPLOAD_MAX_SIZE: '2 MB', UPLOAD_ADDRESS_QUOTA: '5 GB' };
const uploads = openOnce((defer) => openUploads(defer, LIMITS));
let origin: string;

beforeAll(() => {
  origin = uploads.origin;
});

describe('a resumable upload', () => {
  test('becomes the same file as one of POST /upload', async () => {
    const bytes = randomBytes(200 * KB);
    const named = metadata({ filename: 'dir/写真 a.PNG', filetype: 'image/png', more: '' });
    const path = await createdUpload(origin, bytes.length, { headers: { 'Upload-Metadata': named } });
    expect((await patch(origin, path, 0, bytes.subarray(0, 70_000))).headers['upload-offset']).toBe('70000');
    const second = await patch(origin, path, 70_000, bytes.subarray(70_000));
    expect(second).toMatchObject({ status: 204, text: '', headers: { 'upload-offset': '204800' } });

    const answer = await send(origin, { path });
    const { result } = await upload(origin, bytes, { name: '写真 a.PNG', type: 'image/png' });
    const { expired, expiredFmt, url, url_file, ...same } = answer.json().result;
    expect(answer.json()).toEqual({
      status: true,
      result: { ...result, expired, expiredFmt, url, url_file },
    });
    expect(same).toMatchObject({ originalname: '写真 a.PNG', mimetype: 'image/png', filesize: '200.00 KB' });
    const file = await send(origin, { path: new URL(url_file).pathname });
    expect(file.headers.etag).toBe(`"${sha256(bytes)}"`);
    expect(file.body.equals(bytes)).toBe(true);
    const deletion = new URL(String(answer.headers['x-delete-url'])).pathname;
    expect((await send(origin, { method: 'DELETE', path: deletion })).status).toBe(204);
    expect((await send(origin, { path })).status).toBe(404);
  });

  test('can be created with its bytes, or with none', async () => {
    const bytes = randomBytes(1000);
    const { answer, path } = await createUpload(origin, 1000, { headers: OFFSET_STREAM, body: bytes });
    expect(answer).toMatchObject({ status: 201, headers: { 'upload-offset': '1000' } });
    expect((await send(origin, { path })).json().result.filesize).toBe('1000 B');
    const empty = await createdUpload(origin, 0);
    expect((await send(origin, { path: empty })).json().result).toMatchObject({
      originalname: 'file',
      filesize: '0 B',
    });
  });

  test('has its offset, its announced length and metadata, and its expiry in headers', async () => {
    const named = metadata({ filename: 'a.bin', anything: 'x' });
    const path = await createdUpload(origin, 1000, { headers: { 'Upload-Metadata': named } });
    await patch(origin, path, 0, randomBytes(300));
    const answer = await send(origin, { method: 'HEAD', path, headers: TUS });
    expect(answer.status).toBe(200);
    expect(answer.headers).toMatchObject({
      'upload-offset': '300',
      'upload-length': '1000',
      'upload-metadata': named,
      'cache-control': 'no-store',
      'tus-resumable': '1.0.0',
    });
    const left = Date.parse(String(answer.headers['upload-expires'])) - Date.now();
    expect(Math.round(left / 3_600_000)).toBe(6);
  });

  test('is not visible and has no result before it is complete', async () => {
    const path = await createdUpload(origin, 1000);
    await patch(origin, path, 0, randomBytes(999));
    const answer = await send(origin, { path });
    expect(answer.status).toBe(409);
    expect(answer.json()).toEqual({ status: false, message: expect.stringContaining('999 of 1000 bytes') });
    expect((await send(origin, { path: path.replace('/files', '') })).status).toBe(404);
  });

  test('has the requested lifetime from the moment it is complete', async () => {
    const path = await createdUpload(origin, 1, { path: '/files?expires=1h' });
    await patch(origin, path, 0, Buffer.from('x'));
    const { expired } = (await send(origin, { path })).json().result;
    expect(Math.round((expired - Date.now()) / 60_000)).toBe(60);
    expect((await createUpload(origin, 1, { path: '/files?expires=soon' })).answer.status).toBe(400);
  });

  test('is removed on request, and its file too once it is complete', async () => {
    const path = await createdUpload(origin, 10);
    await patch(origin, path, 0, randomBytes(5));
    expect((await send(origin, { method: 'DELETE', path, headers: TUS })).status).toBe(204);
    for (const method of ['HEAD', 'DELETE'])
      expect((await send(origin, { method, path, headers: TUS })).status).toBe(404);
    const complete = await createdUpload(origin, 1, { headers: OFFSET_STREAM, body: Buffer.from('x') });
    const file = new URL((await send(origin, { path: complete })).json().result.url_file).pathname;
    expect((await send(origin, { method: 'DELETE', path: complete, headers: TUS })).status).toBe(204);
    expect((await send(origin, { path: file })).status).toBe(404);
  });

  test('takes its method from X-HTTP-Method-Override', async () => {
    const path = await createdUpload(origin, 10);
    const overridden = { method: 'POST', headers: { 'X-HTTP-Method-Override': 'PATCH' } };
    expect((await patch(origin, path, 0, randomBytes(4), overridden)).headers['upload-offset']).toBe('4');
    const headers = { ...TUS, 'X-HTTP-Method-Override': 'DELETE' };
    expect((await send(origin, { method: 'POST', path, headers })).status).toBe(204);
    expect(await offsetOf(origin, path)).toBe(-1);
  });
});

describe('a checksum', () => {
  const sum = (algorithm: string, bytes: Buffer) =>
    `${algorithm} ${createHash(algorithm).update(bytes).digest('base64')}`;

  test.each(['sha1', 'sha256'])(
    'by %s is accepted if it matches; otherwise it is 460, and the bytes are dropped',
    async (algorithm) => {
      const bytes = randomBytes(300 * KB);
      const path = await createdUpload(origin, bytes.length + 1);
      await patch(origin, path, 0, Buffer.from('x'));
      const headers = { 'Upload-Checksum': sum(algorithm, bytes) };
      const wrong = Buffer.concat([bytes.subarray(1), Buffer.from([bytes[0]! ^ 1])]);
      const refused = await patch(origin, path, 1, wrong, { headers });
      expect(refused.status, refused.text).toBe(460);
      expect(refused.json().status).toBe(false);
      expect(await offsetOf(origin, path)).toBe(1);
      expect((await patch(origin, path, 1, bytes, { headers })).status).toBe(204);
      const { url_file } = (await send(origin, { path })).json().result;
      const file = await send(origin, { path: new URL(url_file).pathname });
      expect(file.body.equals(Buffer.concat([Buffer.from('x'), bytes]))).toBe(true);
    },
  );
});

describe('the protocol refuses', () => {
  type Row = [what: string, status: number, headers: NonNullable<Sending['headers']>, bytes?: number];

  test.each(REFUSALS.patches as unknown as Row[])(
    '%s, with a message and without a change: %i',
    async (_, status, headers, bytes = 4) => {
      const path = await createdUpload(origin, 1000);
      await patch(origin, path, 0, randomBytes(5));
      const answer = await patch(origin, path, 5, randomBytes(bytes), { headers });
      expect(answer.status, answer.text).toBe(status);
      expect(answer.json()).toEqual({ status: false, message: expect.stringMatching(/.{10}/u) });
      expect(answer.headers).toMatchObject({ 'tus-resumable': '1.0.0', 'access-control-allow-origin': '*' });
      if (status === 412) expect(answer.headers['tus-version']).toBe('1.0.0');
      expect(await offsetOf(origin, path)).toBe(5);
    },
  );

  test.each([
    ...(REFUSALS.creations as unknown as Row[]),
    ['metadata of 10 KB', 400, { 'Upload-Metadata': `filename ${'A'.repeat(10_000)}` }] as Row,
    ['metadata of 100 KB', 431, { 'Upload-Metadata': `filename ${'A'.repeat(100_000)}` }] as Row,
  ])('%s at creation: %i', async (_, status, headers, bytes = 0) => {
    const length: Record<string, string> = bytes > 0 ? { 'Content-Length': String(bytes) } : {};
    const sending = { headers: { ...length, ...headers }, body: randomBytes(bytes) };
    const { answer } = await createUpload(origin, 10, sending);
    expect(answer.status, answer.text).toBe(status);
    expect(answer.json().status).toBe(false);
  });

  test('a deletion without a version, and offsets and checksums of thousands of characters', async () => {
    const path = await createdUpload(origin, 1000);
    expect((await send(origin, { method: 'DELETE', path })).status).toBe(412);
    expect((await patch(origin, path, 'x'.repeat(9000), randomBytes(4))).status).toBe(400);
    const headers = { 'Upload-Checksum': `sha1 ${'A'.repeat(5000)}` };
    expect((await patch(origin, path, 0, randomBytes(4), { headers })).status).toBe(400);
    expect(await offsetOf(origin, path)).toBe(0);
  });

  test('addresses of expired uploads with 410, and others with 404', async () => {
    for (const [secret, status] of [
      [newId(Date.now() - 1000), 410],
      [newId(Date.now() + 1_000_000), 404],
      ['x', 404],
      ['..%2f..%2fstaging', 404],
    ] as const) {
      const path = `/files/${secret}`;
      const answers = await Promise.all([
        send(origin, { path }),
        send(origin, { method: 'HEAD', path, headers: TUS }),
        send(origin, { method: 'DELETE', path, headers: TUS }),
        patch(origin, path, 0, randomBytes(4)),
      ]);
      expect(answers.map((answer) => answer.status)).toEqual([status, status, status, status]);
    }
  });
});

test('OPTIONS describes the protocol, and pages of other origins may use it', async () => {
  for (const path of ['/files', await createdUpload(origin, 1)]) {
    const { status, headers } = await send(origin, { method: 'OPTIONS', path });
    expect(status).toBe(204);
    expect(headers).toMatchObject({
      'tus-resumable': '1.0.0',
      'tus-version': '1.0.0',
      'tus-max-size': String(2 * MB),
      'tus-extension': 'creation,creation-with-upload,termination,checksum,expiration',
      'tus-checksum-algorithm': 'sha1,sha256',
      'access-control-allow-origin': '*',
      'access-control-allow-methods': expect.stringContaining('PATCH'),
      'access-control-allow-headers': expect.stringContaining(
        'Content-Type, Tus-Resumable, Upload-Length, Upload-Offset, Upload-Metadata',
      ),
      'access-control-expose-headers': expect.stringMatching(/Location, Tus-Resumable,.*Upload-Offset/u),
    });
  }
});

test('no request above logged an error', () => {
  expect(uploads.failures).toEqual([]);
});
