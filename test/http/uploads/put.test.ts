import { describe, expect, test } from 'vitest';
import { MB, openOnce, openUploads, readAnswer } from '../../support/upload-client.ts';

const uploads = openOnce((defer) =>
  openUploads(defer, { UPLOAD_URL: 'https://files.example.org', UPLOAD_TTL: '72h', UPLOAD_MAX_SIZE: '1 MB' }),
);

const DAY_MS = 86_400_000;
const put = (path: string, headers: Record<string, string> = {}, body = 'halo') =>
  uploads.send({ method: 'PUT', path, headers, body: Buffer.from(body) });

/** The description of a file that was put, as its download and its page show it. */
async function described(text: string) {
  const path = new URL(text.trim()).pathname;
  const file = await uploads.send({ path });
  const id = path.slice('/f/'.length).split('.')[0] ?? '';
  return { path, id, file, page: await uploads.send({ path: `/${id}`, headers: { Accept: 'text/html' } }) };
}

/** The lifetime of a file in days, from its id. */
async function daysOf(text: string): Promise<number> {
  const { id } = await described(text);
  return Math.round((Number.parseInt(id.slice(0, -25), 36) - Date.now()) / DAY_MS);
}

describe('a file that is put', () => {
  test('is answered with the address of its bytes and a line end, and with its delete address twice', async () => {
    const { status, text, headers } = await put('/foto.JPG', { 'Content-Type': 'image/jpeg' });
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('text/plain; charset=utf-8');
    expect(text).toMatch(/^https:\/\/files\.example\.org\/f\/[0-9a-z]+\.jpg\n$/u);
    expect(headers).toMatchObject({
      'ratelimit-policy': expect.any(String),
      'access-control-allow-origin': '*',
    });
    const { path, file, page } = await described(text);
    expect(file.text).toBe('halo');
    expect(page.text).toContain('image/jpeg');
    const deletion = new URL(String(headers['x-url-delete']));
    expect(headers['x-delete-url']).toBe(deletion.href);
    expect((await uploads.send({ method: 'DELETE', path: deletion.pathname })).status).toBe(204);
    expect((await uploads.send({ path })).status).toBe(404);
  });

  test.each([
    ['/foto%20liburan%20%E6%97%A5.png', 'foto liburan 日.png'],
    ['/a/b/catatan.txt', 'catatan.txt'],
    ['/x%2Fy%2Frahasia.txt', 'rahasia.txt'],
    ['/upload', 'upload'],
    ['/docs', 'docs'],
    ['/filesystem.txt', 'filesystem.txt'],
    ['/f', 'f'],
    ['/', 'upload'],
    ['/folder/', 'upload'],
  ])('at %s is called %s', async (path, name) => {
    const { text } = await put(path);
    const { file } = await described(text);
    const { 'content-disposition': disposition = '' } = file.headers;
    const encoded = /filename\*=UTF-8''([^;]+)/u.exec(disposition)?.[1];
    const plain = /filename="?([^";]+)"?/u.exec(disposition)?.[1];
    expect(encoded ? decodeURIComponent(encoded) : plain).toBe(name);
  });

  test('lives as long as the shortest of its choices', async () => {
    expect(await daysOf((await put('/a')).text)).toBe(3);
    expect(await daysOf((await put('/a', { 'Max-Days': '1' })).text)).toBe(1);
    expect(await daysOf((await put('/a?expires=1d', { 'Max-Days': '2' })).text)).toBe(1);
    expect(await daysOf((await put('/a?expires=2d', { 'Max-Days': '9' })).text)).toBe(2);
    expect(await daysOf((await put('/a', { 'Max-Days': '90' })).text)).toBe(3);
  });

  test('may be empty, and as large as the limit', async () => {
    expect((await put('/kosong.txt', {}, '')).status).toBe(200);
    expect((await put('/penuh.txt', {}, 'x'.repeat(MB))).status).toBe(200);
  });
});

test.each([
  ['/a%2', {}, 400, /broken %/u],
  ['/a', { 'Max-Days': '0' }, 400, /Max-Days/u],
  ['/a', { 'Max-Days': '1.5' }, 400, /Max-Days/u],
  ['/a', { 'Max-Days': '' }, 400, /Max-Days/u],
  ['/a', { 'Max-Downloads': '1' }, 400, /Max-Downloads/u],
  ['/a?expires=besok', {}, 400, /expires/u],
  ['/a', { 'Content-Range': 'bytes 0-3/8' }, 400, /Content-Range/u],
  ['/a', { 'Content-Encoding': 'gzip' }, 415, /Content-Encoding/u],
])(
  'PUT %s with %o is refused with %i, as text, and nothing is left',
  async (path, headers, status, message) => {
    const before = new Set(await uploads.kept());
    const answer = await put(path, headers);
    expect(answer.status).toBe(status);
    expect(answer.headers['content-type']).toBe('text/plain; charset=utf-8');
    expect(answer.text).toMatch(message);
    expect(answer.text.endsWith('\n')).toBe(true);
    await expect.poll(async () => (await uploads.kept()).filter((file) => !before.has(file))).toEqual([]);
  },
);

test('more than the limit is refused before the body where its length is known', async () => {
  const unread = await uploads.sendUnread({
    method: 'PUT',
    path: '/besar.bin',
    headers: { 'Content-Length': String(2 * MB) },
  });
  const answer = await readAnswer(unread);
  expect(answer.status).toBe(413);
  expect(answer.text).toMatch(/larger than 1\.00 MB\n$/u);
});

test.each(['/f/a', '/d/a', '/d/a/b', '/r/a', '/c/a', '/files', '/files/a'])(
  'PUT %s is not allowed: nobody would find the file',
  async (path) => {
    const answer = await put(path);
    expect(answer.status).toBe(405);
    expect(answer.headers.allow).toMatch(/^(?!.*PUT).*OPTIONS$/u);
  },
);

test('other methods know of PUT, and it makes no path known', async () => {
  const preflight = await uploads.send({ method: 'OPTIONS', path: '/foto.jpg' });
  expect(preflight.status).toBe(204);
  expect(preflight.headers.allow).toContain('PUT');
  expect(preflight.headers['access-control-allow-methods']).toContain('PUT');
  expect(preflight.headers['access-control-allow-headers']).toContain('Authorization');
  expect((await uploads.send({ path: '/tidak/ada.jpg' })).status).toBe(404);
  expect((await uploads.send({ method: 'DELETE', path: '/upload' })).headers.allow).toBe(
    'POST, PUT, OPTIONS',
  );
});
