import { createHash, randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createdUpload, OFFSET_STREAM, offsetOf } from '../../support/resumable.ts';
import { KB, MB, MULTIPART, openOnce, openSocket, openUploads } from '../../support/upload-client.ts';
import { DIALECTS, type Dialect, formOf, neko } from '../../support/upload-ways.ts';

const uploads = openOnce((defer) => openUploads(defer, { UPLOAD_MAX_SIZE: '1 MB', TRUST_PROXY: '1' }));

/** The framed chunks of a body. `extension` follows the length of each. */
function chunked(body: Buffer, sizes: Iterable<number>, extension = ''): Buffer {
  const framed: Buffer[] = [];
  let at = 0;
  for (const size of sizes) {
    const chunk = body.subarray(at, at + size);
    if (chunk.length === 0) break;
    framed.push(Buffer.from(`${chunk.length.toString(16)}${extension}\r\n`), chunk, Buffer.from('\r\n'));
    at += chunk.length;
  }
  return Buffer.concat([...framed, Buffer.from('0\r\n\r\n')]);
}

function* always(size: number): Generator<number> {
  for (;;) yield size;
}

function* first(size: number, rest: number): Generator<number> {
  yield size;
  yield* always(rest);
}

/** Small and large chunks in turn, with the same sizes in every run. */
function* mixed(): Generator<number> {
  for (let index = 1; ; index += 1) yield ((index * 7_919) % 40_000) ** (index % 3) + 1;
}

interface Request {
  method: string;
  path: string;
  headers: Record<string, string>;
}

/**
 * Sends a request whose body follows once the head has been answered, in writes of so many bytes, as clients do that read the
 * response last. Resolves with the final response; rejects when the connection breaks.
 */
