import { randomBytes } from 'node:crypto';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { fileHandleMethods } from '../../support/file-handles.ts';
import {
  expectRefusal,
  filePart,
  KB,
  MULTIPART,
  multipart,
  openOnce,
  openUploads,
  postHead,
} from '../../support/upload-client.ts';

/** Larger than the buffer in memory, so that it is written to the disk. */
const FILE = filePart('a.bin', randomBytes(300 * KB));
const BODY = multipart(FILE);

const uploads = openOnce(openUploads);

afterEach(() => uploads.expectNothingLeft());

/** Other types, boundaries and bodies are in the tables of `multipart.test.ts`. */
test('a missing type is 415, and a missing body is 400 or 415', async () => {
  const sending = { method: 'POST', path: '/upload' };
  expectRefusal(await uploads.send(sending), 415);
  expectRefusal(await uploads.send({ ...sending, body: BODY }), 415);
  for (const [type, status] of [
    ['text/plain', 415],
    [MULTIPART, 400],
  ] as const)
    expectRefusal(await uploads.send({ ...sending, headers: { 'Content-Type': type } }), status);
});

test('a large file that is cut off is 400, however much of it has arrived', async () => {
  for (const length of [1, 200 * KB, FILE.length, BODY.length - 5, BODY.length - 4]) {
    const cut = BODY.subarray(0, length);
    for (const isChunked of [false, true]) expectRefusal(await uploads.post(cut, { isChunked }), 400);
  }
});

test('malformed chunks are 400', async () => {
  const { socket, received } = await uploads.openSocket();
  socket.write(postHead({ 'Transfer-Encoding': 'chunked' }));
  socket.write(`${FILE.length.toString(16)}\r\n`);
  socket.write(FILE);
  socket.write('\r\nno length\r\n');
  await expect.poll(received).toMatch(/^HTTP\/1\.1 400 .+\r\n\r\n\{"status":false,"message":".+"\}$/su);
});

test.each(['', '0', '0s', '0ms', 'x', '1', '-1h', '1w', '1h1m', '1 hour', 'Infinityh', '1h&expires=2h'])(
  '?expires=%s is 400',
  async (expires) => {
    expectRefusal(await uploads.post(BODY, { path: encodeURI(`/upload?expires=${expires}`) }), 400);
  },
);

test('an unexpected error is a 500 without its cause', async () => {
  const write = vi.spyOn(await fileHandleMethods(), 'datasync').mockRejectedValue(new Error('a defect'));
  onTestFinished(() => write.mockRestore());
  const answer = await uploads.post(BODY);
  expectRefusal(answer, 500);
  expect(answer.text).not.toContain('defect');
});

test('a browser that accepts HTML gets a refusal as a page', async () => {
  const headers = { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8', 'Content-Type': 'text/plain' };
  const { status, headers: answered, text } = await uploads.post(BODY, { headers });
  expect(status).toBe(415);
  expect(answered['content-type']).toBe('text/html; charset=utf-8');
  expect(text).toMatch(/415.*multipart\/form-data|multipart\/form-data.*415/su);
});

test.each(['/nothing/here', '/upload/'])('POST %s is 404', async (path) => {
  const answer = await uploads.post(BODY, { path });
  expect(answer.status).toBe(404);
  expect(answer.json()).toMatchObject({ status: false });
});
