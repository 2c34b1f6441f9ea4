import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { readConfig } from '../../../src/app/config.ts';
import { openPushRoutes } from '../../../src/app/open-push-routes.ts';
import { createReceivedListing } from '../../../src/app/received-listing.ts';
import { createUploadId } from '../../../src/domain/upload.ts';
import { createListingApp } from '../../../src/http/listing/app.ts';
import { createEventStream } from '../../../src/http/listing/event-stream.ts';
import type { PushRoutesOptions } from '../../../src/http/listing/push.ts';
import { openServer } from '../../../src/http/server.ts';
import { type ApiDescription, type ApiResponse, resolve } from '../../../src/pages/api-description.ts';
import { openFakeClamd } from '../../support/clamd.ts';
import type { Defer } from '../../support/defer.ts';
import { openModerator } from '../../support/moderator.ts';
import { openSchemas, operationsOf } from '../../support/openapi.ts';
import { createBrowserKeys } from '../../support/push-service.ts';
import { reachResumeLimit } from '../../support/resumable.ts';
import { useS3Key } from '../../support/s3.ts';
import { openTestService, readJson, temporaryFolder } from '../../support/service.ts';
import { untilEnd } from '../../support/until-end.ts';

/** Sends every documented request, and validates every response. */

const defer = untilEnd();
const NOWHERE = { SOURCE_URLS: 'http://127.0.0.1:9', REFRESH_CRON: 'off' };
const TIGHT = {
  UPLOAD_MAX_SIZE: '1 KB',
  UPLOAD_QUOTA: '2 KB',
  UPLOAD_ADDRESS_QUOTA: '100 B',
  UPLOAD_RATE_LIMIT: '1',
};

interface Case {
  path: string;
  init?: RequestInit;
  /** The path in the document, when it has parameters. */
  template?: string;
  status: number;
}

/** An expired id. */
const GONE = createUploadId(Date.UTC(2026, 0), Buffer.alloc(16));

let openApi: ApiDescription;
let compileSchema: ReturnType<typeof openSchemas>;
const origins: Record<string, string> = {};
const seen = new Set<string>();
/** The addresses of an upload: its page, its file and its deletion. */
const made = { page: '', file: '', deletion: '', other: '' };
/** The same of a file that was removed for legal reasons. */
const removed = { page: '', file: '', deletion: '' };

beforeAll(async () => {
  const DATA_DIR = await temporaryFolder(defer);
  const service = await openTestService(defer, { TZ: 'UTC', DATA_DIR });
  await service.ready();
  const empty = await openTestService(defer, NOWHERE);
  const tight = await openTestService(defer, { ...NOWHERE, ...TIGHT });
  Object.assign(origins, {
    listing: service.address,
    uploads: service.uploads,
    empty: empty.address,
    tight: tight.uploads,
  });
  openApi = await readJson(fetch(`${service.address}/openapi.json`));
  compileSchema = openSchemas(openApi);
  Object.assign(made, await uploadTo(service.uploads, 'naga'));
  Object.assign(removed, await uploadTo(service.uploads, 'ular'));
  const moderator = await openModerator(DATA_DIR, defer);
  await moderator.remove(removed.page.slice(1), { reason: 'legal', blocks: true });
  const other = await fetch(`${service.uploads}/upload`, form('kucing'));
  made.other = new URL(other.headers.get('x-delete-url') ?? '').pathname;
});

/** Uploads a file; resolves with the paths of its addresses. */
async function uploadTo(origin: string, text: string) {
  const uploaded = await fetch(`${origin}/upload`, form(text));
  const { result } = await readJson(uploaded.clone());
  const [page, file] = [new URL(result.url).pathname, new URL(result.url_file).pathname];
  return { page, file, deletion: new URL(uploaded.headers.get('x-delete-url') ?? '').pathname };
}

function form(text: string, field = 'file'): RequestInit {
  const body = new FormData();
  body.append(field, new Blob([text], { type: 'text/plain' }), 'a.txt');
  return { method: 'POST', body };
}

/** Sends requests one after the other to one of the origins, or to another one, and expects documented responses. */
async function check(origin: string, ...cases: Case[]): Promise<void> {
  for (const one of cases) expect(await faultsOf(origins[origin] ?? origin, one)).toEqual([]);
}

