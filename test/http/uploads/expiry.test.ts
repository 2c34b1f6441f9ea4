import { describe, expect, onTestFinished, test } from 'vitest';
import { setClock } from '../../support/set-clock.ts';
import { openOnce, openUploads } from '../../support/upload-client.ts';
import { newId } from '../../support/uploads.ts';

const uploads = openOnce(openUploads);

const get = (path: string, method = 'GET') => uploads.send({ method, path });

describe('410 is for', () => {
  test('a file, its page and its deletion address from the millisecond of its expiry, swept or not', async () => {
    setClock(Date.now());
    const { kept, send, upload } = await openUploads(onTestFinished);
    const get = (path: string, method = 'GET') => send({ method, path });
    const { result, page, file, deletion } = await upload('x', { path: '/upload?expires=9s' });
    const addresses = [page, file, deletion];
    setClock(result.expired - 1);
    for (const address of addresses) expect((await get(address)).status, address).toBe(200);
    setClock(result.expired);
    for (const method of ['GET', 'HEAD']) {
      for (const address of addresses) expect((await get(address, method)).status, address).toBe(410);
    }
    expect((await get(deletion, 'DELETE')).status).toBe(410);
    expect((await get(deletion, 'POST')).status).toBe(410);
    expect(await kept()).toHaveLength(1);
  });

  test('an address whose expiry is past, even when there was never a file', async () => {
    for (const past of [Date.now() - 1, Date.now() - 86_400_000 * 365, Date.parse('2001-09-10')]) {
      for (const address of [`/${newId(past)}`, `/f/${newId(past)}.png`, `/f/${newId(past)}`]) {
        const answer = await get(address);
        expect(answer.status, address).toBe(410);
        expect(answer.json()).toEqual({ status: false, message: expect.any(String) });
        expect(answer.headers['cache-control']).toBe('no-store');
      }
    }
  });
});

test('a file that is stored while the clock is ahead for a moment lives as long as any other', async () => {
  const start = Date.now();
  setClock(start);
  const { send, upload } = await openUploads(onTestFinished);
  setClock(start + 26 * 3_600_000);
  const { result, file } = await upload('x', { path: '/upload?expires=1h' });
  expect(result.expired).toBeLessThanOrEqual(start + 3_600_000 + 60_000);
  setClock(result.expired - 1);
  expect((await send({ path: file })).status).toBe(200);
});

describe('404 is for', () => {
  test('an address whose expiry is ahead, without a file', async () => {
    const id = newId(Date.now() + 60_000);
    for (const address of [`/${id}`, `/f/${id}.txt`, `/d/${id}/${'x'.repeat(22)}`]) {
      const answer = await get(address);
      expect(answer.status, address).toBe(404);
      expect(answer.json()).toEqual({ status: false, message: expect.any(String) });
    }
  });

  test('a file under another extension', async () => {
    const { file, id } = await uploads.upload('x', { name: 'a.tar.gz' });
    expect(file).toBe(`/f/${id}.gz`);
    for (const wrong of ['.html', '.tar.gz', '.GZ', '.gz.html', '.gz%00', '']) {
      expect((await get(`/f/${id}${wrong}`)).status, wrong).toBe(404);
    }
  });

  test.each([
    ...['x', '%', '%00', '..%2f..%2fetc%2fpasswd', '.', 'staging', 'x'.repeat(5_000)],
    newId(Date.now() + 60_000).toUpperCase(),
    ...[`${newId(Date.now() - 60_000)}0`, `0${newId(Date.now() - 60_000).slice(1)}`, `../${'1'.repeat(30)}`],
  ])('an invalid id: %s', async (id) => {
    for (const address of [`/${encodeURI(id)}`, `/f/${encodeURI(id)}`, `/f/${encodeURI(id)}.txt`]) {
      const answer = await get(address.replaceAll('%25', '%'));
      expect(answer.status, address).toBe(404);
      expect(answer.json()).toMatchObject({ status: false });
    }
  });
});
