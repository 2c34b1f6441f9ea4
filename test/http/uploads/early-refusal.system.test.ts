import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { openModerator } from '../../support/moderator.ts';
import { hasProgram, testWith } from '../../support/needs.ts';
import { eventually, openTestService } from '../../support/service.ts';
import {
  MB,
  MULTIPART,
  openOnce,
  openUploads,
  postHead,
  type TestUploads,
  untilEnd,
} from '../../support/upload-client.ts';

const LARGE = 8 * MB;
const ROUNDS = 2;
const testIn = (program: string) => testWith(hasProgram(program), program);

const defer = untilEnd();

/** A service whose limit is reached. */
let blocked: TestUploads;
let largeFile: string;

const uploads = openOnce((defer) => openUploads(defer, { UPLOAD_MAX_SIZE: '1 MB' }));
const busy = openOnce((defer) => openUploads(defer, { UPLOAD_RATE_LIMIT: '1', UPLOAD_RATE_WINDOW: '1h' }));

beforeAll(async () => {
  await fetch(`${busy.origin}/upload`, { method: 'POST' });
  blocked = await openUploads(defer);
  await (await openModerator(blocked.dataDir, defer)).block(['address:127.0.0.0/8']);
  const ask = () => fetch(`${blocked.origin}/upload`, { method: 'POST' });
  await eventually(ask, ({ status }) => status === 403);
  largeFile = path.join(uploads.dataDir, 'large.bin');
  await writeFile(largeFile, randomBytes(LARGE));
});

/** Early refusals: status, reason, origin and Content-Type. */
const CASES = [
  [413, 'an upload that is declared too large', () => uploads.origin, MULTIPART],
  [429, 'an upload too many', () => busy.origin, MULTIPART],
  [403, 'an upload from a blocked address', () => blocked.origin, MULTIPART],
  [415, 'a body of another type', () => uploads.origin, 'application/octet-stream'],
] as const;

describe.each(CASES)('%i for %s reaches a client that is still sending:', (status, _why, origin, type) => {
  test('fetch', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const sending = { method: 'POST', headers: { 'Content-Type': type }, body: randomBytes(LARGE) };
      const response = await fetch(`${origin()}/upload`, sending);
      expect(response.status).toBe(status);
      expect(await response.json()).toMatchObject({ status: false });
      expect(response.headers.get('ratelimit')).toMatch(/^"upload"/u);
    }
  });

  testIn('curl')('curl without Expect', async () => {
    const upload = ['--data-binary', `@${largeFile}`, '-H', `Content-Type: ${type}`, '-H', 'Expect:'];
    for (let round = 0; round < ROUNDS; round += 1) {
      const { stdout } = await curl(`${origin()}/upload`, ...upload);
      expect(stdout).toMatch(new RegExp(`^\\{"status":false,.*\\}\n${status} `, 'u'));
    }
  });

  testIn('curl')('curl with Expect: 100-continue, which sends no body', async () => {
    const upload = ['--data-binary', `@${largeFile}`, '-H', `Content-Type: ${type}`];
    const { stdout } = await curl(`${origin()}/upload`, ...upload, '-H', 'Expect: 100-continue');
    expect(stdout).toMatch(new RegExp(`^\\{"status":false,.*\\}\n${status} 0$`, 'u'));
  });

  testIn('python3')('urllib of Python', async () => {
    const { stdout } = await promisify(execFile)('python3', ['-c', URLLIB, `${origin()}/upload`, type]);
    expect(stdout).toBe(Array(ROUNDS).fill(`${status} {"status":false`).join('\n'));
  });
});

const full = openOnce(async (defer) => {
  const opened = await openUploads(defer, { UPLOAD_ADDRESS_QUOTA: '1 MB' });
  await opened.upload(randomBytes(800 * 1024));
  return opened;
});
const limiterless = openOnce((defer) => openUploads(defer, { UPLOAD_LIMITER_URL: 'redis://127.0.0.1:1' }));
const service = openOnce((defer) => openTestService(defer, { REFRESH_CRON: 'off' }));

const OCTETS = 'application/offset+octet-stream';