/** Asks for a document whole, as one that is known, in no encoding, and in another version. */
const checkDocument = (origin: string, document: Omit<Case, 'status'>) =>
  check(
    origin,
    { ...document, status: 200 },
    { ...document, init: { headers: { 'if-none-match': '*' } }, status: 304 },
    { ...document, init: { headers: { 'accept-encoding': 'identity;q=0, *;q=0' } }, status: 406 },
    { ...document, init: { headers: { 'if-match': '"another"' } }, status: 412 },
  );

/** Sends a request; returns every difference between the response and the document. */
async function faultsOf(origin: string, { path, init = {}, template, status }: Case): Promise<string[]> {
  const signal = AbortSignal.timeout(5_000);
  const response = await fetch(`${origin}${path}`, { signal, ...init });
  const place = template ?? new URL(path, 'http://x').pathname;
  const method = (init.method ?? 'GET').toLowerCase();
  const described = openApi.paths[place]?.[method]?.responses[response.status];
  const answer = described && resolve<ApiResponse>(openApi, described);
  const name = `${method} ${place} ${response.status}`;
  expect(`${name}`).toBe(`${method} ${place} ${status}`);
  if (!answer) return [`${name} is not documented`];
  seen.add(name);
  const documented = new Set(Object.keys(answer.headers ?? {}).map((header) => header.toLowerCase()));
  const faults = [...response.headers.keys()]
    .filter((header) => !documented.has(header) && !OF_HTTP.has(header))
    .map((header) => `${name}: ${header} is not documented`);
  const missing = [...documented].filter((header) => !response.headers.has(header));
  faults.push(...missing.map((header) => `${name}: ${header} is missing`));
  return [...faults, ...(await bodyFaults(name, answer.content, response))];
}

/** Headers that any HTTP response may have. */
const OF_HTTP = new Set([
  ...['date', 'connection', 'keep-alive', 'transfer-encoding', 'content-length', 'content-type'],
  ...['content-encoding', 'vary'],
]);

async function bodyFaults(name: string, content: ApiResponse['content'], response: Response) {
  const type = response.headers.get('content-type')?.split(';')[0] ?? '';
  if (!content) return type ? [`${name}: has a body`] : [];
  const documented = content[type] ?? content['*/*'];
  if (!documented) return [`${name}: ${type} is not documented`];
  if (type === 'text/event-stream') {
    await response.body?.cancel();
    return [];
  }
  if (name.startsWith('head ')) return [];
  const body = type === 'application/json' ? await response.json() : await response.text();
  const validate = compileSchema(documented.schema);
  return validate(body) ? [] : [`${name}: ${JSON.stringify(validate.errors)}`];
}

/** The routes of Web Push alone, of a service that never learns its key. */
async function openPushOnly(defer: Defer, change: PushRoutesOptions['change']): Promise<string> {
  const server = await openServer({ host: '127.0.0.1', port: 0 });
  defer(() => server.close(0));
  const { edition, ...received } = createReceivedListing();
  const view = { ...received, edition, threads: () => ({}), servesListing: true, now: Date.now };
  server.serve(
    createListingApp({
      view: { ...view, dependencies: () => ({}) as never },
      site: { siteDocuments: () => new Map(), siteReceived: Promise.resolve() },
      stream: createEventStream(),
      push: openPushRoutes(readConfig({}, '0.0.0'), { key: () => undefined, change }),
      timeZone: 'Asia/Jakarta',
      report: () => {},
    }),
  );
  return server.address;
}

const manySlugs = (count: number) =>
  Array.from({ length: count }, (_, index) => `slug=anime-${index}`).join('&');

const DOCUMENTS = [
  ...[
    '/api/anime',
    '/api/anime/upcoming',
    '/api/anime/releases',
    '/api/anime/schedule',
    '/api/anime/home',
    '/api/anime/events',
    '/',
    '/feeds/episodes.atom',
  ],
  ...['/feeds/episodes.json', '/feeds/schedule.ics'],
];

