import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { checkScanner } from '../../../src/doctor/upload-services.ts';
import { openClamdScanner } from '../../../src/uploads/scanners/clamd.ts';
import { parseClamdUrl } from '../../../src/uploads/scanners/clamd-connection.ts';
import { configOf, findings } from '../../doctor/support/findings.ts';
import {
  describeWithClamd,
  MALWARE,
  openFakeClamd,
  openTestClamd,
  openUnreadClamd,
  SIGNATURE,
  type TestClamd,
} from '../../support/clamd.ts';
import { scrape } from '../../support/metrics.ts';
import { findFreePort } from '../../support/redis.ts';
import { openTestService, startServe, temporaryFolder } from '../../support/service.ts';
import {
  expectRefusal,
  filePart,
  MB,
  multipart,
  openUploads,
  part,
  post,
  untilEnd,
  upload,
} from '../../support/upload-client.ts';
import { streamOf } from '../../support/uploads.ts';

const bodyOf = (content: Buffer) => multipart(filePart('a.bin', content, 'application/octet-stream'));

describeWithClamd('uploads that clamd scans', () => {
  const atEnd = untilEnd();
  let clamd: TestClamd;
  /** It takes files of 1 MB. */
  let small: TestClamd;

  beforeAll(async () => {
    [clamd, small] = await Promise.all([openTestClamd(atEnd), openTestClamd(atEnd, ['StreamMaxLength 1M'])]);
  });

  test('are stored unchanged when it finds nothing, over its port and its Unix socket', async () => {
    for (const UPLOAD_SCANNER_URL of [clamd.url, clamd.socketUrl]) {
      const { send, upload } = await openUploads(onTestFinished, { UPLOAD_SCANNER_URL });
      for (const size of [0, 1, 3 * MB]) {
        const content = randomBytes(size);
        const { file } = await upload(content);
        expect((await send({ path: file })).body.equals(content)).toBe(true);
      }
    }
  });

  test('are refused with 422 when it finds malware, whether few bytes or many, with nothing kept', async () => {
    const uploads = await openUploads(onTestFinished, { UPLOAD_SCANNER_URL: clamd.url });
    for (const size of [0, 2 * MB]) {
      const answer = await uploads.post(bodyOf(Buffer.concat([randomBytes(size), MALWARE])));
      expectRefusal(answer, 422);
      expect(answer.json().message).toContain(SIGNATURE);
    }
    const several = [randomBytes(10), randomBytes(10), MALWARE].map((content, index) =>
      part(`form-data; name="files[]"; filename="${index}.bin"`, content),
    );
    expect((await uploads.post(multipart(...several))).status).toBe(422);
    await uploads.expectNothingLeft();
    const Accept = 'text/html';
    const page = await uploads.post(bodyOf(MALWARE), {
      headers: { Accept, 'Accept-Language': 'id' },
    });
    expect(page.text).toContain('File ditolak');
    await uploads.upload('harmless');
    expect(uploads.failures).toEqual([]);
  });

  test('of 50 MB are scanned to their end, in little memory', async () => {
    const environment = {
      DATA_DIR: await temporaryFolder(onTestFinished),
      SERVE: 'uploads',
      UPLOAD_SCANNER_URL: clamd.url,
    };
    // A process of its own, whose memory can be measured.
    const serve = await startServe(environment, onTestFinished);
    await upload(serve.address, randomBytes(MB));
    const before = await residentBytes(serve.pid);
    let most = 0;
    const sampling = setInterval(async () => {
      most = Math.max(most, await residentBytes(serve.pid));
    }, 20);
    onTestFinished(() => clearInterval(sampling));
    const content = Buffer.concat([Buffer.alloc(50 * MB - MALWARE.length, 'a'), MALWARE]);
    expectRefusal(await post(serve.address, bodyOf(content)), 422);
    expect(most).toBeGreaterThan(0);
    expect(most - before).toBeLessThan(40 * MB);
  });

  test('are refused with 503 when they are too large for it, or not scanned completely', async () => {
    const shallow = await openTestClamd(onTestFinished, ['MaxFileSize 1M']);
    for (const { url } of [small, shallow]) {
      const uploads = await openUploads(onTestFinished, { UPLOAD_SCANNER_URL: url });
      const answer = await uploads.post(bodyOf(Buffer.alloc(4 * MB, 'a')));
      expectRefusal(answer, 503);
      expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
      await uploads.expectNothingLeft();
      await uploads.upload('small');
    }
  });

  test('are refused with 503 while it is down, and accepted again once it works', async () => {
    const own = await openTestClamd(onTestFinished);
    const uploads = await openUploads(onTestFinished, { UPLOAD_SCANNER_URL: own.url });
    await own.kill();
    expectRefusal(await uploads.post(bodyOf(randomBytes(MB))), 503);
    await uploads.expectNothingLeft();
    await own.start();
    await uploads.upload('again');
  });

  test('are counted, and the signature of malware is in the log', async () => {
    const environment = { METRICS_PORT: '0', REFRESH_CRON: 'off', UPLOAD_SCANNER_URL: clamd.url };
    const { uploads, operations } = await openTestService(onTestFinished, environment);
    await upload(uploads, 'harmless');
    await post(uploads, bodyOf(MALWARE));
    const { sample } = await scrape(operations);
    expect(sample('tayang_scans_total', { outcome: 'clean' })).toBe(1);
    expect(sample('tayang_scans_total', { outcome: 'found' })).toBe(1);
    expect(sample('tayang_scans_total', { outcome: 'failed' })).toBe(0);
  });

  test('one sender, with all files at once and some that never end, does not keep out others', async () => {
    const { origin, post } = await openUploads(onTestFinished, {
      UPLOAD_SCANNER_URL: clamd.url,
      UPLOAD_CONCURRENCY: '100',
      UPLOAD_RATE_LIMIT: '200',
      TRUST_PROXY: '1',
    });
    const from = (address: string) => ({ headers: { 'X-Forwarded-For': address } });
    const hog = from('203.0.113.7');
    for (let sent = 0; sent < 60; sent += 1) await beginPost(origin, hog.headers);
    const hogged = Array.from({ length: 30 }, () => post(bodyOf(randomBytes(MB)), hog));
    const others = await Promise.all(
      [1, 2, 3].map((host) => post(bodyOf(Buffer.from('x')), from(`198.51.100.${host}`))),
    );
    expect(others.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(new Set((await Promise.all(hogged)).map(({ status }) => status))).toEqual(new Set([200]));
  });
});

/** Begins an upload that never ends. */
async function beginPost(origin: string, headers: Record<string, string>): Promise<void> {
  const request = httpRequest(`${origin}/upload`, {
    method: 'POST',
    headers: { ...headers, 'Content-Type': 'multipart/form-data; boundary=b', 'Content-Length': '10000' },
  });
  request.on('error', () => {});
  onTestFinished(() => void request.destroy());
  await new Promise<void>((resolve) =>
    request.write('--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nx', () =>
      resolve(),
    ),
  );
}

async function residentBytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/VmRSS:\s+(\d+) kB/u.exec(status)?.[1] ?? 0) * 1024;
}

