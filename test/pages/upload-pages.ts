import type { Page } from 'playwright-core';
import { MP3, PNG, WEBM } from '../support/media-files.ts';
import type { PageSite } from '../support/page-site.ts';
import { readJson } from '../support/service.ts';
import { newId } from '../support/uploads.ts';
import type { PageCase } from './every-page.ts';

const LONG_NAME = `${'Laporan_perjalanan_'.repeat(6)}(salinan akhir).zip`;
const TEXT = `${'Baris pertama dari sebuah catatan yang agak panjang.\n'.repeat(40)}`;

const uploaded = (name: string, content: string | Buffer) => async (site: PageSite) =>
  (await site.upload(name, content)).url;

const SENT = { name: LONG_NAME, mimeType: 'application/zip', buffer: Buffer.from('PK') };

const NOTE = { name: 'catatan.txt', mimeType: 'text/plain', buffer: Buffer.from(TEXT) };

async function forget(page: Page): Promise<void> {
  await page.evaluate('localStorage.clear()');
  await page.reload();
}

async function upload(page: Page): Promise<void> {
  await forget(page);
  await page.setInputFiles('#file', SENT);
  await page.locator('.done:visible').waitFor();
}

async function listUploads(page: Page): Promise<void> {
  await upload(page);
  await page.reload();
  await page.locator('.done:visible').waitFor();
}

/** One file is done, one failed, three are sent for ever, and one waits. */
async function uploadSeveral(page: Page): Promise<void> {
  await forget(page);
  const areSent = Promise.withResolvers<void>();
  let requests = 0;
  await page.unroute('**/files?*');
  await page.route('**/files?*', (route) => {
    requests += 1;
    if (requests === 1) return route.continue();
    if (requests === 5) areSent.resolve();
    return requests === 2 ? route.fulfill({ status: 403 }) : undefined;
  });
  const files = Array.from({ length: 4 }, (_, index) => ({ ...SENT, name: `${index + 1} ${LONG_NAME}` }));
  const [failing = SENT, ...others] = files;
  // One after the other: which of several files is sent first is not certain.
  await page.setInputFiles('#file', [NOTE]);
  await page.locator('.done:visible').waitFor();
  await page.setInputFiles('#file', [failing]);
  await page.locator('.retry:visible').waitFor();
  await page.setInputFiles('#file', [...others, { ...NOTE, name: 'daftar.txt' }]);
  await areSent.promise;
}

/** Sends the form as a browser without JavaScript does: files that a script sets cause no event. */
async function sendForm(page: Page): Promise<void> {
  await page.evaluate(`(() => {
    const files = new DataTransfer();
    files.items.add(new File(['isi'], ${JSON.stringify(LONG_NAME)}));
    document.getElementById('file').files = files.files;
    document.querySelector('#drop button').click();
  })()`);
  await page.waitForURL('**/upload?*');
}

async function reportForm(site: PageSite): Promise<string> {
  const { url } = await site.upload(LONG_NAME, 'PK\x03\x04');
  return url.replace(/\/(?=\w+$)/u, '/r/');
}

async function sendReport(page: Page): Promise<void> {
  await page.getByRole('radio').first().check();
  await page.getByRole('button').click();
  await page.locator('form').waitFor({ state: 'detached' });
}

const removedFor = (reason: 'operator' | 'legal') => async (site: PageSite) => {
  const uploaded = await site.upload('catatan.txt', TEXT);
  await site.remove(uploaded, reason);
  return uploaded.url;
};

/** A picture, a file that browsers do not show, and one without an extension. */
async function collection(site: PageSite): Promise<string> {
  const files: string[] = [];
  for (const [name, content] of [
    ['senja di pantai.png', PNG],
    [LONG_NAME, 'PK\x03\x04'],
    ['README', TEXT],
  ] as const)
    files.push((await site.upload(name, content)).url);
  const response = await fetch(`${site.uploads}/c`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ files }),
  });
  return (await readJson(response)).result.url;
}

/** The pages of the uploads, in each of their states. */
export const UPLOAD_PAGES: readonly PageCase[] = [
  { name: 'drop', address: ({ uploads }) => `${uploads}/` },
  { name: 'drop-done', address: ({ uploads }) => `${uploads}/`, reach: upload },
  { name: 'drop-mine', address: ({ uploads }) => `${uploads}/`, reach: listUploads },
  { name: 'drop-several', address: ({ uploads }) => `${uploads}/`, reach: uploadSeveral },
  { name: 'uploaded', address: ({ uploads }) => `${uploads}/`, reach: sendForm },
  { name: 'file-image', address: uploaded('senja di pantai.png', PNG) },
  { name: 'collection', address: collection },
  { name: 'file-text', address: uploaded('catatan.txt', TEXT) },
  { name: 'file-video', address: uploaded('liburan.webm', WEBM) },
  { name: 'file-audio', address: uploaded('hening.mp3', MP3) },
  { name: 'file-other', address: uploaded(LONG_NAME, 'PK\x03\x04') },
  { name: 'delete', address: async (site) => (await site.upload(LONG_NAME, 'PK\x03\x04')).deletion },
  {
    name: 'deleted',
    address: async (site) => (await site.upload('catatan.txt', TEXT)).deletion,
    reach: (page) => page.getByRole('button').click(),
  },
  { name: 'report', address: reportForm },
  { name: 'reported', address: reportForm, reach: sendReport },
  { name: 'removed', address: removedFor('operator'), status: 410 },
  { name: 'removed-legally', address: removedFor('legal'), status: 451 },
  { name: 'missing', address: ({ uploads }) => `${uploads}/tidak-ada`, status: 404 },
  { name: 'expired', address: ({ uploads }) => `${uploads}/${newId(1_700_000_000_000)}`, status: 410 },
];
