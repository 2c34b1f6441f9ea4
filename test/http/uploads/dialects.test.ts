import { createHash } from 'node:crypto';
import { describe, expect, onTestFinished, test } from 'vitest';
import { expiryOf, parseUploadId } from '../../../src/domain/upload-id.ts';
import { openModerator } from '../../support/moderator.ts';
import {
  type Answer,
  KB,
  MULTIPART,
  multipart,
  openOnce,
  openUploads,
  part,
  send,
} from '../../support/upload-client.ts';
import { UPLOAD_CLIENTS, type UploadClient } from '../../support/upload-clients.ts';
import { DIALECTS, type Dialect, neko, tmpfiles, uguu } from '../../support/upload-ways.ts';
import LIFETIMES from './lifetimes.json' with { type: 'json' };

const PUBLIC = 'https://files.example.org';
const HOUR_MS = 3_600_000;

const uploads = openOnce((defer) => openUploads(defer, { UPLOAD_URL: PUBLIC, UPLOAD_MAX_SIZE: '1 MB' }));

const SPOKEN: [string, Dialect][] = [
  ...Object.entries(DIALECTS),
  ['uguu at /upload', { ...uguu, path: '/upload' }],
];

const fileOf = (field: string, content = 'isi berkas', name = 'foto saya.png') => ({
  field,
  name,
  content,
  type: 'image/png',
});

function ask(
  { path, fields = {}, field }: Dialect,
  {
    origin = uploads.origin,
    files = [fileOf(field)],
    client = UPLOAD_CLIENTS['a client without headers']!,
  }: { origin?: string; files?: ReturnType<typeof fileOf>[]; client?: UploadClient } = {},
): Promise<Answer> {
  const { headers, body } = client(fields, files);
  return send(origin, { method: 'POST', path, headers, body });
}

const pathOf = (url: string) => new URL(url).pathname;
/** The lifetime of the file at an address, as its id says, in hours. */
const hoursOf = (url: string) =>
  Math.round((expiryOf(parseUploadId(/[0-9a-z]{33,34}/u.exec(url)![0])!) - Date.now()) / HOUR_MS);

