import { randomBytes } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { scrape } from '../support/metrics.ts';
import { openModerator } from '../support/moderator.ts';
import {
  eventually,
  openReadyService,
  openTestService,
  openThreadedService,
  readJson,
  temporaryFolder,
} from '../support/service.ts';
import { always } from '../support/source.ts';
import { openOnce } from '../support/until-end.ts';
import { filePart, KB, multipart, post, send, upload } from '../support/upload-client.ts';
import { WAYS } from '../support/upload-ways.ts';

const open = (environment: Record<string, string> = {}) =>
  openTestService(onTestFinished, { METRICS_PORT: '0', ...environment });
/** Counts in three threads, which are added up. */
const openInThreads = (environment: Record<string, string>) =>
  openThreadedService(onTestFinished, { METRICS_PORT: '0', ...environment });

const service = openOnce((defer) => openReadyService(defer, { METRICS_PORT: '0', HOST: '0.0.0.0' }));

test('requests are counted by origin, route, method and status, and never by unknown paths', async () => {
  const { sample: before } = await scrape(service.operations);
  const home = { origin: 'listing', route: '/api/anime/home' };
  const asked = before('tayang_requests_total', home) ?? 0;
  const etag = (await fetch(`${service.address}/api/anime/home`)).headers.get('etag') ?? '';
  for (const page of ['1', '2', '3']) await fetch(`${service.address}/api/anime/home?page=${page}`);
  await send(service.address, { path: '/api/anime/home', headers: { 'If-None-Match': etag } });
  await send(service.address, { path: '/api/anime/home', method: 'HEAD' });
  await fetch(`${service.address}/api/anime/home?page=99`);
  for (let index = 0; index < 5; index += 1) await fetch(`${service.address}/made-up/${index}`);
  await fetch(`${service.address}/made-up/x`, { method: 'PROPFIND' });

  const { sample, families } = await scrape(service.operations);
  const count = (labels: object) => sample('tayang_requests_total', { origin: 'listing', ...labels });
  expect(count({ ...home, method: 'GET', status: '200' })).toBe(asked + 4);
  expect(count({ ...home, method: 'GET', status: '304' })).toBe(1);
  expect(count({ ...home, method: 'HEAD', status: '200' })).toBe(1);
  expect(count({ ...home, method: 'GET', status: '404' })).toBe(1);
  expect(count({ route: 'none', method: 'GET', status: '404' })).toBe(5);
  expect(count({ route: 'none', method: 'other', status: '404' })).toBe(1);
  expect(sample('tayang_refusals_total', { origin: 'listing', reason: 'not-found' })).toBe(7);
  const routes = families.find(({ name }) => name === 'tayang_requests_total')?.metrics ?? [];
  expect(JSON.stringify(routes)).not.toContain('made-up');
});

test('uploads are counted with their bytes, and so are stored files and refusals', async () => {
  const service = await openInThreads({ REFRESH_CRON: 'off', UPLOAD_RATE_LIMIT: '3', UPLOAD_QUOTA: '1 MB' });
  const first = await upload(service.uploads, 'x'.repeat(1_000));
  await upload(service.uploads, 'x'.repeat(500));
  await post(service.uploads, multipart());
  await post(service.uploads, multipart(filePart()));
  await send(service.uploads, { path: first.file });
  await send(service.uploads, { path: first.deletion, method: 'DELETE' });
  await send(service.uploads, { path: '/files/x', method: 'PATCH' });

  const { sample } = await scrape(service.operations);
  const count = (labels: object) => sample('tayang_requests_total', { origin: 'uploads', ...labels });
  expect(count({ route: '/upload', method: 'POST', status: '200' })).toBe(2);
  expect(count({ route: '/upload', method: 'POST', status: '400' })).toBe(1);
  expect(count({ route: '/upload', method: 'POST', status: '429' })).toBe(1);
  expect(count({ route: '/f/:name', method: 'GET', status: '200' })).toBe(1);
  expect(count({ route: '/d/:id/:key', method: 'DELETE', status: '204' })).toBe(1);
  expect(count({ route: '/files/:secret', method: 'PATCH', status: '412' })).toBe(1);
  expect(sample('tayang_request_duration_seconds_count', { route: '/upload' })).toBe(4);
  expect(sample('tayang_refusals_total', { origin: 'uploads', reason: 'too-many-requests' })).toBe(1);
  expect(sample('tayang_uploads_total')).toBe(2);
  expect(sample('tayang_upload_bytes_total')).toBe(1_500);
  expect(sample('tayang_stored_bytes')).toBe(4_160);
  expect(sample('tayang_stored_files')).toBe(1);
  expect(sample('tayang_quota_bytes')).toBe(1024 ** 2);
  expect(sample('tayang_free_bytes')).toBeGreaterThan(0);
});

const SIZES = {
  UPLOAD_MAX_SIZE: '1 MB',
  UPLOAD_QUOTA: '1500 KB',
  UPLOAD_RATE_LIMIT: '1000',
  TRUST_PROXY: '1',
};

/** Uploads in every way more than fits, as this address; resolves with how often that was refused with 507. */
async function overfill(origin: string, address: string): Promise<number> {
  let refused = 0;
  for (const { upload: send } of Object.values(WAYS)) {
    const answer = await send(origin, randomBytes(700 * KB), { 'X-Forwarded-For': address });
    expect(answer.status, answer.text).toBe(507);
    refused += 1;
  }
  return refused;
}