async function sendRaw({ method, path, headers }: Request, body: Buffer, writeBytes = Infinity) {
  const { socket, received } = await openSocket(uploads.origin);
  const broken = new Promise<never>((_, reject) => socket.once('error', reject));
  const own = { Host: 'x', Connection: 'close', 'Transfer-Encoding': 'chunked', Expect: '100-continue' };
  const lines = Object.entries({ ...own, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`);
  await expect.poll(received).toMatch(/^HTTP/u);
  const sending = async () => {
    for (let at = 0; at < body.length; at += writeBytes)
      await new Promise((done) => socket.write(body.subarray(at, at + writeBytes), done));
    await expect.poll(() => socket.closed).toBe(true);
  };
  await Promise.race([sending(), broken]);
  return received().replace('HTTP/1.1 100 Continue\r\n\r\n', '');
}

const posting = ({ path }: Dialect): Request => ({
  method: 'POST',
  path,
  headers: { 'Content-Type': MULTIPART },
});

const own = { ...neko, path: '/upload' };

test.each(Object.entries({ '/upload': own, ...DIALECTS }))(
  'an upload to %s is received in two chunks of 70 and some thousand bytes in one write',
  async (_name, dialect) => {
    for (const bytes of [33_000, 60_000]) {
      const body = formOf(dialect, randomBytes(bytes));
      const response = await sendRaw(posting(dialect), chunked(body, first(70, bytes)));
      expect(response, `${bytes} bytes`).toMatch(/^HTTP\/1\.1 200 /u);
    }
  },
);

/** How a client cuts a body: chunks, their extensions, and how many bytes it writes at once. */
const CUTS: [what: string, sizes: () => Iterable<number>, extension?: string, writeBytes?: number][] = [
  ['one chunk', () => [4 * MB]],
  ['one chunk, whose first byte comes alone', () => [4 * MB], '', 160],
  ['chunks of 16 KB', () => always(16 * KB)],
  ['chunks of 16 KB that are written one by one', () => always(16 * KB), '', 16 * KB + 8],
  ['chunks of 64 KB in writes of 65,000 bytes', () => always(64 * KB), '', 65_000],
  ['chunks of 100 bytes', () => always(100)],
  ['chunks of 20 bytes in writes of 700 bytes', () => always(20), '', 700],
  ['chunks of one byte', () => always(1)],
  ['chunks of mixed sizes', mixed],
  ['chunks of mixed sizes in writes of 9,999 bytes', mixed, '', 9_999],
  ['chunks with an extension', () => always(512), ';name="a value"'],
  ['chunks of one byte with an extension', () => always(1), ';a=b'],
];

describe('a body is the same in', () => {
  const content = randomBytes(60 * KB);
  let reports = 1;

  test.each(CUTS)('%s, for a form', async (_what, sizes, extension, writeBytes) => {
    const body = chunked(formOf(own, content), sizes(), extension);
    const response = await sendRaw(posting(own), body, writeBytes);
    expect(response).toMatch(/^HTTP\/1\.1 200 /u);
    const { url_file } = JSON.parse(
      response.slice(response.indexOf('{'), response.lastIndexOf('}') + 1),
    ).result;
    const { body: received } = await uploads.send({ path: new URL(url_file).pathname });
    expect(received.equals(content)).toBe(true);
  });

  test.each(CUTS)('%s, for a resumable upload', async (_what, sizes, extension, writeBytes) => {
    const path = await createdUpload(uploads.origin, content.length + 1);
    const digest = createHash('sha256').update(content).digest('base64');
    const headers = { ...OFFSET_STREAM, 'Upload-Offset': '0', 'Upload-Checksum': `sha256 ${digest}` };
    const request = { method: 'PATCH', path, headers };
    const response = await sendRaw(request, chunked(content, sizes(), extension), writeBytes);
    expect(response).toMatch(/^HTTP\/1\.1 204 /u);
    expect(await offsetOf(uploads.origin, path)).toBe(content.length);
  });

  // It is read as every small body is.
  test.each(CUTS.filter(([what]) => /one byte|mixed/u.test(what)))(
    '%s, for a report',
    async (_what, sizes, extension, writeBytes) => {
      const { id } = await uploads.upload('x');
      const report = Buffer.from(JSON.stringify({ reason: 'spam', note: 'é'.repeat(1_000) }));
      const request = {
        method: 'POST',
        path: `/r/${id}`,
        // From an address of its own, because each may send a few reports only.
        headers: { 'Content-Type': 'application/json', 'X-Forwarded-For': `203.0.113.${reports++}` },
      };
      const response = await sendRaw(request, chunked(report, sizes(), extension), writeBytes);
      expect(response).toMatch(/^HTTP\/1\.1 202 /u);
    },
  );
});

describe('a refusal of a chunked body arrives in', () => {
  const tooLarge = randomBytes(1.1 * MB);

  test.each(CUTS.filter(([what]) => /one chunk|one by one|100 bytes|mixed/u.test(what)))(
    '%s',
    async (_what, sizes, extension, writeBytes) => {
      const body = chunked(formOf(own, tooLarge), sizes(), extension);
      const wrongType = { ...posting(own), headers: { 'Content-Type': 'text/plain' } };
      expect(await sendRaw(wrongType, body, writeBytes && writeBytes * 100)).toMatch(
        /^HTTP\/1\.1 415 .*\}$/su,
      );
      expect(await sendRaw(posting(own), body, writeBytes && writeBytes * 100)).toMatch(
        /^HTTP\/1\.1 413 .*\}$/su,
      );
      await expect.poll(uploads.held).toEqual([]);
    },
  );
});

describe('megabytes of chunk extensions are refused with a message that names them', () => {
  test.each([
    ['of 10 KB each', 100, 'x'.repeat(10 * KB)],
    ['of 100 bytes each', 8_000, 'x'.repeat(100)],
  ])('%s', async (_what, count, extension) => {
    const body = formOf(own, Buffer.alloc(count));
    const response = await sendRaw(posting(own), chunked(body, always(1), `;${extension}`));
    expect(response).toMatch(/^HTTP\/1\.1 413 .*chunk extensions.*\}$/su);
  });
});
