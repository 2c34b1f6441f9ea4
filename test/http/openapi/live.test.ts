import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { readConfig } from '../../../src/app/config.ts';
import { openChannelRoutes, openPushRoutes } from '../../../src/app/listing-server.ts';
import { createReceivedListing } from '../../../src/app/received-listing.ts';
import { createUploadId } from '../../../src/domain/upload-id.ts';
import { createListingApp } from '../../../src/http/listing/app.ts';
import type { ChannelRoutes } from '../../../src/http/listing/channels.ts';
import { createEventStream } from '../../../src/http/listing/event-stream.ts';
import type { PushRoutes, PushRoutesOptions } from '../../../src/http/listing/push.ts';
import { createLingering } from '../../../src/http/server/linger.ts';
import { openServer } from '../../../src/http/server.ts';
import type { ChannelOutcome } from '../../../src/outbox/channels/channels.ts';
import { type ApiDescription, type ApiResponse, resolve } from '../../../src/pages/api-description.ts';
import { openFakeClamd } from '../../support/clamd.ts';
import { openModerator } from '../../support/moderator.ts';
import { openNewsService } from '../../support/news.ts';
import { openSchemas, operationsOf } from '../../support/openapi.ts';
import { createBrowserKeys } from '../../support/push-service.ts';
import { reachResumeLimit } from '../../support/resumable.ts';
import { S3_KEY } from '../../support/s3.ts';
import { eventually, openTestService, readJson, temporaryFolder } from '../../support/service.ts';
import { untilEnd } from '../../support/until-end.ts';
import requests from './requests.json' with { type: 'json' };

/** Sends every documented request, and validates every response. */

/** `METHOD path`, the status, headers, and a body: text, or the fields of a form, of which files begin with `@`. */
type Row = [request: string, status: number, headers?: object, body?: string | Record<string, string>];

const defer = untilEnd();
const NOWHERE = { SOURCE_URLS: 'http://127.0.0.1:9', REFRESH_CRON: 'off' };
const JSON_HEADERS = { 'Content-Type': 'application/json' };
const TUS = { 'Tus-Resumable': '1.0.0' };
const OCTETS = 'application/offset+octet-stream';
const ENDPOINT = 'https://push.example/1';
const WEBHOOK = 'https://discord.com/api/webhooks/1/token';

let openApi: ApiDescription;
let compileSchema: ReturnType<typeof openSchemas>;
const seen = new Set<string>();
/** Where the requests of each name in the file go. */
const origins: Record<string, string> = {};
/** What stands for each `{name}` in them. */
const values: Record<string, string> = {
  /** An expired id, and one that is not. */
  gone: createUploadId(Date.UTC(2026, 0), Buffer.alloc(16)),
  id: createUploadId(Date.now() + 3_600_000, Buffer.alloc(16)),
  octets: OCTETS,
  large: 'x'.repeat(100_000),
  spaces: ' '.repeat(40_000),
  manySlugs: Array.from({ length: 51 }, (_, index) => `slug=anime-${index}`).join('&'),
  put: JSON.stringify({
    subscription: { endpoint: ENDPOINT, keys: createBrowserKeys().keys },
    slugs: ['a'],
  }),
  remove: JSON.stringify({ endpoint: ENDPOINT }),
  channel: JSON.stringify({ url: WEBHOOK, slugs: null, language: 'en' }),
  channelEnd: JSON.stringify({ url: WEBHOOK }),
};
const fill = (text: string) => text.replace(/\{([\w.]+)\}/gu, (_, name: string) => values[name]!);

