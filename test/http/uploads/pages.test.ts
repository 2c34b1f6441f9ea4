import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { openOnce, openUploads } from '../../support/upload-client.ts';

const PUBLIC = 'https://files.example.org';
const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const MP4 = '\0\0\0\x18ftypmp42\0\0\0\0mp42isom\0\0\0\x08moov';
const MP3 = `ID3\x04\0\0\0\0\x01\0${'\0'.repeat(128)}\xff\xfb\x90\x64${'\0'.repeat(500)}`;

const uploads = openOnce((defer) => openUploads(defer, { UPLOAD_URL: PUBLIC, UPLOAD_MAX_SIZE: '7 MB' }));

const get = (path: string, headers = {}) => uploads.send({ path, headers });

async function openPage(content: string | Buffer, name: string) {
  const bytes = typeof content === 'string' ? Buffer.from(content, 'latin1') : content;
  const uploaded = await uploads.upload(bytes, { name });
  const answer = await get(uploaded.page);
  expect(answer.status).toBe(200);
  expect(answer.headers['content-type']).toBe('text/html; charset=utf-8');
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return { ...uploaded, sha256, html: answer.text, headers: answer.headers };
}

describe('the page of a file', () => {
  test('shows name, size, type, expiry, checksum and a download link', async () => {
    const { html, result, sha256, file } = await openPage(Buffer.from(PNG, 'base64'), 'kucing.png');
    for (const told of ['kucing.png', result.filesize, 'image/png', result.expiredFmt, sha256, result.url]) {
      expect(html).toContain(told);
    }
    expect(html).toMatch(new RegExp(`<a [^>]*href="${file}"[^>]*\\sdownload\\b`, 'u'));
    expect(html).toMatch(/<img [^>]*src="data:image\/svg\+xml[^"]+"[^>]*alt="QR/u);
  });

  test.each([
    ['a picture', Buffer.from(PNG, 'base64'), 'img'],
    ['a film', MP4, 'video'],
    ['a song', MP3, 'audio'],
  ])('previews %s', async (_what, content, element) => {
    const { html, file } = await openPage(content, 'x');
    expect(html).toMatch(new RegExp(`<${element} [^>]*src="${file}"`, 'u'));
  });

  test('previews a text, or its beginning if it is long', async () => {
    const { html } = await openPage('Halo <b>dunia</b> & "kawan"', 'a.txt');
    expect(html).toMatch(/<pre[^>]*>\n?Halo &lt;b&gt;dunia&lt;\/b&gt; &amp; &quot;kawan&quot;<\/pre>/u);
    const long = await openPage(`mulai ${'é'.repeat(200_000)} selesai`, 'b.txt');
    expect(long.html.length).toBeLessThan(200_000);
    const utf8 = await openPage(Buffer.from(`mulai ${'é'.repeat(200_000)} selesai`), 'c.txt');
    expect(utf8.html).toContain('mulai éé');
    expect(utf8.html).not.toMatch(/selesai|\ufffd/u);
  });

  test('shows no content of other types', async () => {
    const { html, file } = await openPage('PK\x03\x04 secret content', 'a.zip');
    expect(html).not.toMatch(/<(pre|video|audio|iframe|object|embed)\b|secret/u);
    expect(html).toContain(`href="${file}"`);
  });

  test('needs no script, and allows none but its own', async () => {
    const { headers, html } = await openPage('x', 'a.txt');
    expect(html).not.toMatch(/<script(?![^>]*\bsrc=)|\son\w+=|javascript:|style="/iu);
    const policy = String(headers['content-security-policy']);
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe|https?:|\*/u);
    expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' });
    expect(headers['cache-control']).toBe('no-store');
  });

  test.each([
    '<img src=x onerror=alert(1)>.html',
    "'-alert(1)-'.txt",
    '&lt;b&gt; %22onload=x %22.txt',
    '</title>x',
  ])('escapes the name %s', async (name) => {
    const { html, headers, deletion } = await openPage('x', name);
    const question = (await get(deletion)).text;
    for (const page of [html, question]) {
      expect(page).not.toMatch(/<img src=x|<\/title>x|"onload=x|'-alert/u);
      expect(page.match(/<title>/gu)).toHaveLength(1);
    }
    expect(headers['content-security-policy']).toContain("default-src 'none'");
    if (name.startsWith('<img')) expect(html).toContain('&lt;img src=x onerror=alert(1)&gt;.html');
  });

  test('answers HEAD like GET, without a body', async () => {
    const { page } = await uploads.upload();
    const [head, whole] = [await uploads.send({ method: 'HEAD', path: page }), await get(page)];
    expect(head.status).toBe(200);
    expect(head.headers['content-length']).toBe(whole.headers['content-length']);
    expect(head.body).toHaveLength(0);
  });
});

describe('the front page', () => {
  test('has a form that works without a script, the maximum size and the curl command', async () => {
    const { status, headers, text } = await get('/');
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect(headers['content-security-policy']).toContain("script-src 'self'");
    expect(text).toMatch(/<form [^>]*method="post" action="\/upload" enctype="multipart\/form-data"/u);
    expect(text).toMatch(/<input [^>]*type="file"[^>]*name="file"|<input [^>]*name="file"[^>]*type="file"/u);
    expect(text).toContain(`curl -F file=@`);
    expect(text).toContain(`${PUBLIC}/upload`);
    expect(text).toMatch(/7(\.00)? MB/u);
    expect(text).not.toMatch(/<script(?![^>]*\bsrc=)|\son\w+=/iu);
  });

  test('references only assets that exist', async () => {
    const { page } = await uploads.upload();
    const pages = await Promise.all(['/', page].map((path) => get(path)));
    const assets = pages.flatMap(({ text }) => [...text.matchAll(/(?:src|href)="(\/[^"]+\.(?:js|css))"/gu)]);
    expect(assets.length).toBeGreaterThanOrEqual(3);
    for (const [, path = ''] of assets) {
      const { status, headers } = await get(path);
      expect(status, path).toBe(200);
      expect(headers['content-type']).toMatch(/^text\/(javascript|css); charset=utf-8$/u);
      expect(headers['x-content-type-options']).toBe('nosniff');
    }
    expect((await get('/assets/..%2fhtml.ts')).status).toBe(404);
    expect((await get('/assets/nothing.js')).status).toBe(404);
  });

  test('offers a ShareX configuration with addresses from UPLOAD_URL', async () => {
    const { status, headers, json, text } = await get('/sharex.sxcu', { Host: 'evil.example' });
    expect(status).toBe(200);
    expect(headers['content-type']).toMatch(/^application\/json/u);
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
});
