import { randomBytes } from 'node:crypto';
import { afterEach, describe, expect, onTestFinished, test } from 'vitest';
import {
  expectRefusal,
  filePart,
  KB,
  MB,
  multipart,
  openOnce,
  openUploads,
  part,
} from '../../support/upload-client.ts';

const uploads = openOnce((defer) => openUploads(defer, { UPLOAD_MAX_SIZE: '1 MB' }));

const bodyOf = (bytes: number) => multipart(filePart('a.bin', randomBytes(bytes)));

test.each([MB, MB - 1])('a file of %i bytes, up to 1 MB, is accepted', async (size) => {
  for (const isChunked of [false, true]) {
    const { result, file, deletion } = await uploads.upload(randomBytes(size), { isChunked });
    expect(result.filesize).toMatch(/^1\.00 MB$|^1024\.00 KB$/u);
    expect((await uploads.send({ path: file })).body).toHaveLength(size);
    await uploads.send({ method: 'DELETE', path: deletion });
  }
});

test('the largest file is accepted beside fields, although the body is larger', async () => {
  const field = part('form-data; name="comment"', 'x'.repeat(1_000));
  const body = multipart(field, filePart('a.bin', randomBytes(MB)), field);
  const answer = await uploads.post(body);
  expect(answer.status).toBe(200);
  const { pathname } = new URL(String(answer.headers['x-delete-url']));
  await uploads.send({ method: 'DELETE', path: pathname });
});

describe('413 is for a file over UPLOAD_MAX_SIZE, which leaves no files:', () => {
  afterEach(() => uploads.expectNothingLeft());

  test.each([1, 1_000, 60_000, 200_000, 5 * MB])(
    '%i bytes over, with and without a declared length',
    async (bytes) => {
      for (const isChunked of [false, true]) {
        const answer = await uploads.post(bodyOf(MB + bytes), { isChunked });
        expectRefusal(answer, 413);
        expect(answer.json().message).toContain('1.00 MB');
      }
    },
  );

  test('20 concurrent ones', async () => {
    const bodies = Array.from({ length: 20 }, (_, i) => bodyOf(MB + 70_000 * (i + 1)));
    const answers = bodies.map((body, i) => uploads.post(body, { isChunked: i % 2 === 0 }));
    for (const answer of await Promise.all(answers)) expectRefusal(answer, 413);
  });
});

test.each([10, 300 * KB])('413 is for a body that continues after a file of %i bytes', async (size) => {
  const other = await openUploads(onTestFinished, { UPLOAD_MAX_SIZE: '1 MB' });
  const body = Buffer.concat([bodyOf(size), randomBytes(2 * MB)]);
  expectRefusal(await other.post(body, { isChunked: true }), 413);
  expectRefusal(await other.post(body), 413);
  await other.expectNothingLeft();
});
