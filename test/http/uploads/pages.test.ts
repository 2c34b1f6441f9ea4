import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { MP3, PNG } from '../../support/media-files.ts';
import { filePart, multipart, openOnce, openUploads, part } from '../../support/upload-client.ts';

/** What a browser makes of these pages is tried in test/pages. */

const HOUR_MS = 3_600_000;
const PUBLIC = 'https://files.example.org';
const HTML = { headers: { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8', 'Accept-Language': 'id' } };
const NO_FOREIGN_SCRIPT = /<script(?![^>]*\bsrc=)|\son\w+=|javascript:|style="/iu;

const uploads = openOnce((defer) =>
  openUploads(defer, { UPLOAD_URL: PUBLIC, UPLOAD_MAX_SIZE: '7 MB', TIME_ZONE: 'Asia/Jakarta' }),
);

const get = (path: string, headers = {}) => uploads.send({ path, headers });

async function openPage(content: string | Buffer, name = 'a.txt') {
  const uploaded = await uploads.upload(content, { name });
  const answer = await get(uploaded.page);
  expect(answer.status).toBe(200);
  expect(answer.headers['content-type']).toBe('text/html; charset=utf-8');
  return { ...uploaded, html: answer.text, headers: answer.headers };
}

describe('the page of a file', () => {
  test('shows name, size, type, expiry, checksum and a download link', async () => {
    const { html, result, file } = await openPage(PNG, 'kucing.png');
    const sha256 = createHash('sha256').update(PNG).digest('hex');
    for (const told of ['kucing.png', result.filesize, 'image/png', result.expiredFmt, sha256, result.url])
      expect(html).toContain(told);
    expect(html).toMatch(new RegExp(`<a [^>]*href="${file}"[^>]*\\sdownload\\b`, 'u'));
    expect(html).toMatch(new RegExp(`<img [^>]*src="${file}"`, 'u'));
    expect(html).toMatch(/<img [^>]*src="data:image\/svg\+xml[^"]+"[^>]*alt="QR/u);
  });

  test.each([
    ['with a byte order mark', '\ufeffKafé ✓', 'Kafé ✓'],
    ['as it is', 'Halo <b>dunia</b> & "kawan"', 'Halo &lt;b&gt;dunia&lt;/b&gt; &amp; &quot;kawan&quot;'],
  ])('previews a text %s', async (_what, content, shown) => {
    expect((await openPage(content)).html).toMatch(new RegExp(`<pre [^>]*>\\n?${shown}</pre>`, 'u'));
  });

  test.each([
    ['UTF-16', Buffer.from('\ufeffKafé', 'utf16le')],
    ['UTF-16, big endian', Buffer.from('\ufeffKafé', 'utf16le').swap16()],
    ['Latin-1', Buffer.from('Kafé', 'latin1')],
    ['Latin-1 that begins far into it', Buffer.from(`${'a'.repeat(5_000)} Kafé`, 'latin1')],
  ])('previews a text in %s', async (_encoding, bytes) => {
    expect((await openPage(bytes)).html).toContain('Kafé</pre>');
  });

  test('is rendered once, is asked for again each time, and shows a removal at once', async () => {
    const { page, deletion, headers } = await openPage('<'.repeat(65_536));
    expect(headers['cache-control']).toBe('private, no-cache');
    const again = await get(page, { 'If-None-Match': headers.etag });
    expect(again).toMatchObject({ status: 304, text: '' });
    expect((await get(page, { 'Accept-Language': 'en' })).headers.etag).not.toBe(headers.etag);
    await uploads.send({ method: 'DELETE', path: deletion });
    expect((await get(page, { 'If-None-Match': headers.etag })).status).toBe(404);
  });

  test('previews the beginning of a long text', async () => {
    const { html } = await openPage(`mulai ${'é'.repeat(200_000)} selesai`);
    expect(html.length).toBeLessThan(200_000);
    expect(html).toContain('mulai éé');
    expect(html).not.toMatch(/selesai|\ufffd/u);
  });

  test.each([
    ['film.vtt', 'WEBVTT\n\n00:01.000 --> 00:02.000\nHalo\n'],
    ['film.vtt', '\ufeffWEBVTT - Indonesia\r\n\r\n00:01.000 --> 00:02.000\r\nHalo\r\n'],
    ['film.srt', '\ufeff1\r\n00:00:01,000 --> 00:00:02,000\r\nHalo\r\n'],
    ['film.ass', '\ufeff[Script Info]\r\nScriptType: v4.00+\r\n\r\n[Events]\r\nDialogue: 0,Halo\r\n'],
  ])('shows the subtitles %s, and so does their file', async (name, content) => {
    const { html, file } = await openPage(content, name);
    expect(html).toMatch(/<pre class="preview"[^>]*>[^<]*Halo/u);
    expect((await get(file)).headers).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'content-disposition': `inline; filename=${name}`,
    });
  });

  test('previews the film of a phone as the MP4 as which browsers play it, and a song', async () => {
    const { html, file } = await openPage('\0\0\0\x14ftypqt  \0\0\0\0qt  \0\0\0\x08moov');
    expect(html).toContain('<dd>video/quicktime</dd>');
    expect(html).toContain(`<video class="preview" src="${file}"`);
    expect(html).toContain('<meta property="og:video:type" content="video/mp4">');
    expect((await get(file)).headers['content-type']).toBe('video/mp4');
    const song = await openPage(MP3);
    expect(song.html).toContain(`<audio class="preview" src="${song.file}"`);
  });

  test.each([
    ['application/zip', 'PK\x03\x04 secret'],
    ['application/pdf', '%PDF-1.7\n'],
    ['application/octet-stream', Buffer.from([0xff, 0xfe, 0, 0xd8, 1, 0, 0xe9, 0x81])],
  ])('names %s, without a preview here or in links to it', async (type, content) => {
    const { html } = await openPage(content);
    expect(html).toContain(`<dd>${type}</dd>`);
    expect(html).not.toMatch(/<(?:pre|video|audio|iframe|object|embed)\b|og:(?:image|audio|video)|secret/u);
  });

  test('has link previews with title, size, expiry and the picture', async () => {
    const { html, result } = await openPage(PNG, 'senja %221%22.png');
    const found = html.matchAll(/<meta property="og:([\w:]+)" content="([^"]*)">/gu);
    expect(Object.fromEntries([...found].map(([, name, content]) => [name, content]))).toMatchObject({
      title: 'senja &quot;1&quot;.png',
      description: expect.stringMatching(/^785 B, tersedia sampai .+ WIB$/u),
      url: result.url,
      image: result.url_file,
      'image:type': 'image/png',
    });
  });

  test('needs no script, and allows none but its own', async () => {
    const { headers, html } = await openPage('x');
    expect(html).not.toMatch(NO_FOREIGN_SCRIPT);
    const policy = String(headers['content-security-policy']);
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe|https?:|\*/u);
    expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' });
    expect(headers['cache-control']).toBe('private, no-cache');
  });

  test.each([
    '<img src=x onerror=alert(1)>.html',
    "'-alert(1)-'.txt",
    '&lt;b&gt; %22onload=x %22.txt',
    '</title>x',
  ])('escapes the name %s', async (name) => {
    const { html, deletion } = await openPage('x', name);
    for (const page of [html, (await get(deletion)).text]) {
      expect(page).not.toMatch(/<img src=x|<\/title>x|"onload=x|'-alert/u);
      expect(page.match(/<title>/gu)).toHaveLength(1);
    }
  });

  test('is in the language of each visitor, also for HEAD, and 404 in both once the file is deleted', async () => {
    const { page, deletion } = await uploads.upload('x');
    const ask = (language: string, more = {}) =>
      uploads.send({ path: page, headers: { 'Accept-Language': language }, ...more });
    for (const language of ['id', 'en']) {
      const { headers, text } = await ask(language);
      expect(headers).toMatchObject({ 'content-language': language, vary: 'Accept-Language' });
      expect(text).toContain(`<html lang="${language}">`);
      expect((await get(`${page}?lang=${language}`)).text).toBe(text);
      const head = await ask(language, { method: 'HEAD' });
      expect([head.status, head.text]).toEqual([200, '']);
      expect(head.headers['content-length']).toBe(headers['content-length']);
    }
    await uploads.send({ method: 'DELETE', path: deletion });
    for (const [language, said] of [
      ['id', 'Tidak ditemukan'],
      ['en', 'Nothing here'],
    ] as const) {
      const headers = { Accept: 'text/html', 'Accept-Language': language };
      const gone = await get(page, headers);
      expect([gone.status, gone.headers['content-language']]).toEqual([404, language]);
      expect(gone.text).toContain(said);
    }
  });
});

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
  });

  test.each(['*/*', 'application/json', 'application/json, text/html', ''])(
    'gets JSON with Accept "%s"',
    async (accept) => {
      const headers: Record<string, string> = accept ? { Accept: accept } : {};
      expect((await uploads.post(multipart(filePart()), { headers })).json().status).toBe(true);
    },
  );

  test('chooses how long a file is kept in the field expires, unless the query parameter does', async () => {
    const send = (value: string, path = '/upload') =>
      uploads.post(multipart(part('form-data; name="expires"', value), filePart()), { path });
    const lifeOf = async (...sent: Parameters<typeof send>) =>
      (await send(...sent)).json().result.expired - Date.now();
    expect(await lifeOf('1h')).toBeLessThanOrEqual(HOUR_MS);
    expect(await lifeOf('9d')).toBeGreaterThan(23 * HOUR_MS);
    expect(await lifeOf('6h', '/upload?expires=1h')).toBeLessThanOrEqual(HOUR_MS);
    const before = await uploads.kept();
    expect((await send('besok')).status).toBe(400);
    await expect.poll(uploads.kept).toEqual(before);
  });
});