describe('a scanner', () => {
  const down = expect.objectContaining({ code: 'scanner-down' });

  test.each([
    ['nothing', ''],
    ['a line without its end', 'stream: OK'],
    ['something else', 'nonsense\0'],
    ['an error', 'UNKNOWN COMMAND\0'],
    ['a line that is too long', 'x'.repeat(10_000)],
  ])('that replies %s is down', async (_what, reply) => {
    const uploads = await openUploads(onTestFinished, {
      UPLOAD_SCANNER_URL: await openFakeClamd(onTestFinished, reply),
    });
    expectRefusal(await uploads.post(bodyOf(randomBytes(MB))), 503);
    await uploads.expectNothingLeft();
  });

  test.each([
    ['that reads a file and does not reply', 10, openFakeClamd],
    ['that does not read the end of a file', 8 * MB, openUnreadClamd],
  ])('%s is down when nothing has moved for too long', async (_what, size, openSilent) => {
    const address = parseClamdUrl(await openSilent(onTestFinished));
    const scanner = openClamdScanner(address, { report: () => {}, timeoutMs: 200 });
    const startedAt = performance.now();
    await expect(scanner.scan('somebody', streamOf(Buffer.alloc(size)))).rejects.toEqual(down);
    expect(performance.now() - startedAt).toBeGreaterThan(190);
  });

  test('that is down is a problem for the doctor', async () => {
    const scannerUrl = `clamd://127.0.0.1:${await findFreePort()}`;
    const config = configOf({ UPLOAD_SCANNER_URL: scannerUrl });
    expect(await findings(checkScanner, config, 30_000)).toEqual([
      expect.stringMatching(/^problem: .*ECONNREFUSED.*UPLOAD_SCANNER_URL$/u),
    ]);
  });
});