/** Early refusals: status, origin, method, path and Content-Type. */
const SLOW_CASES = [
  [413, () => uploads.origin, 'POST', '/upload', MULTIPART],
  [413, () => uploads.origin, 'POST', '/resources/internals/api.php', MULTIPART],
  [413, () => uploads.origin, 'POST', '/files', OCTETS],
  [429, () => busy.origin, 'POST', '/upload.php', MULTIPART],
  [403, () => blocked.origin, 'POST', '/api/v1/upload', MULTIPART],
  [403, () => blocked.origin, 'POST', '/files', OCTETS],
  [415, () => uploads.origin, 'POST', '/', 'text/plain'],
  [507, () => full.origin, 'POST', '/upload', MULTIPART],
  [503, () => limiterless.origin, 'POST', '/upload', MULTIPART],
  [405, () => service.listing, 'POST', '/', MULTIPART],
] as const;

describe.runIf(hasProgram('python3'))('http.client of Python, which reads the response last, gets', () => {
  test.each(SLOW_CASES)('%i at 20 MB/s', async (status, origin, method, path, type) => {
    for (const framing of ['length', 'chunked']) {
      const args = ['-c', HTTP_CLIENT, new URL(origin()).host, method, path, type, framing];
      const { stdout } = await promisify(execFile)('python3', args);
      expect(stdout, framing).toBe(String(status));
    }
  });
});

/** Sends 60 MB at 20 MB/s, and prints the status. */
const HTTP_CLIENT = `
import sys, time, http.client
_, host, method, path, content_type, framing = sys.argv
SIZE = 60 << 20
def pieces():
    begun = time.monotonic()
    for sent in range(0, SIZE, 65536):
        time.sleep(max(0, begun + sent / (20 << 20) - time.monotonic()))
        yield b'--b\\r\\n\\r\\n'.ljust(65536, b'x')
headers = {'Content-Type': content_type, 'Tus-Resumable': '1.0.0', 'Upload-Length': '1000000000000'}
if framing == 'length': headers['Content-Length'] = str(SIZE)
connection = http.client.HTTPConnection(host)
connection.request(method, path, pieces(), headers, encode_chunked=framing == 'chunked')
print(connection.getresponse().status, end='')
`;

/** Prints the response, then its status and the number of bytes sent. */
const curl = (...args: string[]) =>
  promisify(execFile)('curl', [
    '-s',
    '--expect100-timeout',
    '10',
    '-w',
    '\n%{http_code} %{size_upload}',
    ...args,
  ]);

const URLLIB = `
import sys, urllib.request, urllib.error
def status():
    request = urllib.request.Request(sys.argv[1], b'x' * ${LARGE}, {'Content-Type': sys.argv[2]})
    try:
        return urllib.request.urlopen(request).status
    except urllib.error.HTTPError as error:
        return f'{error.status} {error.read(15).decode()}'
print('\\n'.join(str(status()) for _ in range(${ROUNDS})), end='')
`;

/** Sends without end; resolves once the response has come, and then the connection has ended. */
async function sendForever(header: Record<string, string>, piece: string): Promise<void> {
  const { socket, received } = await uploads.openSocket();
  const closed = once(socket, 'close');
  socket.write(postHead({ 'Content-Type': 'text/plain', ...header }));
  const sending = setInterval(() => socket.write(piece), 10);
  await expect.poll(received).toMatch(/^HTTP\/1\.1 415 .*\}$/su);
  await closed;
  clearInterval(sending);
}

test('a client that never stops sending is answered, and then cut off', async () => {
  const announced = sendForever({ 'Content-Length': '1000000000' }, 'x');
  const chunked = sendForever({ 'Transfer-Encoding': 'chunked' }, '1\r\nx\r\n');
  await Promise.all([announced, chunked]);
});

test('a connection is kept after a refusal of a complete request', async () => {
  const { socket, received } = await uploads.openSocket();
  const request = postHead({ 'Content-Type': 'text/plain', 'Content-Length': 0 });
  socket.write(request);
  await expect.poll(received).toMatch(/\}$/u);
  socket.write(request);
  await expect.poll(() => received().match(/HTTP\/1\.1 415/gu) ?? []).toHaveLength(2);
});