beforeAll(async () => {
  const DATA_DIR = await temporaryFolder(defer);
  const service = await openTestService(defer, { TZ: 'UTC', DATA_DIR, UPLOAD_RATE_LIMIT: '1000' });
  await service.ready();
  openApi = await readJson(fetch(`${service.listing}/openapi.json`));
  compileSchema = openSchemas(openApi);
  const { listing, uploads } = service;
  const { listing: empty } = await openTestService(defer, NOWHERE);
  Object.assign(origins, { listing, empty, uploads, 'resumable uploads': uploads });

  const [made, removed, other] = [
    await uploadTo(uploads, 'naga'),
    await uploadTo(uploads, 'ular'),
    await uploadTo(uploads, 'kucing'),
  ];
  for (const [name, path] of Object.entries(removed)) values[`removed.${name}`] = path;
  Object.assign(values, made, { 'other.deletion': other.deletion, upload: await beginUpload(uploads) });
  const moderator = await openModerator(DATA_DIR, defer);
  values['blocked.page'] = (await uploadTo(uploads, 'ular')).page;
  values.collection = await collect(uploads, made.page);
  values['removed.collection'] = await collect(uploads, made.page);
  const legally = { reason: 'legal', blocks: false } as const;
  await moderator.remove(values['removed.collection'].slice('/c/'.length), legally);
  await moderator.remove(removed.page.slice(1), { ...legally, blocks: true });
  await eventually(
    () => fetch(`${uploads}/upload`, formOf({ file: '@ular' })),
    ({ status }) => status === 403,
  );
  // One may be sent after these.
  const report = { method: 'POST', body: new URLSearchParams({ reason: 'spam' }) };
  for (let count = 0; count < 9; count += 1) await fetch(`${uploads}/r${made.page}`, report);
});

/** Uploads a file; resolves with the paths of its addresses. */
async function uploadTo(origin: string, text: string) {
  const uploaded = await fetch(`${origin}/upload`, formOf({ file: `@${text}` }));
  const { result } = await readJson(uploaded.clone());
  const [page, file] = [new URL(result.url).pathname, new URL(result.url_file).pathname];
  return { page, file, deletion: new URL(uploaded.headers.get('x-delete-url') ?? '').pathname };
}

/** Makes a collection of one file; resolves with its path. */
async function collect(origin: string, page: string): Promise<string> {
  const init = { method: 'POST', headers: JSON_HEADERS, body: JSON.stringify({ files: [page] }) };
  const { result } = await readJson(fetch(`${origin}/c`, init));
  return new URL(result.url).pathname;
}

/** Begins a resumable upload of four bytes; resolves with its path. */
async function beginUpload(origin: string, length = 4): Promise<string> {
  const headers = { ...TUS, 'Upload-Length': String(length), 'Upload-Metadata': 'filename YS50eHQ=' };
  const created = await fetch(`${origin}/files`, { method: 'POST', headers });
  return new URL(created.headers.get('location') ?? '').pathname;
}

function formOf(fields: Record<string, string>): RequestInit {
  const body = new FormData();
  for (const [name, value] of Object.entries(fields)) {
    if (value.startsWith('@')) body.append(name, new Blob([value.slice(1)], { type: 'text/plain' }), 'a.txt');
    else body.append(name, value);
  }
  return { method: 'POST', body };
}

/** Sends a request, and expects a response with this status that the document describes. */
async function check(origin: string, path: string, status: number, init: RequestInit = {}): Promise<void> {
  const signal = AbortSignal.timeout(30_000);
  const response = await fetch(`${origin}${path}`, { signal, ...init });
  const place = placeOf(path);
  const method = (init.method ?? 'GET').toLowerCase();
  const name = `${method} ${place} ${response.status}`;
  expect(name).toBe(`${method} ${place} ${status}`);
  const described = openApi.paths[place]?.[method]?.responses[status];
  if (!described) return expect.fail(`${name} is not documented`);
  seen.add(name);
  const { headers = {}, content } = resolve<ApiResponse>(openApi, described);
  const documented = Object.keys(headers).map((header) => header.toLowerCase());
  const sent = [...response.headers.keys()].filter((header) => !OF_HTTP.has(header));
  expect(sent.toSorted(), name).toEqual(documented.toSorted());
  await checkBody(name, content, response);
}

/** The path in the document, which may have parameters. */
function placeOf(path: string): string {
  const { pathname } = new URL(path, 'http://x');
  const matches = (place: string) =>
    new RegExp(`^${place.replaceAll(/\{\w+\}/gu, '[^/]+')}$`, 'u').test(pathname);
  return pathname in openApi.paths ? pathname : (Object.keys(openApi.paths).find(matches) ?? pathname);
}

/** Headers that any HTTP response may have. */
const OF_HTTP = new Set([
  ...['date', 'connection', 'keep-alive', 'transfer-encoding', 'content-length', 'content-type'],
  ...['content-encoding', 'vary'],
]);

