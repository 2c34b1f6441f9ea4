import { randomBytes } from 'node:crypto';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createdUpload, createUpload, offsetOf, patch } from '../../support/resumable.ts';
import { setClock } from '../../support/set-clock.ts';
import { filePart, multipart, openOnce, openUploads } from '../../support/upload-client.ts';
import { WAYS } from '../../support/upload-ways.ts';
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

describe('while the clock is ahead of its steady reading,', () => {
  const HOUR = 3_600_000;
  const DAY = 24 * HOUR;
  const MINUTE = 60_000;

  /** Opens uploads whose two clocks are set by the test: the wall clock, and the monotonic one. */
  async function openWithClocks() {
    const start = Date.now();
    setClock(start);
    const elapsed = vi.spyOn(performance, 'now').mockReturnValue(performance.now());
    onTestFinished(() => elapsed.mockRestore());
    const opened = await openUploads(onTestFinished);
    return {
      ...opened,
      /** Sets the wall clock forward. */
      jump: (ms: number) => setClock(Date.now() + ms),
      /** Lets so much time pass by both clocks. */
      pass(ms: number) {
        elapsed.mockReturnValue(performance.now() + ms);
        setClock(Date.now() + ms);
      },
    };
  }

  test.each(Object.entries(WAYS))(
    '%s is refused with 503 rather than acknowledged when it is over, until the clock has stayed for two minutes',
    async (_name, { upload: send, messageOf }) => {
      const { origin, kept, jump, pass } = await openWithClocks();
      jump(DAY + HOUR);
      const refused = await send(origin, randomBytes(500));
      expect(refused.status, refused.text).toBe(503);
      expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
      expect(messageOf(refused)).toContain('clock');
      await expect.poll(kept).toEqual([]);
      for (let minute = 0; minute < 3; minute += 1) {
        pass(MINUTE);
        const answer = await send(origin, randomBytes(500));
        expect([200, 201, 204, 503]).toContain(answer.status);
        if (minute === 2) expect(answer.status, answer.text).toBeLessThan(300);
      }
    },
  );

  test('a file is accepted that ends after that, and lives until then', async () => {
    const { send, upload, post, jump } = await openWithClocks();
    const start = Date.now();
    jump(2 * HOUR);
    const over = { path: '/upload?expires=2h' };
    expect((await post(multipart(filePart()), over)).status).toBe(503);
    const { result, file } = await upload('x', { path: '/upload?expires=3h' });
    expect(result.expired).toBe(start + 3 * HOUR);
    setClock(result.expired - 1);
    expect((await send({ path: file })).status).toBe(200);
  });

  test('a resumable upload keeps its bytes, and is published once the clock has stayed for two minutes', async () => {
    const { origin, send, jump, pass } = await openWithClocks();
    const bytes = randomBytes(1000);
    const path = await createdUpload(origin, bytes.length, { path: '/files?expires=20m' });
    expect((await patch(origin, path, 0, bytes.subarray(0, 500))).status).toBe(204);
    jump(30 * MINUTE);
    expect((await patch(origin, path, 500, bytes.subarray(500))).status).toBe(503);
    for (let minute = 0; minute < 3; minute += 1) {
      pass(MINUTE);
      await offsetOf(origin, path);
    }
    expect(await offsetOf(origin, path)).toBe(bytes.length);
    const { result } = (await send({ path })).json();
    expect(result.expired).toBeGreaterThan(Date.now() + 10 * MINUTE);
    expect((await send({ path: new URL(result.url_file).pathname })).body.equals(bytes)).toBe(true);
  });

  test('no resumable upload is created that would be forgotten or over before its first byte', async () => {
    const { origin, jump } = await openWithClocks();
    jump(11 * MINUTE);
    const { answer } = await createUpload(origin, 10);
    expect(answer.status).toBe(503);
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
  });
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
