import { randomBytes } from 'node:crypto';
import { afterEach, describe, expect, test } from 'vitest';
import { eventually } from '../../support/service.ts';
import {
  expectRefusal,
  filePart,
  KB,
  multipart,
  openOnce,
  openUploads,
  part,
  postHead,
} from '../../support/upload-client.ts';

const uploads = openOnce(openUploads);

afterEach(() => uploads.expectNothingLeft());

/** Larger than the buffer in memory, so that it is written to the disk. */
const FILE = filePart('a.bin', randomBytes(300 * KB));
const BINARY = 'Content-Type: application/octet-stream';
const field = (name: string, value = 'x') => part(`form-data; name="${name}"`, value);
const repeat = (times: number, make: (i: number) => Buffer) =>
  Array.from({ length: times }, (_, i) => make(i));

describe('400 is for a body of', () => {
  test.each<[string, Buffer[]]>([
    ['no part', []],
    ['only a text field', [field('comment')]],
    ['the field file as text', [field('file', 'hello')]],
    ['the field file as a long text', [field('file', 'x'.repeat(5_000))]],
    ['another field', [part('form-data; name="foto"; filename="a.txt"', FILE)]],
    ['the field name in another case', [part('form-data; name="File"; filename="a.txt"', FILE)]],
    ['no field name', [part('form-data; filename="a.txt"', FILE)]],
    ['a part without disposition', [part('', FILE)]],
    ['an attachment', [part('attachment; name="file"; filename="a.txt"', FILE)]],
    ['bytes without a file name', [part('form-data; name="file"', 'x', [BINARY])]],
    ['two files', [FILE, FILE]],
    ['two small files', [filePart(), filePart()]],
    ['a file beside one in another field', [FILE, part('form-data; name="foto"; filename="b"', FILE)]],
    ['nine fields beside the file', [FILE, ...repeat(9, (i) => field(`f${i}`))]],
    ['20,000 fields', repeat(20_000, () => field('f'))],
    ['ten parts that are neither file nor field', [FILE, ...repeat(10, () => part('attachment', 'x'))]],
    ['a field nested deeply', [FILE, field(`a${'[b]'.repeat(5_000)}`)]],
    ['a field nested once', [FILE, field('a[b]')]],
    ['a field with a huge index', [FILE, field('a[4294967294]')]],
    ['a field with a long name', [FILE, field('a'.repeat(65))]],
    ['a field with a long value', [FILE, field('comment', 'x'.repeat(1_025))]],
    ['a header without end', [FILE, part(`form-data; name="file"; x="${'y'.repeat(20_000)}"`)]],
    ['a malformed header', [FILE, part('form-data; name="x"', '', ['no header'])]],
  ])('%s', async (_what, parts) => {
    expectRefusal(await uploads.post(multipart(...parts)), 400);
    expectRefusal(await uploads.post(multipart(...parts), { isChunked: true }), 400);
  });

  test('another format', async () => {
    expectRefusal(await uploads.post(Buffer.from('{"file":"x"}')), 400);
    expectRefusal(await uploads.post(randomBytes(100 * KB)), 400);
  });

  test('a file that ends before the last bytes of the closing delimiter', async () => {
    const answer = await uploads.post(multipart(FILE).subarray(0, -4));
    expectRefusal(answer, 400);
    expect(answer.json().message).toMatch(/cut off/u);
  });

  test.each([
    ['before the closing delimiter', FILE.length],
    ['within the closing delimiter', multipart(FILE).length - 5],
    ['within the file', 200 * KB],
    ['in its header', 30],
    ['at its first byte', 1],
  ])('a file that ends %s', async (_where, length) => {
    const cut = multipart(FILE).subarray(0, length);
    expectRefusal(await uploads.post(cut), 400);
    expectRefusal(await uploads.post(cut, { isChunked: true }), 400);
  });

  test('malformed chunks', async () => {
    const { socket, received } = await uploads.openSocket();
    socket.write(postHead({ 'Transfer-Encoding': 'chunked' }));
    socket.write(`${FILE.length.toString(16)}\r\n`);
    socket.write(FILE);
    socket.write('\r\nno length\r\n');
    const answer = await eventually(async () => received(), Boolean);
    expect(answer).toMatch(/^HTTP\/1\.1 400 .+\r\n\r\n\{"status":false,"message":".+"\}$/su);
  });
});
