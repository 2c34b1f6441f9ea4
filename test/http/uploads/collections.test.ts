import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createModerator, type Moderator } from '../../../src/uploads/moderation/moderator.ts';
import { STORAGE_DRIVERS } from '../../../src/uploads/storage/drivers.ts';
import type { Storage } from '../../../src/uploads/storage.ts';
import { openTestS3 } from '../../support/s3.ts';
import { eventually } from '../../support/service.ts';
import { type Answer, MB, openUploads, type TestUploads, untilEnd } from '../../support/upload-client.ts';
import { readZip } from '../../support/zip.ts';

const defer = untilEnd();

/** A service on each kind of storage, and the operator beside it. */
interface Place {
  uploads: TestUploads;
  storage: Storage;
  moderator: Moderator;
}

async function openPlace(kind: string): Promise<Place> {
  const environment = kind === 's3' ? { UPLOAD_STORAGE_URL: (await openTestS3(defer)).url() } : {};
  const uploads = await openUploads(defer, { ...environment, UPLOAD_URL: 'https://files.example.org' });
  const url = environment.UPLOAD_STORAGE_URL ?? `file:${uploads.dataDir}/uploads`;
  const storage = await STORAGE_DRIVERS[kind === 's3' ? 's3:' : 'file:']!(url);
  return { uploads, storage, moderator: createModerator(storage, Date.now) };
}