describe('the listing', () => {
  test.each([...DOCUMENTS, '/openapi.json', '/docs'])('answers %s as documented', async (path) => {
    await checkDocument('listing', { path });
    if (DOCUMENTS.includes(path)) await check('empty', { path, status: 503 });
  });

  test.each<Case>([
    { path: '/api/anime/home?page=2', status: 200 },
    { path: '/api/anime/home?page=x', status: 400 },
    { path: '/api/anime/home?page=999', status: 404 },
    { path: '/?lang=en', status: 200 },
    { path: '/api/anime/events?since=x', status: 400 },
    { path: '/api/anime/events/stream', status: 200 },
    { path: '/api/anime/events/stream?since=x', status: 400 },
    { path: `/feeds/schedule.ics?${manySlugs(51)}`, status: 400 },
    { path: '/feeds/episodes.atom?slug=a&slug=b', status: 400 },
    { path: '/feeds/episodes.atom?slug=entah', status: 404 },
    { path: '/feeds/schedule.ics?slug=entah', status: 404 },
    { path: '/healthz', status: 200 },
    { path: '/readyz', status: 200 },
  ])('answers $path with $status as documented', async (one) => {
    await check('listing', one);
  });

  test.each(['/api/anime/', '/anime/'])('answers for an anime at %s as documented', async (prefix) => {
    const template = `${prefix}{slug}`;
    const path = `${prefix}penjaga-di-kota-hujan-sub-indo`;
    await checkDocument('listing', { path, template });
    await check('listing', { path: `${prefix}entah`, template, status: 404 });
    await check('empty', { path, template, status: 503 });
  });

  test('takes subscriptions to Web Push as documented', async () => {
    const { listing: pushing } = await openTestService(defer, {
      ...NOWHERE,
      SERVE: 'listing,refresh',
      PUSH_CONTACT: 'https://tayang.example',
    });
    await expect.poll(() => fetch(`${pushing}/push/key`)).toMatchObject({ status: 200 });
    const busy = await openPushOnly(defer, async () => undefined);
    const full = await openPushOnly(defer, async () => 'full');
    const path = '/push/subscription';
    const type = { 'content-type': 'application/json' };
    const endpoint = 'https://push.example/1';
    const { keys } = createBrowserKeys();
    const bodies = { PUT: { subscription: { endpoint, keys }, slugs: ['a'] }, DELETE: { endpoint } };
    for (const [method, content] of Object.entries(bodies)) {
      const body = JSON.stringify(content);
      const init = { method, headers: type, body };
      const cases: [string, Case][] = [
        [pushing, { path, init, status: 204 }],
        [pushing, { path, init: { ...init, body: '{}' }, status: 400 }],
        [
          pushing,
          { path, init: { ...init, headers: { ...type, 'sec-fetch-site': 'cross-site' } }, status: 403 },
        ],
        ['listing', { path, init, status: 404 }],
        [pushing, { path, init: { ...init, body: body.padEnd(40_000) }, status: 413 }],
        [pushing, { path, init: { method, body }, status: 415 }],
        [busy, { path, init, status: 503 }],
      ];
      for (const [origin, one] of cases) await check(origin, one);
    }
    const put = { method: 'PUT', headers: type, body: JSON.stringify(bodies.PUT) };
    await check(full, { path, init: put, status: 507 });
    const init = { method: 'DELETE', headers: type, body: JSON.stringify(bodies.DELETE) };
    for (let count = 0; count < 18; count += 1) await fetch(pushing + path, init);
    await check(pushing, { path, init, status: 429 }, { path, init: put, status: 429 });
    await check(pushing, { path: '/push/key', status: 200 });
    await check('listing', { path: '/push/key', status: 404 });
    await check(busy, { path: '/push/key', status: 503 });
  });

  test('answers as documented before it is ready', async () => {
    await check('empty', { path: '/readyz', status: 503 });
  });
});

const TUS = { 'Tus-Resumable': '1.0.0' };
const create = (headers: Record<string, string> = {}, body: string | null = null): RequestInit => ({
  method: 'POST',
  body,
  headers: { ...TUS, 'Upload-Length': '4', 'Upload-Metadata': 'filename YS50eHQ=', ...headers },
});
const patch = (body: string | ReadableStream, headers: Record<string, string> = {}): RequestInit => ({
  method: 'PATCH',
  body,
  duplex: 'half',
  headers: {
    ...TUS,
    'Content-Type': 'application/offset+octet-stream',
    'Upload-Offset': '0',
    ...headers,
  },
});
const ask = (method: string) => ({ method, headers: TUS });