async function checkBody(name: string, content: ApiResponse['content'], response: Response): Promise<void> {
  const type = response.headers.get('content-type')?.split(';')[0] ?? '';
  if (!content) return expect(await response.text(), name).toBe('');
  const documented = content[type] ?? content['application/octet-stream'];
  if (!documented) return expect.fail(`${name}: ${type} is not documented`);
  if (type === 'text/event-stream') return response.body?.cancel();
  if (name.startsWith('head ')) return;
  const body = /[/+]json$/u.test(type) ? await response.json() : await response.text();
  const validate = compileSchema(documented.schema);
  validate(body);
  expect(validate.errors, name).toBeNull();
}

/** Asks for a document whole, as one that is known, in no encoding, and in another version. */
async function checkDocument(origin: string, path: string): Promise<void> {
  await check(origin, path, 200);
  await check(origin, path, 304, { headers: { 'If-None-Match': '*' } });
  await check(origin, path, 406, { headers: { 'Accept-Encoding': 'identity;q=0, *;q=0' } });
  await check(origin, path, 412, { headers: { 'If-Match': '"another"' } });
}

test('the addresses with a slug that was corrected lead to the new one as documented', async () => {
  const service = await openNewsService(onTestFinished);
  const [anime] = service.source.catalogue.anime;
  const { slug } = anime!;
  anime!.slug = 'judul-yang-benar-sub-indo';
  await service.refreshUntil(1);
  for (const path of ['/anime/', '/api/anime/', '/otakudesu/anime/'])
    await check(service.listing, path + slug, 308, { redirect: 'manual' });
  for (const name of ['episodes.atom', 'episodes.json', 'schedule.ics'])
    await check(service.listing, `/feeds/${name}?slug=${slug}`, 308, { redirect: 'manual' });
  // Its event is one of those that are described.
  await check(service.listing, '/api/anime/events', 200);
});

const ANIME = 'penjaga-di-kota-hujan-sub-indo';
const LISTING_DOCUMENTS = [
  ...['/', `/anime/${ANIME}`, `/api/anime/${ANIME}`, `/otakudesu/anime/${ANIME}`],
  ...['', '/upcoming', '/releases', '/schedule', '/home', '/events'].map((name) => `/api/anime${name}`),
  ...['episodes.atom', 'episodes.json', 'schedule.ics'].map((name) => `/feeds/${name}`),
  ...['home', 'ongoing', 'schedule'].map((name) => `/otakudesu/${name}`),
];

test.each([...LISTING_DOCUMENTS, '/api', '/openapi.json', '/docs'])(
  '%s is answered as documented',
  async (path) => {
    await checkDocument(origins.listing!, path);
    if (LISTING_DOCUMENTS.includes(path)) await check(origins.empty!, path, 503);
  },
);

test.each(['/openapi.json', '/docs?lang=en'])('%s leads from the uploads to the listing', async (path) => {
  const textAt = async (origin = '') => (await fetch(origin + path)).text();
  expect(await textAt(origins.uploads)).toBe(await textAt(origins.listing));
});

test("ShareX's configuration is answered as documented", () =>
  checkDocument(origins.uploads!, '/sharex.sxcu'));

const MOMENT = { threads: () => ({}), servesListing: true, isStopping: () => false, now: Date.now };

test.each(['jpg', 'webp'])('a cover is answered as documented (%s)', async (extension) => {
  const covers = new Map([['naga-0123456789abcdef', Date.now()]]);
  const view = { ...createReceivedListing(readConfig({}, '0.0.0')), ...MOMENT };
  const server = await openServer(
    { host: '127.0.0.1', port: 0 },
    createListingApp({
      view: { ...view, edition: () => ({ covers }) as never, siteReceived: Promise.resolve() },
      stream: createEventStream({ readStore: async () => true }),
      readStore: async () => true,
      readCover: async () => new Uint8Array(4),
      lingering: createLingering(),
      timeZone: 'Asia/Jakarta',
      report: () => {},
    }),
  );
  onTestFinished(() => server.close());
  await checkDocument(server.address, `/covers/naga-0123456789abcdef.${extension}`);
  await check(server.address, `/covers/naga-ffffffffffffffff.${extension}`, 404);
  await check(origins.empty!, `/covers/naga-0123456789abcdef.${extension}`, 503);
});

