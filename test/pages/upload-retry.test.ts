import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { afterEach, expect, onTestFinished, test } from 'vitest';
import { describeInBrowser, openUploadSite } from '../support/browser.ts';
import { type FrontFault, openFrontProxy } from '../support/front-proxy.ts';
import { openOnce } from '../support/until-end.ts';

const SIZES = { small: 300 * 1024, large: 6 * 1024 * 1024 };
const METHODS = ['POST', 'PATCH', 'GET'];
const NO_CONNECTION = 'No connection.';
const UNAVAILABLE = 'Temporarily unavailable. The upload resumes by itself in';
const TOO_MANY = 'Too many uploads at once. This one resumes by itself in';

describeInBrowser('an upload is tried again', (browser) => {
  const site = openOnce((defer) => openUploadSite(defer, { UPLOAD_MAX_SIZE: '20 MB' }));
  const front = openOnce((defer) => openFrontProxy(defer, () => site.origin));

  // The browser reports every answer that is an error, and every broken connection.
  afterEach(() => void browser.takeTroubles());

  const isUpload = ({ url = '' }: IncomingMessage) => url.startsWith('/files');

  /** Fails the first requests of a method that belong to an upload. Returns the times of all of them, ms. */
  function failFirst(method: string, fault: () => FrontFault, count = 1): number[] {
    const times: number[] = [];
    front.decideBy((incoming) => {
      if (!isUpload(incoming) || incoming.method !== method) return undefined;
      times.push(performance.now());
      return times.length <= count ? fault() : undefined;
    });
    return times;
  }

  /** Chooses a file. Returns the page, and what its row has said so far. */
  async function choose(size: keyof typeof SIZES) {
    const page = await browser.openPage(onTestFinished, {});
    await page.goto(front.origin);
    await page.evaluate(`{
      window.said = [];
      new MutationObserver(() => {
        for (const { textContent } of document.querySelectorAll('#mine .message'))
          if (textContent && window.said.at(-1) !== textContent) window.said.push(textContent);
      }).observe(document.getElementById('mine'), { subtree: true, childList: true, characterData: true });
    }`);
    const buffer = randomBytes(SIZES[size]);
    await page.setInputFiles('#file', { name: 'foto.jpg', mimeType: 'image/jpeg', buffer });
    return {
      page,
      said: () => page.evaluate<string[]>('window.said'),
      /** Resolves once the file has its link, which works. */
      async arrived() {
        await page.locator('.done:visible').waitFor();
        const direct = String(await page.locator('a.direct').textContent());
        expect(buffer.equals(await (await fetch(direct)).bytes())).toBe(true);
      },
    };
  }

  test.each([
    ['POST', 'small'],
    ['PATCH', 'small'],
    ['GET', 'small'],
    ['PATCH', 'large'],
  ] as const)('after a lost connection at %s of a %s file, which is said', async (method, size) => {
    // The browser by itself tries again what it has sent over a connection that it had kept.
    failFirst(method, () => 'lost', Number.POSITIVE_INFINITY);
    const { page, said, arrived } = await choose(size);
    await page.getByText(NO_CONNECTION).waitFor();
    front.passAll();
    await arrived();
    expect(new Set(await said())).toEqual(new Set([expect.stringContaining(NO_CONNECTION)]));
  });

  test.each([
    ['POST', 503, 'small', UNAVAILABLE],
    ['GET', 503, 'small', UNAVAILABLE],
    ['PATCH', 423, 'small', UNAVAILABLE],
    ['PATCH', 429, 'small', TOO_MANY],
    ['PATCH', 502, 'small', UNAVAILABLE],
    ['PATCH', 503, 'small', UNAVAILABLE],
    ['PATCH', 504, 'small', UNAVAILABLE],
    ['PATCH', 503, 'large', UNAVAILABLE],
  ] as const)(
    'after a %s that is answered %i, of a %s file, which is not called a lost connection',
    async (method, status, size, text) => {
      const requests = failFirst(method, () => ({ status }));
      const { said, arrived } = await choose(size);
      await arrived();
      expect(requests.length).toBe(2);
      expect(await said()).toEqual([`${text} 1 s.`]);
    },
  );

  test('after a 409, without a word: the offset is asked for again', async () => {
    const requests = failFirst('PATCH', () => ({ status: 409 }));
    const { said, arrived } = await choose('small');
    await arrived();
    expect(requests.length).toBe(2);
    expect(await said()).toEqual([]);
  });

  test.each([403, 413, 422, 500, 507])('not after a %i', async (status) => {
    const requests = failFirst('PATCH', () => ({ status }), Number.POSITIVE_INFINITY);
    const { page, said } = await choose('small');
    await page.getByRole('button', { name: 'Try again' }).waitFor();
    expect(requests.length).toBe(1);
    expect(await said()).toEqual([expect.not.stringContaining(NO_CONNECTION)]);
  });

  test.each([
    ['seconds', () => '3'],
    ['a date', () => new Date(Date.now() + 4_000).toUTCString()],
  ])('not before the time that Retry-After has in %s', async (_, retryAfter) => {
    const times = failFirst('POST', () => ({ status: 503, headers: { 'Retry-After': retryAfter() } }));
    const { arrived } = await choose('small');
    await arrived();
    const [first = 0, second = 0] = times;
    // A timer may be a little early, and a date has whole seconds. The backoff alone would be one second.
    expect(second - first).toBeGreaterThan(1_500);
  });

  test('without becoming two files, when an answer was lost', async () => {
    /** The files that are complete; an upload without bytes, whose address was lost, is soon forgotten. */
    const stored = async () => (await site.kept()).filter((name) => !name.includes('resumable'));
    const before = await stored();
    for (const method of METHODS) {
      failFirst(method, () => 'unanswered');
      const { page, arrived } = await choose('small');
      await arrived();
      expect(await page.getByRole('listitem').count()).toBe(1);
      const deletion = await page.locator('.copy-deletion').getAttribute('data-copy');
      await fetch(String(deletion), { method: 'DELETE' });
    }
    await expect.poll(stored).toEqual(before);
  });
});
