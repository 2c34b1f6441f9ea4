import { describe, expect, test } from 'vitest';
import { openOnce, openUploads } from '../../support/upload-client.ts';
import SAMPLES from '../../uploads/media-samples.json' with { type: 'json' };

const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const uploads = openOnce(openUploads);

async function serve(content: Buffer | string, name: string, type: string) {
  const { file } = await uploads.upload(content, { name, type });
  return uploads.send({ path: file });
}

/** What is no picture, sound or film, whatever it is called: what it is, and its bytes as a text in Latin-1. */
const OTHERS = [
  ...SAMPLES.downloaded.map(([, what, bytes]) => [what, Buffer.from(bytes!, 'latin1')] as const),
  ...SAMPLES.texts.map(([what, text]) => [what, Buffer.from(text!)] as const),
  ['a page behind bytes', Buffer.from('\0\0<script>alert(1)</script>')] as const,
  ['MHTML', Buffer.from('MIME-Version: 1.0\nContent-Type: text/html\n\n<script>')] as const,
];

describe('an uploaded file never runs as a page:', () => {
  test.each(
    OTHERS.flatMap(([what, bytes]) =>
      [
        ['a.html', 'text/html; charset=utf-16'],
        ['a.svg', 'image/svg+xml'],
        ['a.js', 'text/javascript'],
        ['a.png', 'image/png'],
      ].map(([name = '', type = '']) => ({ what, bytes, name, type })),
    ),
  )('$what as $name is served as plain text or as an attachment', async ({ bytes, name, type }) => {
    const { headers } = await serve(bytes, name, type);
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
    ['café.txt', /^inline; filename="?cafe\.txt"?; filename\*=UTF-8''caf%C3%A9\.txt$/u],
    ['写真.md', /^inline; filename="?file\.md"?; filename\*=UTF-8''%E5%86%99%E7%9C%9F\.md$/u],
    ['apa?.txt', /^inline; filename="?apa_\.txt"?; filename\*=UTF-8''apa%3F\.txt$/u],
    [
      'نامه\u200cها.txt',
      /^inline; filename="?file\.txt"?; filename\*=UTF-8''[%\dA-F]+%E2%80%8C[%\dA-F]+\.txt$/u,
    ],
    ['a%22; b=c.txt', /^inline; filename="a\\"; b=c\.txt"$/u],
    ['50%25.txt', /filename\*=UTF-8''50%2525\.txt$/u],
    ['e\u0301\u202etxt\u200b.exe', /^inline; filename="?etxt\.exe"?; filename\*=UTF-8''%C3%A9txt\.exe$/u],
    ['\u200b \u202e', /^inline; filename="?file"?$/u],
  ])('of %s has the name for old and new clients', async (name, expected) => {
    const { headers } = await serve('x', name, 'text/plain');
    expect(headers['content-disposition']).toMatch(expected);
  });
});