describe('the uploads', () => {
  test('accept a file as documented', async () => {
    await check('uploads', { path: '/upload?expires=1h', init: form('naga'), status: 200 });
    const text = { method: 'POST', body: 'naga' };
    await check('uploads', { path: '/upload', init: text, status: 415 });
    await check('uploads', { path: '/upload', init: form('naga', 'lain'), status: 400 });
  });

  test.each([
    [{ UPLOAD_MAX_SIZE: '1 KB' }, 413],
    [{ UPLOAD_ADDRESS_QUOTA: '1 KB' }, 507],
  ])('refuse a file that is too large as documented: %j', async (environment, status) => {
    const service = await openTestService(defer, { ...NOWHERE, ...environment });
    const init = form('x'.repeat(100_000));
    await check(service.uploads, { path: '/upload', init, status });
  });

  test('refuse a file with malware as documented', async () => {
    const UPLOAD_SCANNER_URL = await openFakeClamd(defer, 'stream: Test FOUND\0', { atEnd: true });
    const service = await openTestService(defer, { ...NOWHERE, UPLOAD_SCANNER_URL });
    await check(service.uploads, { path: '/upload', init: form('naga'), status: 422 });
  });

  test('refuse an upload above the limit as documented', async () => {
    await fetch(`${origins.tight}/upload`, form('naga'));
    await check('tight', { path: '/upload', init: form('naga'), status: 429 });
  });

  test('serve a file and its page as documented', async () => {
    const page = { template: '/{id}' };
    const file = { template: '/f/{name}' };
    const range = (value: string) => ({ headers: { range: value } });
    const gone = `/${GONE}`;
    await check(
      'uploads',
      { ...page, path: made.page, status: 200 },
      { ...page, path: '/tidak-ada', status: 404 },
      { ...page, path: gone, status: 410 },
      { ...file, path: made.file, status: 200 },
      { ...file, path: made.file, init: range('bytes=0-1'), status: 206 },
      { ...file, path: made.file, init: range('bytes=900-'), status: 416 },
      { ...file, path: made.file, init: { headers: { 'if-none-match': '*' } }, status: 304 },
      { ...file, path: made.file, init: { headers: { 'if-match': '"another"' } }, status: 412 },
      { ...file, path: '/f/tidak-ada', status: 404 },
      { ...file, path: `/f${gone}`, status: 410 },
    );
  });

  test('refuse blocked bytes as documented', async () => {
    await expect.poll(async () => (await fetch(`${origins.uploads}/upload`, form('ular'))).status).toBe(403);
    await check('uploads', { path: '/upload', init: form('ular'), status: 403 });
  });

  test('answer for a file that was removed for legal reasons as documented', async () => {
    await check(
      'uploads',
      { template: '/{id}', path: removed.page, status: 451 },
      { template: '/f/{name}', path: removed.file, status: 451 },
      { template: '/r/{id}', path: `/r${removed.page}`, status: 451 },
      { template: '/r/{id}', path: `/r${removed.page}`, init: { method: 'POST' }, status: 451 },
      ...['GET', 'POST', 'DELETE'].map((method) => {
        return { template: '/d/{id}/{key}', path: removed.deletion, init: { method }, status: 451 };
      }),
    );
  });

  test('take a report as documented', async () => {
    const template = '/r/{id}';
    const path = `/r${made.page}`;
    const post = (reason: string, type = 'application/x-www-form-urlencoded') => {
      return { method: 'POST', body: `reason=${reason}`, headers: { 'content-type': type } };
    };
    const cases: Case[] = [
      { path, status: 200 },
      { path: '/r/tidak-ada', status: 404 },
      { path: '/r/tidak-ada', init: post('spam'), status: 404 },
      { path: `/r/${GONE}`, status: 410 },
      { path: `/r/${GONE}`, init: post('spam'), status: 410 },
      { path, init: post('boring'), status: 400 },
      { path, init: post('x'.repeat(40_000)), status: 413 },
      { path, init: post('spam', 'text/plain'), status: 415 },
      ...Array.from({ length: 10 }, () => ({ path, init: post('spam'), status: 202 })),
      { path, init: post('spam'), status: 429 },
    ];
    await check('uploads', ...cases.map((one) => ({ template, ...one })));
  });

  test('refuse a download above the limit as documented', async () => {
    const uploaded = await readJson(fetch(`${origins.uploads}/upload`, form('x'.repeat(12 * 1024 ** 2))));
    const path = new URL(uploaded.result.url_file).pathname;
    const unread = await Promise.all(Array.from({ length: 64 }, () => fetch(`${origins.uploads}${path}`)));
    await check('uploads', { template: '/f/{name}', path, status: 429 });
    for (const { body } of unread) await body?.cancel();
  });

  test('delete a file as documented', async () => {
    const template = '/d/{id}/{key}';
    for (const method of ['GET', 'POST', 'DELETE']) {
      const path = `/d/${GONE}/x`;
      await check('uploads', { template, path, init: { method }, status: 410 });
      await check('uploads', { template, path: '/d/a/b', init: { method }, status: 404 });
    }
    await check('uploads', { template, path: made.deletion, status: 200 });
    const cases = [
      { path: made.deletion, init: { method: 'POST' }, status: 200 },
      { path: made.other, init: { method: 'DELETE' }, status: 204 },
    ];
    await check('uploads', ...cases.map((one) => ({ template, ...one })));
  });

  describe('that can be continued', () => {
    const template = '/files/{secret}';

    async function created(origin = origins.uploads): Promise<string> {
      const { headers } = await fetch(`${origin}/files`, create());
      return new URL(headers.get('location') ?? '').pathname;
    }

    /** A body that does not end. */
    function endless() {
      return new ReadableStream({ start: (controller) => controller.enqueue(Buffer.from('n')) });
    }

    test('begin as documented', async () => {
      for (const [headers, status, body = null] of [
        [{}, 201],
        [{ 'Upload-Length': 'naga' }, 400],
        [{ 'Tus-Resumable': '0.2' }, 412],
        [{ 'Upload-Length': '100000000000' }, 413],
        [{ 'Content-Type': 'text/plain' }, 415, 'naga'],
      ] as const)
        await check('uploads', { path: '/files', init: create(headers, body), status });
      const service = await openTestService(defer, { ...NOWHERE, UPLOAD_ADDRESS_QUOTA: '1 KB' });
      const large = create({ 'Upload-Length': '2000' });
      await check(service.uploads, { path: '/files', init: large, status: 507 });
      await fetch(`${origins.tight}/upload`, form('naga'));
      await check('tight', { path: '/files', init: create(), status: 429 });
    });

    test('go on, end and are removed as documented', async () => {
      const path = await created();
      const cases: Omit<Case, 'path'>[] = [
        { init: ask('HEAD'), status: 200 },
        { status: 409 },
        { init: patch('naga', { 'Upload-Offset': 'x' }), status: 400 },
        { init: patch('naga', { 'Upload-Offset': '3' }), status: 409 },
        { init: patch('naga', { 'Tus-Resumable': '' }), status: 412 },
        { init: patch('naga api'), status: 413 },
        { init: patch('naga', { 'Content-Type': 'text/plain' }), status: 415 },
        { init: patch('naga', { 'Upload-Checksum': `sha1 ${'A'.repeat(27)}=` }), status: 460 },
        { init: patch('naga'), status: 204 },
        { status: 200 },
        { init: { method: 'HEAD' }, status: 412 },
        { init: { method: 'DELETE' }, status: 412 },
        { init: ask('DELETE'), status: 204 },
      ];
      await check('uploads', ...cases.map((one) => ({ template, path, ...one })));
    });

    test('are refused when an address asks too often, as documented', async () => {
      const service = await openTestService(defer, NOWHERE);
      const path = await created(service.uploads);
      const askForOffset = () => fetch(`${service.uploads}${path}`, { method: 'HEAD', headers: TUS });
      await reachResumeLimit(onTestFinished, askForOffset);
      for (const method of ['HEAD', 'GET', 'DELETE'])
        await check(service.uploads, { template, path, init: { method }, status: 429 });
    }, 60_000);

    test('are refused above the limit, and stopped when they are removed, as documented', async () => {
      const service = await openTestService(defer, { ...NOWHERE, UPLOAD_CONCURRENCY: '1' });
      const path = await created(service.uploads);
      const unhurried = { ...patch(endless()), signal: AbortSignal.timeout(30_000) };
      const stopped = check(service.uploads, { template, path, init: unhurried, status: 423 });
      const second = () => fetch(`${service.uploads}${path}`, patch('x', { 'Upload-Offset': '9' }));
      await expect.poll(second).toMatchObject({ status: 429 });
      await check(service.uploads, { template, path, init: patch('naga'), status: 429 });
      await check(service.uploads, { template, path, init: ask('DELETE'), status: 204 });
      await stopped;
    });

    test('are missing or gone as documented', async () => {
      for (const init of [{}, ask('HEAD'), ask('DELETE'), patch('naga')]) {
        await check('uploads', { template, path: '/files/x', init, status: 404 });
        await check('uploads', { template, path: `/files/${GONE}`, init, status: 410 });
      }
    });
  });

  test('answer as documented while their storage is down', async () => {
    useS3Key();
    const UPLOAD_STORAGE_URL = 's3://uploads?region=us-east-1&endpoint=http://127.0.0.1:9';
    const service = await openTestService(defer, { ...NOWHERE, UPLOAD_STORAGE_URL });
    const id = createUploadId(Date.now() + 60_000, Buffer.alloc(16));
    const deletion = { template: '/d/{id}/{key}', path: `/d/${id}/x`, status: 503 };
    await check(
      service.uploads,
      { path: '/upload', init: form('naga'), status: 503 },
      { template: '/{id}', path: `/${id}`, status: 503 },
      { template: '/f/{name}', path: `/f/${id}`, status: 503 },
      { template: '/r/{id}', path: `/r/${id}`, status: 503 },
      { template: '/r/{id}', path: `/r/${id}`, init: { method: 'POST' }, status: 503 },
      ...['GET', 'POST', 'DELETE'].map((method) => ({ ...deletion, init: { method } })),
      { path: '/files', init: create(), status: 503 },
      ...[{}, ask('HEAD'), ask('DELETE'), patch('naga')].map((init) => {
        return { template: '/files/{secret}', path: `/files/${id}`, init, status: 503 };
      }),
    );
  });

  test('serve the ShareX configuration as documented', async () => {
    await checkDocument('uploads', { path: '/sharex.sxcu' });
  });
});