describe.each(SPOKEN)('%s', (_name, spoken) => {
  test.each(Object.entries(UPLOAD_CLIENTS))('takes a file from %s', async (_client, client) => {
    const answer = await ask(spoken, { client });
    expect(answer.status, answer.text).toBe(200);
    const url = spoken.urlOf(answer);
    const isText = url === answer.text;
    expect(answer.headers['content-type']).toBe(
      `${isText ? 'text/plain' : 'application/json'}; charset=utf-8`,
    );
    expect(url).toMatch(/^https:\/\/files\.example\.org\/(?:f\/[0-9a-z]+\.png|dl\/[0-9a-z]+)$/u);
    const stored = await uploads.send({ path: pathOf(url) });
    expect([stored.status, stored.text, stored.headers['content-disposition']]).toEqual([
      200,
      'isi berkas',
      expect.stringContaining('foto saya.png'),
    ]);
    expect(answer.headers).toMatchObject({
      'access-control-allow-origin': '*',
      'x-delete-url': expect.stringMatching(/^https:\/\/files\.example\.org\/d\//u),
      ratelimit: expect.any(String),
    });
  });
});

describe.each(Object.entries(DIALECTS))('%s', (_name, { path, messageOf }) => {
  test('answers 405 to GET, and 204 to OPTIONS', async () => {
    const plain = path.replace(/\?.*/u, '');
    const options = await uploads.send({ method: 'OPTIONS', path });
    const own = await uploads.send({ method: 'OPTIONS', path: '/upload' });
    const allow = plain === '/' ? 'GET, HEAD, POST, PUT, OPTIONS' : 'POST, PUT, OPTIONS';
    expect([options.status, options.headers.allow]).toEqual([204, allow]);
    for (const header of ['origin', 'methods', 'headers', 'max-age'].map(
      (name) => `access-control-allow-${name}`,
    ))
      expect(options.headers[header]).toBe(own.headers[header]);
    if (plain === '/') return;
    const answer = await uploads.send({ path });
    expect([answer.status, messageOf(answer)]).toEqual([405, expect.any(String)]);
    expect(answer.headers.allow).toBe(allow);
    const page = await uploads.send({ path, headers: { Accept: 'text/html' } });
    expect([page.status, page.headers['content-type']]).toEqual([405, 'text/html; charset=utf-8']);
  });
});

async function expectNothingAdded(act: () => Promise<unknown>): Promise<void> {
  const before = (await uploads.kept()).length;
  await act();
  await expect.poll(uploads.kept).toHaveLength(before);
  await expect.poll(uploads.held).toHaveLength(0);
}

test('/upload speaks two dialects, of which the field decides', async () => {
  const own = await ask({ ...neko, path: '/upload' });
  expect(own.json()).toMatchObject({ status: true });
  const mixed = [fileOf('files[]'), fileOf('file')];
  const answer = await ask({ ...uguu, path: '/upload' }, { files: mixed });
  expect([answer.status, uguu.messageOf(answer)]).toEqual([400, expect.stringContaining('files[]')]);
  const reversed = await ask({ ...uguu, path: '/upload' }, { files: mixed.toReversed() });
  expect([reversed.status, neko.messageOf(reversed)]).toEqual([400, expect.stringContaining('"file"')]);
  expect((await ask({ ...uguu, field: 'file' })).status).toBe(400);
  expect((await ask({ ...neko, field: 'files[]' })).status).toBe(400);
});

test('the requests of all dialects count together', async () => {
  const { origin } = await openUploads(onTestFinished, { UPLOAD_RATE_LIMIT: String(SPOKEN.length) });
  for (const [index, [, spoken]] of SPOKEN.entries())
    expect((await ask(spoken, { origin })).headers.ratelimit).toContain(`r=${SPOKEN.length - index - 1};`);
});

describe('several files for uguu', () => {
  const named = (count: number) =>
    Array.from({ length: count }, (_, i) => fileOf('files[]', `isi ${i}`, `${i}.png`));

  test.each([1, 8])('%i are stored, in order, and count once', async (count) => {
    const { origin, send } = await openUploads(onTestFinished, { UPLOAD_RATE_LIMIT: '5' });
    const files = named(count);
    // The longest is in the middle of others that arrive with it.
    if (count === 8) files[3]!.content = 'x'.repeat(700 * KB);
    const answer = await ask(uguu, { origin, files });
    expect(answer.status, answer.text).toBe(200);
    expect(answer.headers.ratelimit).toMatch(/r=4;/u);
    const listed = answer.json().files;
    const urls = listed.map(({ url }: { url: string }) => url);
    expect(listed).toEqual(
      files.map(({ name, content }, i) => ({
        hash: createHash('sha256').update(content).digest('hex'),
        filename: name,
        url: urls[i],
        size: content.length,
        dupe: false,
      })),
    );
    for (const [i, { content }] of files.entries())
      expect((await send({ path: pathOf(urls[i]) })).text).toBe(content);
    const deletions = String(answer.headers['x-delete-url']).split(', ');
    expect(deletions).toHaveLength(count);
    for (const url of deletions)
      expect((await send({ method: 'DELETE', path: pathOf(url) })).status).toBe(204);
  });

  test('as text are an address each line', async () => {
    const { text } = await ask({ ...uguu, path: '/upload.php?output=text' }, { files: named(3) });
    expect(text).toMatch(/^(?:https:\/\/files\.example\.org\/f\/\w+\.png\n){2}https:\S+$/u);
  });

  test.each([
    ['nine', 400, named(9), /too many files/u],
    ['too large together', 413, named(3).map((file) => ({ ...file, content: 'x'.repeat(400 * KB) })), /./u],
  ] as const)('are refused, and none is kept, when they are %s', async (_what, status, files, message) => {
    await expectNothingAdded(async () => {
      const answer = await ask(uguu, { files: [...files] });
      expect([answer.status, uguu.messageOf(answer)]).toEqual([status, expect.stringMatching(message)]);
    });
  });

  test('are all removed when the last one is refused after the others were published', async () => {
    const service = await openUploads(onTestFinished);
    const bad = fileOf('files[]', 'buruk');
    const moderator = await openModerator(service.dataDir, onTestFinished);
    await moderator.block([`sha256:${createHash('sha256').update(bad.content).digest('hex')}`]);
    const send = (files: (typeof bad)[]) => ask(uguu, { origin: service.origin, files });
    await expect.poll(() => send([bad])).toMatchObject({ status: 403 });
    const before = await service.kept();
    const answer = await send([...named(3), bad]);
    expect([answer.status, uguu.messageOf(answer)]).toEqual([403, expect.any(String)]);
    expect(await service.kept()).toEqual(before);
  });
});

test.each(LIFETIMES as unknown as [string, Record<string, string>, number][])(
  'a lifetime for %s by %o: %i, in hours or as a status',
  async (name, fields, expected) => {
    const spoken = { ...Object.fromEntries(SPOKEN)[name]!, fields };
    if (expected < 400) return expect(hoursOf(spoken.urlOf(await ask(spoken)))).toBe(expected);
    await expectNothingAdded(async () => {
      const answer = await ask(spoken);
      expect(answer.status).toBe(400);
      expect(spoken.messageOf(answer)).toMatch(/(?:time|reqtype|expires?) must/u);
    });
  },
);

test('uguu refuses other outputs', async () => {
  const answer = await ask({ ...uguu, path: '/upload.php?output=csv' });
  expect([answer.status, uguu.messageOf(answer)]).toEqual([400, expect.stringContaining('json or text')]);
});

test('the text that FilePond sends beside a file, in the same field, is ignored', async () => {
  const body = multipart(
    part('form-data; name="file"', '{}'),
    part('form-data; name="file"; filename="a.txt"', 'isi', ['Content-Type: text/plain']),
  );
  const headers = { 'Content-Type': MULTIPART };
  const answer = await uploads.send({ method: 'POST', path: '/api/v1/upload', headers, body });
  expect((await uploads.send({ path: pathOf(tmpfiles.urlOf(answer)) })).text).toBe('isi');
});

test('/dl/ has the bytes of any file, as /f/ has them, and its page is where tmpfiles says', async () => {
  const answer = await ask(tmpfiles);
  const bytes = await uploads.send({
    path: pathOf(tmpfiles.urlOf(answer)),
    headers: { Range: 'bytes=0-2' },
  });
  expect([bytes.status, bytes.text, bytes.headers['content-range']]).toEqual([206, 'isi', 'bytes 0-2/10']);
  expect(bytes.headers['content-security-policy']).toContain('sandbox');
  const page = await uploads.send({ path: pathOf(answer.json().data.url) });
  expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
  for (const name of ['x', `${'1'.repeat(34)}.png`])
    expect((await uploads.send({ path: `/dl/${name}` })).status).toBeGreaterThanOrEqual(404);
});
