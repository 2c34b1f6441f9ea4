import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { eventually } from '../../support/service.ts';
import {
  expectRefusal,
  filePart,
  KB,
  multipart,
  openOnce,
  openUploads,
  postHead,
} from '../../support/upload-client.ts';

const LIMIT = 4;
const LIMITS = { UPLOAD_CONCURRENCY: String(LIMIT), UPLOAD_MAX_SIZE: '1 MB', UPLOAD_ADDRESS_QUOTA: '4 MB' };
const uploads = openOnce((defer) => openUploads(defer, LIMITS));

const FILE = filePart('a.bin', randomBytes(100 * KB));
/** Bodies followed by another file, which is small enough to arrive in one segment with the end. */
const BODIES = [
  Buffer.concat([multipart(FILE), filePart('b.bin', 'y')]),
  Buffer.concat([multipart(filePart()), filePart('b.bin', 'y')]),
  Buffer.concat([multipart(filePart()), multipart(filePart('b.bin', 'y'))]),
  Buffer.concat([multipart(), filePart('b.bin', 'y')]),
];

test.each([false, true])(
  'a body with another file after its end is refused at once (chunked: %s)',
  async (isChunked) => {
    const kept = await uploads.kept();
    for (let round = 0; round < 2; round += 1) {
      const answers = await Promise.all(BODIES.map((body) => uploads.post(body, { isChunked })));
      for (const answer of answers) expectRefusal(answer, 400);
    }
    expect(await uploads.kept()).toEqual(kept);
    expect(await uploads.held()).toEqual([]);
    await uploads.upload(randomBytes(1024 * KB));
    await Promise.all(Array.from({ length: LIMIT }, () => uploads.upload()));
  },
);

test('other bytes after the end, and trailers, are ignored', async () => {
  const { status } = await uploads.post(Buffer.concat([multipart(FILE), Buffer.from('bye')]));
  expect(status).toBe(200);
  const { socket, received } = await uploads.openSocket();
  const body = multipart(filePart());
  socket.write(postHead({ 'Transfer-Encoding': 'chunked', Trailer: 'X-Checksum' }));
  socket.write(`${body.length.toString(16)}\r\n${body}\r\n0\r\nX-Checksum: 1\r\n\r\n`);
  await expect.poll(received).toMatch(/^HTTP\/1\.1 200/u);
});

test('pipelined requests are answered in order', async () => {
  const [wrong, right] = [BODIES[1] as Buffer, multipart(filePart())];
  const requests = [wrong, right, wrong].map((body) =>
    Buffer.concat([Buffer.from(postHead({ 'Content-Length': body.length })), body]),
  );
  for (let round = 0; round < 20; round += 1) {
    const { socket, received } = await uploads.openSocket();
    socket.write(Buffer.concat(requests));
    const statuses = await eventually(
      async () => [...received().matchAll(/HTTP\/1.1 (\d+)/gu)].map(([, status]) => status),
      ({ length }) => length === 3,
    );
    expect(statuses).toEqual(['400', '200', '400']);
    socket.destroy();
  }
});