/** A listing with these routes alone. */
async function openRoutesOnly(routes: { push?: PushRoutes; channels?: ChannelRoutes }): Promise<string> {
  const view = { ...createReceivedListing(readConfig({}, '0.0.0')), ...MOMENT };
  const server = await openServer(
    { host: '127.0.0.1', port: 0 },
    createListingApp({
      view: { ...view, dependencies: () => ({}) as never, siteReceived: Promise.resolve() },
      stream: createEventStream({ readStore: async () => true }),
      readStore: async () => true,
      readCover: async () => null,
      lingering: createLingering(),
      ...routes,
      timeZone: 'Asia/Jakarta',
      report: () => {},
    }),
  );
  defer(() => server.close());
  return server.address;
}

describe('Web Push', () => {
  /** Its routes, of a service that never learns its key. */
  const openPushOnly = async (change: PushRoutesOptions['change']) =>
    openRoutesOnly({ push: await openPushRoutes(readConfig({}, '0.0.0'), { key: () => undefined, change }) });

  beforeAll(async () => {
    const environment = { ...NOWHERE, SERVE: 'listing,refresh', PUSH_CONTACT: 'https://tayang.example' };
    for (const name of ['pushing', 'pushing, after twenty changes']) {
      const { listing } = await openTestService(defer, environment);
      await eventually(
        () => fetch(`${listing}/push/key`),
        ({ status }) => status === 200,
      );
      origins[name] = listing;
    }
    const init = { method: 'DELETE', headers: JSON_HEADERS, body: values.remove! };
    for (let count = 0; count < 20; count += 1)
      await fetch(`${origins['pushing, after twenty changes']}/push/subscription`, init);
    origins['pushing, without an answer of the crawler'] = await openPushOnly(async () => undefined);
    origins['pushing, with a full store'] = await openPushOnly(async () => 'full');
  });

  testRequests((name) => name.startsWith('pushing'));
});

describe('Channels', () => {
  const openChannelsOnly = async (outcome: ChannelOutcome | undefined) => {
    const connections = { change: async () => outcome, titleOf: () => undefined };
    return openRoutesOnly({ channels: await openChannelRoutes(readConfig({}, '0.0.0'), connections) });
  };

  beforeAll(async () => {
    const outcomes: Record<string, ChannelOutcome | undefined> = {
      channels: { type: 'done' },
      'channels, after twenty changes': { type: 'done' },
      'channels, without an answer of the crawler': undefined,
      'channels, refused': { type: 'refused', reason: '404 Unknown Webhook' },
      'channels, unreachable': { type: 'unreachable', reason: 'it did not answer' },
      'channels, busy': { type: 'busy', retryAfterMs: 1_000 },
      'channels, full': { type: 'full' },
    };
    for (const [name, outcome] of Object.entries(outcomes)) origins[name] = await openChannelsOnly(outcome);
    const init = { method: 'DELETE', headers: JSON_HEADERS, body: values.channelEnd! };
    for (let count = 0; count < 20; count += 1)
      await fetch(`${origins['channels, after twenty changes']}/channels/subscription`, init);
  });

  testRequests((name) => name.startsWith('channels'));
});

describe('what is asked', () => {
  beforeAll(async () => {
    Object.assign(process.env, S3_KEY);
    const environments: Record<string, Record<string, string>> = {
      'uploads of at most 1 KB': { UPLOAD_MAX_SIZE: '1 KB' },
      'uploads with 1 KB for each address': { UPLOAD_ADDRESS_QUOTA: '1 KB' },
      'uploads after the last one in a minute': { UPLOAD_RATE_LIMIT: '1' },
      'uploads that need a token': { UPLOAD_TOKENS: 'kunci-rahasia-pertama' },
      'uploads that are scanned': {
        UPLOAD_SCANNER_URL: await openFakeClamd(defer, 'stream: Test FOUND\0', { atEnd: true }),
      },
      'uploads while their storage is down': {
        UPLOAD_STORAGE_URL: 's3://uploads?region=us-east-1&endpoint=http://127.0.0.1:9',
      },
    };
    for (const [name, environment] of Object.entries(environments))
      origins[name] = (await openTestService(defer, { ...NOWHERE, ...environment })).uploads;
    await uploadTo(origins['uploads after the last one in a minute']!, 'naga');
  });

  testRequests((name) => !/^(?:pushing|channels)/u.test(name));
});

