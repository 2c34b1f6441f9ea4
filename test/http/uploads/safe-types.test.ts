import { describe, expect, test } from 'vitest';
import { openOnce, openUploads } from '../../support/upload-client.ts';

const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const uploads = openOnce(openUploads);

async function serve(content: Buffer | string, name: string, type: string) {
  const { file } = await uploads.upload(content, { name, type });
  return uploads.send({ path: file });
}

const PAGES = [
  ['a page', '<!doctype html><title>x</title><script>alert(1)</script>', 'a.html', 'text/html'],
  ['a page without doctype', '<script>alert(1)</script>', 'a.htm', 'text/html; charset=utf-16'],
  ['a page behind white space', `\n\n   <html><body onload=alert(1)>`, 'x', 'text/html'],
  ['an SVG', '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>', 'a.svg', 'image/svg+xml'],
  ['an SVG that declares itself', '<?xml version="1.0"?><svg onload="alert(1)"/>', 'a.svg', 'image/svg+xml'],
  ['XHTML', '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"/>', 'a.xhtml', 'text/xml'],
  ['XSLT', '<?xml-stylesheet href="x"?><x/>', 'a.xml', 'application/xml'],
  ['a script', 'alert(document.domain)', 'a.js', 'text/javascript'],
  ['a module', 'import "./x.js"', 'a.mjs', 'application/javascript'],
  ['a page called an image', '<html><script>alert(1)</script>', 'a.png', 'image/png'],
  ['a page in UTF-16', Buffer.from('\ufeff<script>alert(1)</script>', 'utf16le'), 'a.html', 'text/html'],
  ['a page behind bytes', Buffer.from('\0\0<script>alert(1)</script>'), 'a.html', 'text/html'],
  ['a PDF', '%PDF-1.7\n%\u00e2\u00e3\n1 0 obj<</JS(app.alert(1))>>', 'a.pdf', 'application/pdf'],
  ['a GIF by its name only', 'alert(1)//', 'a.gif', 'image/gif'],
  ['MHTML', 'MIME-Version: 1.0\nContent-Type: text/html\n\n<script>', 'a.mht', 'multipart/related'],
] as const;

describe('an uploaded file never runs as a page:', () => {
  test.each(PAGES)('%s is served as plain text or as an attachment', async (_what, content, name, type) => {
    const { headers } = await serve(content as Buffer, name, type);
    const isText = headers['content-type'] === 'text/plain; charset=utf-8';
    expect(isText || headers['content-type'] === 'application/octet-stream').toBe(true);
    expect(headers['content-disposition']).toMatch(isText ? /^(inline|attachment)/u : /^attachment/u);
  });

  test('every response of a file has the headers that sandbox it', async () => {
    const { file } = await uploads.upload(Buffer.from(PNG, 'base64'), { name: 'a.png' });
    const { headers } = await uploads.send({ path: file });
    const cases = [
      { Range: 'bytes=0-3' },
      { Range: 'bytes=999999-' },
      { 'If-None-Match': String(headers.etag) },
      { 'If-Match': '"x"' },
      { Origin: 'https://elsewhere.example' },
    ];
    for (const sent of [{}, ...cases]) {
      const answer = await uploads.send({ path: file, headers: sent as Record<string, string> });
      expect(answer.headers, JSON.stringify(sent)).toMatchObject({
        'x-content-type-options': 'nosniff',
        'content-security-policy': "default-src 'none'; sandbox; media-src 'self'",
        'cross-origin-resource-policy': 'cross-origin',
        'referrer-policy': 'no-referrer',
        'access-control-allow-origin': '*',
      });
    }
  });

  test('a picture with the name and type of a page is served as a picture', async () => {
    const { headers } = await serve(Buffer.from(PNG, 'base64'), 'a.html', 'text/html');
    expect(headers['content-type']).toBe('image/png');
    expect(headers['content-disposition']).toBe('inline; filename=a.html');
  });
});

describe('Content-Disposition', () => {
  test.each([
    ['plain.txt', /^inline; filename="?plain\.txt"?$/u],
    ['café.txt', /^inline; filename="caf\?\.txt"; filename\*=UTF-8''caf%C3%A9\.txt$/u],
    ['写真 1.txt', /^inline; filename="\?\? 1\.txt"; filename\*=UTF-8''%E5%86%99%E7%9C%9F%201\.txt$/u],
    ['a%22; b=c.txt', /^inline; filename="a\\"; b=c\.txt"$/u],
    ['50%25.txt', /filename\*=UTF-8''50%2525\.txt$/u],
    ['e\u0301\u202etxt\u200b.exe', /^inline; filename="\?txt\.exe"; filename\*=UTF-8''%C3%A9txt\.exe$/u],
    ['\u200b \u202e', /^inline; filename="?file"?$/u],
  ])('of %s has the name for old and new clients', async (name, expected) => {
    const { headers } = await serve('x', name, 'text/plain');
    expect(headers['content-disposition']).toMatch(expected);
  });
});
