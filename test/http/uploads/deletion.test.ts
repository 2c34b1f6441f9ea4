import { describe, expect, test } from 'vitest';
import { openOnce, openUploads } from '../../support/upload-client.ts';

const uploads = openOnce(openUploads);

const ask = (method: string, path: string, headers = {}) => uploads.send({ method, path, headers });

describe('the secret address', () => {
  test('removes page, file and bytes at once for DELETE', async () => {
    const { page, file, deletion } = await uploads.upload();
    const answer = await ask('DELETE', deletion);
    expect(answer.status).toBe(204);
    expect(answer.body).toHaveLength(0);
    for (const address of [page, file, deletion]) {
      for (const method of ['GET', 'HEAD']) expect((await ask(method, address)).status).toBe(404);
    }
    await uploads.expectNothingLeft();
  });

  test('answers GET with a form that needs no script, and deletes nothing', async () => {
    const { deletion, page } = await uploads.upload('x', { name: 'liburan.txt' });
    for (const method of ['HEAD', 'GET', 'GET']) expect((await ask(method, deletion)).status).toBe(200);
    const { text, headers } = await ask('GET', deletion);
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect(headers['content-security-policy']).toContain("form-action 'self'");
    expect(headers['referrer-policy']).toBe('no-referrer');
    expect(headers['cache-control']).toBe('no-store');
    expect(text).toContain('liburan.txt');
    expect(text).toMatch(/<form method="post"[^>]*>.*<button.*<\/form>/su);
    // The script only keeps the language.
    expect(text.match(/<script[^>]*>/gu)).toEqual(['<script src="/assets/language.js" type="module">']);
    expect((await ask('GET', page)).status).toBe(200);

    const form = { 'Content-Type': 'application/x-www-form-urlencoded', Accept: 'text/html' };
    const deleted = await ask('POST', deletion, form);
    expect(deleted.status).toBe(200);
    expect(deleted.headers['content-type']).toBe('text/html; charset=utf-8');
    expect((await ask('GET', page)).status).toBe(404);
    expect((await ask('POST', deletion, form)).status).toBe(404);
  });

  test('with another key is 404 and deletes nothing', async () => {
    const { deletion, file, id } = await uploads.upload('x');
    const other = await uploads.upload('y');
    const key = deletion.split('/').at(-1)!;
    const wrong = ['x', key.slice(1), `${key}x`, key.toLowerCase(), '%00', other.deletion.split('/').at(-1)];
    for (const one of wrong) {
      for (const method of ['DELETE', 'POST', 'GET']) {
        expect((await ask(method, `/d/${id}/${one}`)).status, `${method} ${one}`).toBe(404);
      }
    }
    expect((await ask('DELETE', `/d/${id}/`)).status).toBe(404);
    expect((await ask('GET', file)).text).toBe('x');
  });

  test('is sent only to the uploader', async () => {
    const { deletion, page, file, result } = await uploads.upload('x');
    const key = deletion.split('/').at(-1)!;
    expect(key.length).toBeGreaterThanOrEqual(22);
    const told = [await ask('GET', page), await ask('GET', file)].map(({ text, headers }) => [text, headers]);
    expect(JSON.stringify([told, result])).not.toContain(key);
  });
});