describe('the dialects', () => {
  test.each([
    ['/api/upload.php', 'file', {}],
    ['/upload.php', 'files[]', {}],
    ['/resources/internals/api.php', 'fileToUpload', { reqtype: 'fileupload', time: '1h' }],
    ['/api/v1/upload', 'file', { expire: '3600' }],
    ['/', 'file', { expires: '1' }],
  ])('accept and refuse a file at %s as documented', async (path, field, fields) => {
    const init = form('naga', field);
    for (const [name, value] of Object.entries(fields)) (init.body as FormData).append(name, value);
    await check('uploads', { path, init, status: 200 });
    await check('uploads', { path, init: form('naga', 'foto'), status: 400 });
  });

  test('send a file as documented', async () => {
    const template = '/dl/{id}';
    const { page } = await uploadTo(origins.uploads!, 'naga');
    await check('uploads', { template, path: `/dl${page}`, status: 200 });
    await check('uploads', { template, path: '/dl/entah', status: 404 });
  });

  test('show the listing as documented', async () => {
    const anime = {
      template: '/otakudesu/anime/{slug}',
      path: '/otakudesu/anime/penjaga-di-kota-hujan-sub-indo',
    };
    for (const place of [
      ...['home', 'ongoing', 'schedule'].map((name) => ({ path: `/otakudesu/${name}` })),
      anime,
    ]) {
      await checkDocument('listing', place);
      await check('empty', { ...place, status: 503 });
    }
    await check(
      'listing',
      { path: '/otakudesu/ongoing?page=x', status: 400 },
      { path: '/otakudesu/ongoing?page=999', status: 404 },
      { ...anime, path: '/otakudesu/anime/entah', status: 404 },
    );
  });
});

test('every documented response was sent, except those that need 20,000 clients or a full disk', () => {
  const documented = operationsOf(openApi).flatMap(({ name, operation }) =>
    Object.keys(operation.responses).map((status) => `${name} ${status}`),
  );
  expect(documented.filter((name) => !seen.has(name))).toEqual([
    'get /api/anime/events/stream 503',
    'patch /files/{secret} 507',
  ]);
});
