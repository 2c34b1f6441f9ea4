import { execFile, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { stat, writeFile } from 'node:fs/promises';
import { request as openRequest } from 'node:http';
import path from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { connectFrom } from '../support/clients.ts';
import { filesIn } from '../support/files.ts';
import { describeWith, hasProgram } from '../support/needs.ts';
import { nginxConfiguration, type Origins, readRecipe, startCaddy, startNginx } from '../support/proxies.ts';
import { openTestService, temporaryFolder } from '../support/service.ts';
import {
  filePart,
  MB,
  multipart,
  openSocket,
  postHead,
  readAnswer,
  send,
  untilEnd,
} from '../support/upload-client.ts';

/** CURLE_SEND_ERROR: curl could not send the rest. */
const CURL_SEND_ERROR = 55;
/** How often curl is run to get three answers. */
const MAX_ROUNDS = 6;
const run = promisify(execFile);
const hasCurl = hasProgram('curl');

const PROXIES = [
  { name: 'nginx', start: startNginx, isThere: spawnSync('nginx', ['-v']).error === undefined },
  { name: 'caddy', start: startCaddy, isThere: spawnSync('caddy', ['version']).error === undefined },
];

for (const { name, start, isThere } of PROXIES) {
  describeWith(isThere, name)(`behind ${name}, as the manual sets it up,`, () => {
    const defer = untilEnd();
    let dataDir: string;
    let front: Origins;

    beforeAll(async () => {
      dataDir = await temporaryFolder(defer);
      const service = await openTestService(defer, {
        DATA_DIR: dataDir,
        TRUST_PROXY: '1',
        UPLOAD_MAX_SIZE: '20 MB',
        UPLOAD_RATE_LIMIT: '30',
      });
      await service.ready();
      front = await start([service], defer);
    });

    test('the listing keeps its encodings, its ETag and its state', async () => {
      const headers = { 'Accept-Encoding': 'br' };
      const answer = await send(front.listing, { path: '/api/anime', headers });
      expect(answer.headers).toMatchObject({
        'content-encoding': 'br',
        etag: expect.stringMatching(/^"/u),
        'cache-status': expect.stringMatching(/^tayang; hit/u),
      });
      const conditional = { ...headers, 'If-None-Match': String(answer.headers.etag) };
      const again = await send(front.listing, { path: '/api/anime', headers: conditional });
      expect(again.status).toBe(304);
    });

    test('the stream of events begins at once', async () => {
      const { socket, received } = await openSocket(front.listing);
      socket.write(`GET /api/anime/events/stream HTTP/1.1\r\nHost: ${new URL(front.listing).host}\r\n\r\n`);
      await expect.poll(received).toContain('id: ');
    });

    test('an upload is forwarded while it arrives, and can be downloaded whole and in ranges', async () => {
      const content = randomBytes(8 * MB);
      const body = multipart(filePart('a.bin', content, 'application/octet-stream'));
      const { socket, received } = await openSocket(front.uploads);
      socket.write(postHead({ Host: new URL(front.uploads).host, 'Content-Length': body.length }));
      socket.write(body.subarray(0, 6 * MB));
      await expect.poll(() => storedBytes(dataDir)).toBeGreaterThanOrEqual(4 * MB);
      socket.write(body.subarray(6 * MB));
      await expect.poll(received).toContain('url_file');
      const [, file = ''] = /"url_file":"http:\/\/[^/]+(\/f\/[^"]+)"/u.exec(received()) ?? [];

      expect((await send(front.uploads, { path: file })).body.equals(content)).toBe(true);
      const part = await send(front.uploads, { path: file, headers: { Range: 'bytes=1000000-1000009' } });
      expect(part.status).toBe(206);
      expect(part.body).toEqual(content.subarray(1_000_000, 1_000_010));
      const beyond = await send(front.uploads, { path: file, headers: { Range: 'bytes=99999999-' } });
      expect(beyond.status).toBe(416);
      const head = await send(front.uploads, { path: file, method: 'HEAD' });
      expect(head.headers['content-length']).toBe(String(content.length));
    });

    test.each(['Expect:', 'Expect: 100-continue'])(
      'a file that is too large is refused in JSON (curl, %s)',
      async (expectation) => {
        if (!hasCurl) return;
        const file = path.join(dataDir, 'large.bin');
        await writeFile(file, randomBytes(40 * MB));
        const args = ['-s', '-w', '\n%{http_code}', '-H', expectation, '-F', `file=@${file}`];
        const answers: string[] = [];
        for (let round = 0; round < MAX_ROUNDS && answers.length < 3; round += 1) {
          // curl may have the answer and not be able to send the rest, for which it has an exit code of its own.
          const result = await run('curl', [...args, `${front.uploads}/upload`]).catch((error) => error);
          const { stdout, code = 0 } = result as { stdout: string; code?: number };
          expect([0, CURL_SEND_ERROR]).toContain(code);
          // Caddy resets a connection half a second after its answer, and a client that was busy sending has not read it.
          if (code === 0 || stdout !== '\n100') answers.push(stdout);
        }
        expect(answers).toHaveLength(3);
        for (const answer of answers) expect(answer).toMatch(/^\{"status":false,.*20\.00 MB"\}\n413$/u);
      },
    );

    test('eighty uploads in chunks at once are received', async () => {
      const addresses = ['127.0.0.10', '127.0.0.11', '127.0.0.12', '127.0.0.13'];
      const uploads = addresses.flatMap((address) =>
        Array.from({ length: 20 }, (_, index) => postInChunks(front.uploads, address, 7_000 + 3_001 * index)),
      );
      expect(await Promise.all(uploads)).toEqual(Array(80).fill('200'));
    });

    test('each address has limits of its own, whatever X-Forwarded-For it sends', async () => {
      const statuses = async (localAddress: string) => {
        const found = new Set<number>();
        for (let request = 0; request < 32; request += 1)
          found.add(await postFrom(front.uploads, localAddress, request));
        return [...found];
      };
      expect(await statuses('127.0.0.2')).toEqual([415, 429]);
      expect(await statuses('127.0.0.3')).toEqual([415, 429]);
    });
  });
}

/** Uploads a megabyte from an address of the loopback, in chunks of this size that come in one burst after the head. */
async function postInChunks(origin: string, localAddress: string, chunkBytes: number): Promise<string> {
  const [socket] = await connectFrom(origin, localAddress, 1);
  let received = '';
  socket!.setEncoding('utf8').on('data', (data) => {
    received += data;
  });
  const { host } = new URL(origin);
  socket!.write(postHead({ Host: host, 'Transfer-Encoding': 'chunked', Expect: '100-continue' }));
  await expect.poll(() => received).toContain('100 Continue');
  const body = multipart(filePart('a.bin', randomBytes(MB)));
  const chunks: Buffer[] = [];
  for (let at = 0; at < body.length; at += chunkBytes) {
    const chunk = body.subarray(at, at + chunkBytes);
    chunks.push(Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from('\r\n'));
  }
  socket!.write(Buffer.concat([...chunks, Buffer.from('0\r\n\r\n')]));
  await expect.poll(() => received).toMatch(/HTTP\/1\.1 [2-5]/u);
  return /HTTP\/1\.1 ([2-5]\d\d)/u.exec(received)?.[1] ?? '';
}

/** Sends a request from an address of the loopback; it is counted, and refused for its type. */
async function postFrom(origin: string, localAddress: string, claimed: number): Promise<number> {
  const headers = { 'X-Forwarded-For': `192.0.2.${claimed}`, 'Content-Length': '0' };
  const request = openRequest(`${origin}/upload`, { method: 'POST', localAddress, headers, agent: false });
  const answered = new Promise<number>((resolve, reject) => {
    request.on('error', reject).on('response', (response) => {
      void readAnswer(response).then(({ status }) => resolve(status));
    });
  });
  request.end();
  return answered;
}

async function storedBytes(dataDir: string): Promise<number> {
  const files = await filesIn(path.join(dataDir, 'uploads'));
  const sizes = await Promise.all(
    files.map((file) =>
      stat(file).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

describeWith(
  PROXIES.every(({ isThere }) => isThere),
  'nginx and caddy',
)('the recipes of the manual', () => {
  test('are accepted by nginx as they stand, with TLS', async () => {
    const folder = await temporaryFolder(onTestFinished);
    const [key, certificate] = [path.join(folder, 'key.pem'), path.join(folder, 'fullchain.pem')];
    const subject = ['-subj', '/CN=anime.example.org', '-newkey', 'rsa:2048', '-nodes'];
    await run('openssl', ['req', '-x509', ...subject, '-keyout', key, '-out', certificate]);
    const recipe = readRecipe('nginx/tayang.conf')
      .replaceAll(/\/etc\/ssl\/\w+/gu, folder)
      .replace('/var/cache/nginx', folder);
    const file = path.join(folder, 'nginx.conf');
    await writeFile(file, nginxConfiguration(folder, recipe));
    const { stderr } = await run('nginx', ['-t', '-c', file, '-p', folder]);
    expect(stderr).not.toContain('[warn]');
  });

  test.each(['the manual', 'compose.yaml'])(
    'are accepted by Caddy as they stand: that of %s',
    async (place) => {
      const folder = await temporaryFolder(onTestFinished);
      const compose = path.resolve(import.meta.dirname, '../../deploy/compose/Caddyfile');
      const file = place === 'the manual' ? path.join(folder, 'Caddyfile') : compose;
      if (file !== compose) await writeFile(file, readRecipe('the manual'));
      const { stdout } = await run('caddy', ['adapt', '--config', file, '--adapter', 'caddyfile']);
      expect(Object.keys(JSON.parse(stdout).apps.http.servers)).not.toEqual([]);
    },
  );
});
