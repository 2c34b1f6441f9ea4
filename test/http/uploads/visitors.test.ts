import { describe, expect, test } from 'vitest';
import { PNG } from '../../support/media-files.ts';
import { filePart, multipart, openOnce, openUploads, part, untilEnd } from '../../support/upload-client.ts';

const HOUR_MS = 3_600_000;
const HTML = { headers: { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8', 'Accept-Language': 'id' } };
const defer = untilEnd();

const uploads = openOnce((defer) => openUploads(defer, { TIME_ZONE: 'Asia/Jakarta', UPLOAD_TTL: '24h' }));

const get = (path: string, language = 'id') =>
  uploads.send({ path, headers: { 'Accept-Language': language } });
const leftOf = (result: { expired: number }) => result.expired - Date.now();

describe('a form post of a browser', () => {
  test('gets a page with the addresses, the delete address and the expiry, and the same status', async () => {
    const answer = await uploads.post(multipart(filePart('foto <1>.png', 'x')), HTML);
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(answer.headers.vary).toMatch(/Accept/u);
    expect(answer.headers['content-security-policy']).toContain("default-src 'none'");
    expect(answer.text).toContain(String(answer.headers['x-delete-url']));
    expect(answer.text).toMatch(/href="[^"]+\/f\/[0-9a-z]+\.png"/u);
    expect(answer.text).toMatch(/<time [^>]*>dalam 24 jam, \d\d\.\d\d WIB<\/time>/u);
    expect(answer.text).toContain('foto &lt;1&gt;.png');
    const bad = await uploads.post(multipart(filePart('a.png', 'x', 'text/plain')).subarray(0, 60), HTML);
    expect([bad.status, bad.headers['content-type']]).toEqual([400, 'text/html; charset=utf-8']);
    expect(bad.text).toContain('Permintaan tidak dapat diproses');
  });

  test.each(['*/*', 'application/json', 'application/json, text/html', ''])(
    'gets JSON with Accept "%s"',
    async (accept) => {
      const headers: Record<string, string> = accept ? { Accept: accept } : {};
      expect((await uploads.post(multipart(filePart('a.txt', 'x')), { headers })).json()).toMatchObject({
        status: true,
      });
    },
  );
});

describe('the form field expires', () => {
  const sendField = (value: string, path = '/upload') =>
    uploads.post(multipart(part('form-data; name="expires"', value), filePart('a.txt', 'x')), {
      path,
    });

  test('sets how long a file is kept, unless the query parameter does', async () => {
    expect(leftOf((await sendField('1h')).json().result)).toBeLessThanOrEqual(HOUR_MS);
    expect(leftOf((await sendField('9d')).json().result)).toBeGreaterThan(23 * HOUR_MS);
    const both = await sendField('6h', '/upload?expires=1h');
    expect(leftOf(both.json().result)).toBeLessThanOrEqual(HOUR_MS);
  });

  test('is refused when it is invalid, and no files are left', async () => {
    const own = await openUploads(defer);
    const body = multipart(part('form-data; name="expires"', 'besok'), filePart('a.txt', 'x'));
    expect((await own.post(body)).status).toBe(400);
    await own.expectNothingLeft();
  });
});

describe('the page of a file', () => {
  test('is in the language of each visitor, and 404 in both once the file is deleted', async () => {
    const { page, deletion } = await uploads.upload('x');
    const [indonesian, english] = [await get(page), await get(page, 'en')];
    expect(indonesian.headers).toMatchObject({ 'content-language': 'id', vary: 'Accept-Language' });
    expect(indonesian.text).toContain('<html lang="id">');
    expect(english.headers['content-language']).toBe('en');
    expect(english.text).toContain('<html lang="en">');
    expect((await get(`${page}?lang=en`)).text).toBe(english.text);
    await uploads.send({ method: 'DELETE', path: deletion });
    for (const language of ['id', 'en']) expect((await get(page, language)).status).toBe(404);
  });

  test.each([
    ['UTF-8', Buffer.from('Kafé ✓')],
    ['UTF-8 with a byte order mark', Buffer.from('\ufeffKafé ✓')],
  ])('previews a text in %s', async (_encoding, bytes) => {
    const { page } = await uploads.upload(bytes);
    expect((await get(page)).text).toMatch(/<pre [^>]*>\nKafé ✓<\/pre>/u);
  });

  test('does not preview bytes that are not text', async () => {
    const { page } = await uploads.upload(Buffer.from([0xff, 0xfe, 0, 0xd8, 1, 0, 0xe9, 0x81]));
    expect((await get(page)).text).not.toContain('<pre');
  });

  test.each([
    ['application/pdf', '%PDF-1.7\n'],
    ['image/heic', '\0\0\0\x14ftypheic\0\0\0\0mif1\0\0\0\x08meta'],
  ])('names %s, although it is not previewed and downloaded as plain bytes', async (type, content) => {
    const { page, file } = await uploads.upload(content);
    const { text } = await get(page);
    expect(text).toContain(`<dd>${type}</dd>`);
    expect(text).not.toMatch(/class="preview"|property="og:(?:image|audio|video)"/u);
    expect((await get(file)).headers).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-disposition': expect.stringMatching(/^attachment/u),
    });
  });

  test('previews the film of a phone as the MP4 as which browsers play it', async () => {
    const { page, file } = await uploads.upload('\0\0\0\x14ftypqt  \0\0\0\0qt  \0\0\0\x08moov');
    const { text } = await get(page);
    expect(text).toContain('<dd>video/quicktime</dd>');
    expect(text).toContain(`<video class="preview" src="${file}"`);
    expect(text).toContain('<meta property="og:video:type" content="video/mp4">');
    expect((await get(file)).headers['content-type']).toBe('video/mp4');
  });

  test('has link previews with title, size, expiry and the picture', async () => {
    const { page, result } = await uploads.upload(PNG, { name: 'senja %221%22.png' });
    const { text } = await get(page);
    const properties = Object.fromEntries(
      [...text.matchAll(/<meta property="og:([\w:]+)" content="([^"]*)">/gu)].map(([, name, content]) => [
        name,
        content,
      ]),
    );
    expect(properties).toMatchObject({
      title: 'senja &quot;1&quot;.png',
      description: expect.stringMatching(/^785 B, tersedia sampai .+ WIB$/u),
      url: result.url,
      image: result.url_file,
      'image:type': 'image/png',
    });
  });

  test('has no link preview of an attachment', async () => {
    const { page } = await uploads.upload('PK\x03\x04', { name: 'a.zip' });
    expect((await get(page)).text).not.toMatch(/og:(?:image|video|audio)/u);
  });
});

test('an error page is in the language of the visitor', async () => {
  const headers = (language: string) => ({ Accept: 'text/html', 'Accept-Language': language });
  const ask = (language: string) => uploads.send({ path: '/tidak-ada', headers: headers(language) });
  const [indonesian, english] = [await ask('id'), await ask('en')];
  expect(indonesian.headers['content-language']).toBe('id');
  expect(indonesian.text).toContain('Tidak ditemukan');
  expect(english.text).toContain('Nothing here');
});
