import { expect, test } from 'vitest';
import { eventually } from '../../support/service.ts';
import { filePart, multipart, openOnce, openUploads, postHead } from '../../support/upload-client.ts';

const uploads = openOnce(openUploads);

test('other bytes after the end, and trailers, are ignored', async () => {
  const { status } = await uploads.post(Buffer.concat([multipart(filePart()), Buffer.from('bye')]));
  expect(status).toBe(200);
  const { socket, received } = await uploads.openSocket();
  const body = multipart(filePart());
  socket.write(postHead({ 'Transfer-Encoding': 'chunked', Trailer: 'X-Checksum' }));
  socket.write(`${body.length.toString(16)}\r\n${body}\r\n0\r\nX-Checksum: 1\r\n\r\n`);
  await expect.poll(received).toMatch(/^HTTP\/1\.1 200/u);
});

test('pipelined requests are answered in order', async () => {
  const right = multipart(filePart());
  const wrong = Buffer.concat([right, filePart('b.bin', 'y')]);
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
