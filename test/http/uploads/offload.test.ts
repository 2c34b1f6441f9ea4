import { randomBytes } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { createFileTraffic } from '../../../src/http/uploads/file-traffic.ts';
import { createdUpload, patch, TUS } from '../../support/resumable.ts';
import { openTestS3 } from '../../support/s3.ts';
import { KB, MB, openUploads, send } from '../../support/upload-client.ts';

async function open(more: Record<string, string> = {}) {
  const s3 = await openTestS3(onTestFinished);
  const environment = { UPLOAD_STORAGE_URL: s3.url(), UPLOAD_OFFLOAD: 's3', ...more };
  return { s3, ...(await openUploads(onTestFinished, environment)) };
}

test('a file of 1 MB is sent by the object store, with its type and name, for five minutes', async () => {
  const uploads = await open();
  const bytes = randomBytes(MB);
  const { file } = await uploads.upload(bytes, { name: 'foto merah.png' });
  const answer = await uploads.send({ path: file });
  expect(answer.status).toBe(302);
  expect(answer.headers).toMatchObject({ 'cache-control': 'no-store', 'access-control-allow-origin': '*' });
  const target = new URL(String(answer.headers.location));
  const asked = Object.fromEntries(target.searchParams);
  expect(asked).toMatchObject({
    'X-Amz-Expires': '300',
    'X-Amz-Signature': expect.stringMatching(/^[0-9a-f]{64}$/u),
    'response-content-type': 'application/octet-stream',
    'response-content-disposition': 'attachment; filename="foto merah.png"',
  });
  const sent = Buffer.from(await (await fetch(target)).arrayBuffer());
  expect(sent.equals(bytes)).toBe(true);
  expect((await uploads.send({ path: file, headers: { Range: 'bytes=1-2' } })).status).toBe(302);
  expect((await uploads.send({ path: file, method: 'HEAD' })).headers['content-length']).toBe(String(MB));
  const etag = String((await uploads.send({ path: file, method: 'HEAD' })).headers.etag);
  expect((await uploads.send({ path: file, headers: { 'If-None-Match': etag } })).status).toBe(304);
});

test('so is one that came in pieces, and a smaller one is not', async () => {
  const uploads = await open();
  const bytes = randomBytes(6 * MB);
  const path = await createdUpload(uploads.origin, bytes.length);
  await patch(uploads.origin, path, 0, bytes);
  const { url_file } = (await send(uploads.origin, { path, headers: TUS })).json().result;
  const answer = await uploads.send({ path: new URL(url_file).pathname });
  expect(answer.status).toBe(302);
  const sent = Buffer.from(await (await fetch(String(answer.headers.location))).arrayBuffer());
  expect(sent.equals(bytes)).toBe(true);
  const small = await uploads.upload(randomBytes(MB - 1));
  expect((await uploads.send({ path: small.file })).status).toBe(200);
});

test('the address ends with the file, and every refusal comes first', async () => {
  const uploads = await open({ UPLOAD_FILE_TRAFFIC: '2 MB' });
  const { file, deletion } = await uploads.upload(randomBytes(MB), { path: '/upload?expires=90s' });
  const target = async () => {
    const { headers } = await uploads.send({ path: file });
    return Number(new URL(String(headers.location)).searchParams.get('X-Amz-Expires'));
  };
  expect(await target()).toBeGreaterThan(60);
  expect(await target()).toBeLessThanOrEqual(90);
  const refused = await uploads.send({ path: file });
  expect([refused.status, refused.headers.location]).toEqual([429, undefined]);
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(3_500);
  expect((await uploads.send({ path: file, method: 'HEAD' })).status).toBe(200);
  await uploads.send({ method: 'DELETE', path: deletion });
  expect((await uploads.send({ path: file })).status).toBe(404);
});

test('what is sent of one file in an hour is limited where the service sends it as well, each file for itself', async () => {
  const uploads = await openUploads(onTestFinished, { UPLOAD_FILE_TRAFFIC: '250 KB' });
  const [one, other] = [
    await uploads.upload(randomBytes(100 * KB)),
    await uploads.upload(randomBytes(100 * KB)),
  ];
  const get = async (path: string, headers = {}) => (await uploads.send({ path, headers })).status;
  expect([await get(one.file), await get(one.file), await get(one.file)]).toEqual([200, 200, 429]);
  expect(await get(one.file, { Range: 'bytes=0-9' })).toBe(206);
  expect(await get(one.page)).toBe(200);
  expect(await get(other.file)).toBe(200);
});

test('the hour slides, a larger file is sent once in it, and the table is bounded', () => {
  let minutes = 0;
  const take = createFileTraffic(100, () => minutes * 60_000);
  const passes = (bytes: number, id = 'a') => {
    try {
      take(id, bytes);
      return true;
    } catch (error) {
      return (error as { retryAfterMs: number }).retryAfterMs / 60_000;
    }
  };
  expect([passes(60), passes(60)]).toEqual([true, 60]);
  minutes = 30;
  expect([passes(40), passes(60)]).toEqual([true, 30]);
  minutes = 60;
  expect([passes(60), passes(1)]).toEqual([true, 30]);
  expect([passes(500, 'b'), passes(1, 'b')]).toEqual([true, 60]);
  for (let other = 0; other < 10_000; other += 1) take(String(other), 1);
  expect(passes(100)).toBe(true);
});
