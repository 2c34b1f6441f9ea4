import { randomInt } from 'node:crypto';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { describeInBrowser, openUploadSite } from '../support/browser.ts';
import { openCuttingProxy } from '../support/cutting-proxy.ts';
import { MORE } from '../support/more-runs.ts';
import { sha256 } from '../support/uploads.ts';

const MB = 1024 * 1024;
/** By default a tenth of what TEST_RUNS=10 does: 100 MB and a hundred cuts. */
const MEGABYTES = 10 * MORE;
const CUTS = 10 * MORE;
const CLIENT = path.resolve(import.meta.dirname, '../../node_modules/tus-js-client/dist/tus.min.js');

/** Runs in the page, on another origin than the uploads. Resolves with the checksum and the address of the upload. */
const UPLOAD = `async ({ endpoint, megabytes }) => {
  const bytes = new Uint8Array(megabytes * 1024 * 1024);
  for (let at = 0; at < bytes.length; at += 65536) crypto.getRandomValues(bytes.subarray(at, at + 65536));
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  const url = await new Promise((resolve, reject) => {
    const upload = new tus.Upload(new File([bytes], 'a.bin'), {
      endpoint,
      metadata: { filename: 'a.bin' },
      retryDelays: Array.from({ length: 1000 }, (_, attempt) => Math.min(attempt * 100, 1000)),
      onSuccess: () => resolve(upload.url),
      onError: reject,
    });
    upload.start();
  });
  return { url, digest: [...digest].map((byte) => byte.toString(16).padStart(2, '0')).join('') };
}`;

describeInBrowser('tus-js-client in a page of another origin', (browser) => {
  test(
    'uploads over connections that break, and sends less than 1 % of the bytes twice',
    async () => {
      let target = '';
      const proxy = await openCuttingProxy(onTestFinished, {
        target: () => target,
        nextCut: (cuts) =>
          cuts < CUTS ? randomInt(2_000, (MEGABYTES * MB) / CUTS) : Number.POSITIVE_INFINITY,
        bytesPerSecond: 10 * MB,
      });
      const site = await openUploadSite(onTestFinished, { UPLOAD_URL: proxy.origin });
      target = site.origin.replace('localhost', '127.0.0.1');
      const page = await browser.openPage(onTestFinished, { bypassCSP: true });
      await page.goto(site.origin);
      await page.addScriptTag({ path: CLIENT });
      const options = { endpoint: `${proxy.origin}/files`, megabytes: MEGABYTES };
      const { url, digest } = await page.evaluate<{ url: string; digest: string }>(
        `(${UPLOAD})(${JSON.stringify(options)})`,
      );
      const repeated = proxy.counts.sentBytes / (MEGABYTES * MB) - 1;
      if (MORE > 1) console.info({ cuts: proxy.counts.cuts, repeated, megabytes: MEGABYTES });

      const answer = await fetch(`${target}${new URL(url).pathname}`);
      const { result } = (await answer.json()) as { result: { url_file: string } };
      const file = await fetch(`${target}${new URL(result.url_file).pathname}`);
      expect(sha256(Buffer.from(await file.arrayBuffer()))).toBe(digest);
      expect(proxy.counts.cuts).toBe(CUTS);
      expect(repeated).toBeLessThan(0.01);
      // Each cut is one.
      browser.takeTroubles();
    },
    60_000 * MORE,
  );
});
