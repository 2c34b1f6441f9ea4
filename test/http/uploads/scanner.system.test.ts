import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { checkScanner } from '../../../src/doctor/scanner.ts';
import { openClamdScanner } from '../../../src/uploads/scanners/clamd.ts';
import { parseClamdUrl } from '../../../src/uploads/scanners/clamd-connection.ts';
import { contextOf, findings } from '../../doctor/support/findings.ts';
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
  post,
  untilEnd,
  upload,
} from '../../support/upload-client.ts';

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
    await uploads.expectNothingLeft();
    const Accept = 'text/html';
    const page = await uploads.post(bodyOf(MALWARE), {
      headers: { Accept, 'Accept-Language': 'id' },
    });
    expect(page.text).toContain('Berkas ditolak');
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

  test('the doctor shows that it answers, and what it does not find or accept', async () => {
    const check = (UPLOAD_SCANNER_URL: string) =>
      findings(checkScanner(contextOf({ UPLOAD_SCANNER_URL, UPLOAD_MAX_SIZE: '8 MB' })), 30_000);
    expect(await check(clamd.url)).toEqual([
      expect.stringMatching(/^ok: clamd:\/\/.* answers$/u),
      expect.stringMatching(/^warning: .*EICAR.*freshclam/u),
      'ok: it takes files of 8.00 MB',
    ]);
    expect((await check(small.url)).at(-1)).toMatch(/^problem: .*StreamMaxLength/u);
  });
});

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
  ])('%s is down after 30 s', async (_what, size, openSilent) => {
    const address = parseClamdUrl(await openSilent(onTestFinished));
    const scan = await openClamdScanner(address, { report: () => {} }).open();
    const clock = vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    let failure: unknown;
    const scanned = scan.push(Buffer.alloc(size)).then(scan.finish);
    scanned.catch((error: unknown) => {
      failure = error;
    });
    while (vi.getTimerCount() === 0) await nextTurn();
    await clock.advanceTimersByTimeAsync(29_999);
    expect(failure).toBeUndefined();
    await clock.advanceTimersByTimeAsync(1);
    await expect(scanned).rejects.toEqual(down);
    await expect(scan.push(randomBytes(10))).rejects.toThrow('over');
  });

  test('has a limited number of scans at once, each of which ends once', async () => {
    const address = parseClamdUrl(await openFakeClamd(onTestFinished));
    const scanner = openClamdScanner(address, { report: () => {}, maxScans: 2 });
    const [first] = [await scanner.open(), await scanner.open()];
    await expect(scanner.open()).rejects.toMatchObject({ code: 'overloaded' });
    first.close();
    first.close();
    (await scanner.open()).close();
    const last = await scanner.open();
    await expect(scanner.open()).rejects.toMatchObject({ code: 'overloaded' });
    last.close();
  });

  test('that is down is a problem for the doctor', async () => {
    const scannerUrl = `clamd://127.0.0.1:${await findFreePort()}`;
    expect(await findings(checkScanner(contextOf({ UPLOAD_SCANNER_URL: scannerUrl })), 30_000)).toEqual([
      expect.stringMatching(/^problem: .*ECONNREFUSED.*UPLOAD_SCANNER_URL$/u),
    ]);
  });
});
