import { randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { openDiskStorage } from '../../../src/uploads/storage/disk.ts';
import { eventually } from '../../support/service.ts';
import { filePart, MB, multipart, openOnce, openUploads, postHead } from '../../support/upload-client.ts';

/** Longer than a process may be silent before the others take it for dead. */
const SUSPENDED_MS = 30_000;

const uploads = openOnce(openUploads);

/** Removes what another process removes while this one is suspended. */
async function sweepAsAnother(): Promise<void> {
  const other = await openDiskStorage(path.join(uploads.dataDir, 'uploads'), Date.now);
  await other.sweep(Date.now() + SUSPENDED_MS);
  await other.close();
}

const staging = () => path.join(uploads.dataDir, 'uploads/staging');

test('a process that was suspended stores what comes next at once', async () => {
  await sweepAsAnother();
  expect(await readdir(staging())).toEqual([]);
  const files = await Promise.all([uploads.upload('halo'), uploads.upload(randomBytes(MB))]);
  for (const { file } of files) expect((await uploads.send({ path: file })).status).toBe(200);
});

test('an upload that lost its bytes meanwhile is answered 503 with Retry-After, and can be sent again', async () => {
  const body = multipart(filePart('a.bin', randomBytes(4 * MB)));
  const { socket, received } = await uploads.openSocket();
  socket.write(postHead({ 'Content-Length': body.length }));
  socket.write(body.subarray(0, body.length / 2));
  const staged = async () => (await readdir(staging(), { recursive: true })).length;
  await expect.poll(staged).toBeGreaterThan(1);
  await sweepAsAnother();
  socket.write(body.subarray(body.length / 2));
  const answer = await eventually(
    async () => received(),
    (text) => text.includes('}'),
  );
  expect(answer).toMatch(/^HTTP\/1\.1 503 .*^Retry-After: \d+\r$/imsu);
  expect((await uploads.post(body)).status).toBe(200);
});
