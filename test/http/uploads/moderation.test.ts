import { beforeAll, describe, expect, test } from 'vitest';
import type { Moderator } from '../../../src/uploads/moderation/moderator.ts';
import { openModerator } from '../../support/moderator.ts';
import { eventually } from '../../support/service.ts';
import {
  expectRefusal,
  filePart,
  multipart,
  openOnce,
  openUploads,
  untilEnd,
  type upload,
} from '../../support/upload-client.ts';

const defer = untilEnd();

let moderator: Moderator;

const uploads = openOnce((defer) => openUploads(defer, { TRUST_PROXY: '1' }));

beforeAll(async () => {
  moderator = await openModerator(uploads.dataDir, defer);
});

const from = (address: string) => ({ 'X-Forwarded-For': address });
const uploadFrom = (address: string) => uploads.post(multipart(filePart()), { headers: from(address) });

describe.each([
  [410, 'operator', 'removed by the operator', 'dihapus oleh pengelola.'],
  [451, 'legal', 'removed for legal reasons', 'karena alasan hukum'],
] as const)('a file that was removed (%i, %s)', (status, reason, message, indonesian) => {
  let file: Awaited<ReturnType<typeof upload>>;

  beforeAll(async () => {
    file = await uploads.upload(`bytes of ${reason}`);
    const etag = { 'If-None-Match': '*' };
    expect((await uploads.send({ path: file.file, headers: etag })).status).toBe(304);
    await uploads.send({ path: file.page });
    await moderator.remove(file.id, { reason, blocks: false });
  });

  test('gets this status at each of its addresses, at once and for every method', async () => {
    const { page, file: bytes, id, deletion } = file;
    const asked = [
      { path: page },
      { path: bytes },
      { path: bytes, headers: { Range: 'bytes=0-1' } },
      { path: bytes, headers: { 'If-None-Match': '*' } },
      { path: `/r/${id}` },
      { path: `/r/${id}`, method: 'POST', headers: { 'Content-Type': 'application/json' } },
      { path: deletion },
      { path: deletion, method: 'DELETE' },
    ];
    for (const one of asked) {
      const answer = await uploads.send(one);
      expect([answer.status, answer.json()]).toEqual([
        status,
        { status: false, message: expect.stringContaining(message) },
      ]);
      expect(answer.headers['cache-control']).toBe('no-store');
    }
    for (const path of [page, bytes])
      expect((await uploads.send({ path, method: 'HEAD' })).status).toBe(status);
  });

  test('is a page for a browser, in its language', async () => {
    const headers = { Accept: 'text/html' };
    const answer = await uploads.send({ path: `${file.page}?lang=id`, headers });
    expect(answer.status).toBe(status);
    expect(answer.text).toContain('<h1>Sudah dihapus</h1>');
    expect(answer.text).toContain(indonesian);
    const english = await uploads.send({ path: `${file.file}?lang=en`, headers });
    expect(english.text).toContain('<h1>It was removed</h1>');
  });
});

test('a blocked address is refused in any notation until it is unblocked, and no other is', async () => {
  await moderator.block(['address:203.0.113.0/24', 'address:2001:db8:bad::/48']);
  const answer = await eventually(
    () => uploadFrom('203.0.113.7'),
    ({ status }) => status === 403,
  );
  expectRefusal(answer, 403);
  expect((await uploadFrom('::ffff:203.0.113.255')).status).toBe(403);
  expect((await uploadFrom('2001:db8:bad:1::1')).status).toBe(403);
  expect((await uploadFrom('203.0.114.7')).status).toBe(200);
  await moderator.unblock(['address:203.0.113.0/24']);
  await expect.poll(() => uploadFrom('203.0.113.7')).toMatchObject({ status: 200 });
});