/** Sends the requests of these names, one after the other. */
function testRequests(isAmong: (name: string) => boolean): void {
  const rows = Object.entries(requests as unknown as Record<string, Row[]>)
    .filter(([name]) => isAmong(name))
    .flatMap(([name, ofName]) =>
      ofName.map(([request, status, headers = {}, body]) => ({ name, request, status, headers, body })),
    );

  test.each(rows)('$name: $request is answered with $status as documented', async (row) => {
    const { name, request, status, headers, body } = row;
    const [method = '', path = ''] = fill(request).split(' ');
    const sent = { ...(path.startsWith('/files') && TUS), ...JSON.parse(fill(JSON.stringify(headers))) };
    const form = typeof body === 'object' ? formOf(JSON.parse(fill(JSON.stringify(body)))) : {};
    const text = typeof body === 'string' ? { body: fill(body) } : {};
    await check(origins[name]!, path, status, { ...text, ...form, method, headers: sent });
  });
}

test('a download above the limit is refused as documented', async () => {
  const { file, page } = await uploadTo(origins.uploads!, 'x'.repeat(12 * 1024 ** 2));
  const collection = await collect(origins.uploads!, page);
  const unread = await Promise.all(Array.from({ length: 64 }, () => fetch(`${origins.uploads}${file}`)));
  await check(origins.uploads!, file, 429);
  await check(origins.uploads!, `${collection}.zip`, 429);
  for (const { body } of unread) await body?.cancel();
});

describe('resumable uploads', () => {
  const patch = (body: string | ReadableStream, offset = '0'): RequestInit => ({
    ...{ method: 'PATCH', body, duplex: 'half' },
    headers: { ...TUS, 'Content-Type': OCTETS, 'Upload-Offset': offset },
  });

  test('are refused when an address asks too often, as documented', async () => {
    const { uploads } = await openTestService(defer, NOWHERE);
    const path = await beginUpload(uploads);
    await reachResumeLimit(onTestFinished, { origin: uploads, path, headers: TUS });
    for (const method of ['HEAD', 'GET', 'DELETE']) await check(uploads, path, 429, { method });
  });

  test('are refused above the limit, and stopped when they are removed, as documented', async () => {
    const { uploads } = await openTestService(defer, { ...NOWHERE, UPLOAD_CONCURRENCY: '1' });
    const path = await beginUpload(uploads);
    const endless = new ReadableStream({ start: (controller) => controller.enqueue(Buffer.from('n')) });
    const stopped = check(uploads, path, 423, patch(endless));
    await expect.poll(() => fetch(`${uploads}${path}`, patch('x', '9'))).toMatchObject({ status: 429 });
    await check(uploads, path, 429, patch('naga'));
    await check(uploads, path, 204, { method: 'DELETE', headers: TUS });
    await stopped;
  });

  test('do not name an offset that still changes, as documented', async () => {
    const { uploads } = await openTestService(defer, NOWHERE);
    const path = await beginUpload(uploads, 10_000);
    const begun = Promise.withResolvers<void>();
    const steady = new ReadableStream({
      async pull(controller) {
        await sleep(20);
        controller.enqueue(Buffer.from('n'));
        begun.resolve();
      },
    });
    const stopped = check(uploads, path, 423, patch(steady));
    await begun.promise;
    await check(uploads, path, 423, { method: 'HEAD', headers: TUS });
    await check(uploads, path, 204, { method: 'DELETE', headers: TUS });
    await stopped;
  });
});

test('every documented response was sent, except those that need 20,000 clients or a full disk', () => {
  const documented = operationsOf(openApi).flatMap(({ name, operation }) =>
    Object.keys(operation.responses).map((status) => `${name} ${status}`),
  );
  expect(documented.filter((name) => !seen.has(name))).toEqual([
    'get /api/anime/events/stream 503',
    'post /c 507',
    'patch /files/{secret} 507',
  ]);
});