test('the front page has a form that works without a script, the maximum size and the curl command', async () => {
  const { headers, text } = await get('/');
  expect(headers['content-security-policy']).toContain("script-src 'self'");
  expect(text).toMatch(/<form [^>]*method="post" action="\/upload" enctype="multipart\/form-data"/u);
  expect(text).toContain(`<pre>curl -T photo.jpg ${PUBLIC}</pre>`);
  expect(text).toMatch(/7(\.00)? MB/u);
  expect(text).not.toMatch(NO_FOREIGN_SCRIPT);
});

test.each(['/assets/..%2fhtml.ts', '/assets/nothing.js'])('%s is no asset', async (path) => {
  expect((await get(path)).status).toBe(404);
});

test('a ShareX configuration is saved by a browser, and has addresses from UPLOAD_URL', async () => {
  const { status, headers, json, text } = await get('/sharex.sxcu', { Host: 'evil.example' });
  expect(status).toBe(200);
  expect(headers['content-type']).toMatch(/^application\/json/u);
  expect(headers['content-disposition']).toBe('attachment; filename=tayang.sxcu');
  expect(json()).toMatchObject({
    RequestMethod: 'POST',
    RequestURL: `${PUBLIC}/upload`,
    Body: 'MultipartFormData',
    FileFormName: 'file',
    DestinationType: expect.stringContaining('FileUploader'),
    URL: '{json:result.url_file}',
    DeletionURL: '{header:X-Delete-Url}',
    ErrorMessage: '{json:message}',
  });
  expect(text).not.toMatch(/evil|localhost|127\.0/u);
});