describe.each(['disk', 's3'])('a collection on %s', (kind) => {
  let place: Place;
  beforeAll(async () => {
    place = await openPlace(kind);
  });
  afterAll(() => place.storage.close());

  const send = (path: string, headers = {}) => place.uploads.send({ path, headers });
  const post = (files: unknown, headers = {}): Promise<Answer> =>
    place.uploads.send({
      method: 'POST',
      path: '/c',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: Buffer.from(JSON.stringify({ files })),
    });
  async function collect(files: string[]): Promise<string> {
    return new URL((await post(files)).json().result.url).pathname;
  }
  const upload = (content: string | Buffer, name: string, query = '') =>
    place.uploads.upload(content, { name, path: `/upload${query}` });
  const namesIn = async (path: string) => [...readZip((await send(`${path}.zip`)).body).keys()];

  test('is one link for files that are named by any address, each once, in their order', async () => {
    const one = await upload('satu', 'satu.txt');
    const two = await upload('dua', 'dua.txt', '?expires=1h');
    const host = 'https://files.example.org';
    const answer = await post([
      two.id,
      `${host}${one.page}`,
      `${host}${one.file}?x=1`,
      one.deletion,
      `${host}/dl${two.page}`,
    ]);
    expect(answer.status).toBe(200);
    expect(answer.headers).toMatchObject({
      'ratelimit-policy': expect.any(String),
      'access-control-allow-origin': '*',
    });
    expect(answer.json()).toEqual({
      status: true,
      result: {
        url: expect.stringMatching(/^https:\/\/files\.example\.org\/c\/[0-9a-z]{33}$/u),
        expired: one.result.expired,
        expiredFmt: one.result.expiredFmt,
        files: [two, one].map(({ result }) => ({
          name: result.originalname,
          filesize: result.filesize,
          url: result.url,
          url_file: result.url_file,
        })),
      },
    });
    const { pathname } = new URL(answer.json().result.url);
    const page = await send(pathname, { Accept: 'text/html', 'Accept-Language': 'en' });
    expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(page.headers['cache-control']).toBe('private, no-cache');
    for (const text of ['2 files', 'satu.txt', 'dua.txt', `${pathname}.zip`, one.file])
      expect(page.text).toContain(text);
    for (const secret of [one.deletion, two.deletion])
      expect(page.text).not.toContain(secret.split('/').at(-1));
  });

  test('is a ZIP of known length, with names that differ on every system, byte by byte', async () => {
    const contents = [randomBytes(2 * MB + 7), randomBytes(3), Buffer.alloc(0), randomBytes(100_000)];
    const names = ['foto.jpg', 'FOTO.JPG', 'foto (2).jpg', '日本.png'];
    const files: string[] = [];
    for (const [index, name] of names.entries()) files.push((await upload(contents[index]!, name)).id);
    const path = await collect(files);
    const head = await place.uploads.send({ method: 'HEAD', path: `${path}.zip` });
    const { status, headers, body } = await send(`${path}.zip`);
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('application/zip');
    expect(headers['content-length']).toBe(String(body.length));
    expect(head.headers['content-length']).toBe(String(body.length));
    expect(headers['content-disposition']).toMatch(/^attachment; filename="?tayang-.+\.zip/u);
    const unpacked = readZip(body);
    expect([...unpacked.keys()]).toEqual(['foto.jpg', 'FOTO (2).JPG', 'foto (2) (2).jpg', '日本.png']);
    for (const [index, bytes] of [...unpacked.values()].entries())
      expect(bytes.equals(contents[index]!)).toBe(true);
  });

  test('is a ZIP whatever its files are called, with names that every system takes', async () => {
    const long = `${'a'.repeat(251)}.txt`;
    const files: string[] = [];
    for (const name of ['C:rahasia.txt', 'apa?', '...', long, long])
      files.push((await upload('isi', name)).id);
    const names = await namesIn(await collect(files));
    expect(names).toEqual(['C_rahasia.txt', 'apa_', 'file', long, `${'a'.repeat(247)} (2).txt`]);
  });

  test('loses a file at once when it is deleted, removed, blocked or over, and ends with the last one', async () => {
    const kept = await upload('tetap', 'tetap.txt');
    const deleted = await upload('hapus', 'hapus.txt');
    const removed = await upload('cabut', 'cabut.txt');
    const blocked = await upload('blokir', 'blokir.txt');
    const brief = await upload('sebentar', 'sebentar.txt', '?expires=1500ms');
    const path = await collect([deleted.id, removed.id, blocked.id, brief.id, kept.id]);
    expect(await namesIn(path)).toHaveLength(5);
    await place.uploads.send({ method: 'DELETE', path: deleted.deletion });
    expect(await namesIn(path)).not.toContain('hapus.txt');
    await place.moderator.remove(removed.id, { reason: 'operator', blocks: false });
    expect(await namesIn(path)).not.toContain('cabut.txt');
    const { description } = await place.moderator.show(blocked.id);
    await place.moderator.block([`sha256:${description?.sha256}`]);
    await eventually(
      () => namesIn(path),
      (names) => !names.includes('blokir.txt') && !names.includes('sebentar.txt'),
    );
    expect(await namesIn(path)).toEqual(['tetap.txt']);
    expect((await post([blocked.id])).status).toBe(403);
    expect((await post([removed.id])).status).toBe(410);
    expect((await post([brief.id])).status).toBe(410);
    const unknown = await post([kept.id, deleted.page]);
    expect(unknown.status).toBe(404);
    expect(unknown.json().message).toContain(deleted.page);
    await place.uploads.send({ method: 'DELETE', path: kept.deletion });
    for (const address of [path, `${path}.zip`]) expect((await send(address)).status).toBe(404);
  });

  test('is over from the very end of its last file, and then swept', async () => {
    const brief = await upload('sebentar', 'sebentar.txt', '?expires=1s');
    const path = await collect([brief.id]);
    expect((await send(path)).status).toBe(200);
    await eventually(
      () => send(path),
      ({ status }) => status === 410,
    );
    expect((await send(`${path}.zip`)).status).toBe(410);
  });

  test('can be reported, shown and removed by the operator, and its files stay', async () => {
    const { id, file } = await upload('halo', 'halo.txt');
    const path = await collect([id]);
    const collected = path.slice('/c/'.length);
    const form = await send(`/r/${collected}`, { Accept: 'text/html' });
    expect(form.text).toContain('halo.txt');
    const body = Buffer.from('{"reason":"spam"}');
    const headers = { 'Content-Type': 'application/json' };
    const report = { method: 'POST', path: `/r/${collected}`, headers, body };
    expect((await place.uploads.send(report)).status).toBe(202);
    const { collection, reports } = await place.moderator.show(collected);
    expect(collection).toMatchObject({ id: collected, files: [id] });
    expect(reports).toMatchObject([{ id: collected, reason: 'spam' }]);
    await expect(place.moderator.remove(collected, { reason: 'operator', blocks: true })).rejects.toThrow(
      /SHA-256/u,
    );
    await place.moderator.remove(collected, { reason: 'operator', blocks: false });
    expect((await send(path)).status).toBe(410);
    expect((await send(`${path}.zip`)).json().message).toMatch(/^this collection was removed/u);
    await place.moderator.remove(collected, { reason: 'legal', blocks: false });
    expect((await send(path)).status).toBe(451);
    expect((await send(file)).status).toBe(200);
  });

  test.each([
    ['{}', 400],
    ['{"files":"a"}', 400],
    ['{"files":[1]}', 400],
    ['{"files":[]}', 400],
    [JSON.stringify({ files: Array.from({ length: 101 }, (_, index) => `id${index}`) }), 400],
    ['[', 400],
    [' '.repeat(70_000), 413],
  ])('is refused for %.40s with %i', async (text, status) => {
    const headers = { 'Content-Type': 'application/json' };
    const answer = await place.uploads.send({ method: 'POST', path: '/c', headers, body: Buffer.from(text) });
    expect(answer.status).toBe(status);
    expect(answer.json()).toEqual({ status: false, message: expect.any(String) });
  });
});

test('the addresses of collections are for their own methods alone', async () => {
  const { uploads } = await openPlace('disk');
  expect((await uploads.send({ path: '/c' })).status).toBe(405);
  expect((await uploads.send({ path: '/c/entah' })).status).toBe(404);
  expect((await uploads.send({ path: '/c/entah.zip' })).status).toBe(404);
  const text = await uploads.send({ method: 'POST', path: '/c', body: Buffer.from('x') });
  expect(text.status).toBe(415);
});