test('a sender over its own share gets 507, which is no 5xx of the service', async () => {
  const service = await openInThreads({ SERVE: 'uploads', ...SIZES, UPLOAD_ADDRESS_QUOTA: '600 KB' });
  const refused = await overfill(service.uploads, '192.0.2.1');
  const { sample, families } = await scrape(service.operations);
  expect(sample('tayang_refusals_total', { origin: 'uploads', reason: 'share-full' })).toBe(refused);
  const counted = families.find(({ name }) => name === 'tayang_requests_total')?.metrics ?? [];
  expect(counted.filter(({ labels }) => /^5/u.test(labels?.status ?? ''))).toEqual([]);
  expect(sample('tayang_requests_total', { route: '/upload', status: 'share-full' })).toBeGreaterThan(0);
});

test('a full store is a 5xx of the service, whoever meets it', async () => {
  const service = await openInThreads({ SERVE: 'uploads', ...SIZES, UPLOAD_ADDRESS_QUOTA: '1 MB' });
  for (const address of ['192.0.2.1', '192.0.2.2'])
    await upload(service.uploads, randomBytes(700 * KB), { headers: { 'X-Forwarded-For': address } });
  const refused = await overfill(service.uploads, '192.0.2.3');
  const { sample } = await scrape(service.operations);
  expect(sample('tayang_refusals_total', { origin: 'uploads', reason: 'storage-full' })).toBe(refused);
  expect(sample('tayang_requests_total', { route: '/upload', status: '507' })).toBeGreaterThan(0);
});

test('reports of files and blocked uploads are counted', async () => {
  const DATA_DIR = await temporaryFolder(onTestFinished);
  const service = await open({ REFRESH_CRON: 'off', DATA_DIR });
  const { id } = await upload(service.uploads);
  const body = Buffer.from('{"reason":"spam"}');
  const headers = { 'Content-Type': 'application/json' };
  await send(service.uploads, { method: 'POST', path: `/r/${id}`, headers, body });
  await (await openModerator(DATA_DIR, onTestFinished)).block(['address:127.0.0.1/32']);
  await expect.poll(() => post(service.uploads, multipart(filePart()))).toMatchObject({ status: 403 });
  const { sample } = await scrape(service.operations);
  expect(sample('tayang_reports_total', { reason: 'spam' })).toBe(1);
  expect(sample('tayang_reports_total', { reason: 'illegal' })).toBe(0);
  expect(sample('tayang_refusals_total', { origin: 'uploads', reason: 'blocked' })).toBe(1);
});

test('the metrics of source and snapshot are right before the first crawl and after a failed one', async () => {
  const service = await open({ REFRESH_CRON: '* * * * * *' });
  await service.ready();
  const { sample, contentType } = await scrape(service.operations);
  expect(contentType).toMatch(/^text\/plain; version=0\.0\.4/u);
  expect(sample('tayang_source_state', { state: 'ok' })).toBe(1);
  expect(sample('tayang_source_state', { state: 'blocked' })).toBe(0);
  expect(sample('tayang_snapshot_age_seconds')).toBeLessThan(600);
  expect(sample('tayang_entries', { list: 'ongoing' })).toBe(service.source.catalogue.anime.length);
  expect(sample('tayang_entries', { list: 'scheduled' })).toBeGreaterThan(0);
  expect(sample('tayang_refreshes_total', { outcome: 'ok' })).toBeGreaterThan(0);
  expect(sample('nodejs_eventloop_lag_p99_seconds')).toBeGreaterThan(0);

  service.source.fault = always(403);
  const after = await eventually(
    () => scrape(service.operations),
    (now) => now.sample('tayang_source_state', { state: 'blocked' }) === 1,
  );
  expect(after.sample('tayang_source_state', { state: 'ok' })).toBe(0);
  expect(after.sample('tayang_refreshes_total', { outcome: 'blocked' })).toBeGreaterThan(0);
});

test('the age of the snapshot is infinite when there is none, and METRICS_HOST is where they are', async () => {
  const service = await open({ REFRESH_CRON: 'off', METRICS_HOST: '127.0.0.2' });
  expect(service.operations).toContain('//127.0.0.2:');
  const { sample } = await scrape(service.operations);
  expect(sample('tayang_snapshot_age_seconds')).toBe(Infinity);
  expect(sample('tayang_source_state', { state: 'ok' })).toBe(0);
  expect((await fetch(`${service.operations}/readyz`)).status).toBe(503);
});

test('health is on the same port, and metrics are not on public ports', async () => {
  expect(await readJson(fetch(`${service.operations}/healthz`))).toEqual({ status: true });
  expect(await readJson(fetch(`${service.operations}/readyz`))).toMatchObject({ source: { state: 'ok' } });
  expect((await fetch(`${service.operations}/api/anime/home`)).status).toBe(404);
  for (const origin of [service.address, service.uploads])
    expect((await fetch(`${origin}/metrics`)).status).toBe(404);
});

test('there are no metrics without METRICS_PORT', async () => {
  const service = await openTestService(onTestFinished, { REFRESH_CRON: 'off' });
  expect(service.operations).toBeNull();
});

test('the metrics port binds loopback by default, whatever HOST is', () => {
  expect(service.listing).toContain('//0.0.0.0:');
  expect(service.operations).toContain('//127.0.0.1:');
});
