import { expect, onTestFinished, test } from 'vitest';
import type { Defer } from '../support/defer.ts';
import { scrape } from '../support/metrics.ts';
import { eventually, openTestService, readJson } from '../support/service.ts';
import { openOnce } from '../support/until-end.ts';
import { send, upload } from '../support/upload-client.ts';
import { openReceiver } from '../support/webhook-receiver.ts';

/** The whole service, whose crawler sends what a crawl has found. */
async function openService(defer: Defer, answer = () => 204, open = openTestService) {
  const hook = await openReceiver(defer);
  hook.answer = answer;
  const service = await open(defer, {
    REFRESH_CRON: '* * * * * *',
    METRICS_PORT: '0',
    WEBHOOK_URLS: `${hook.url}/secret`,
    WEBHOOK_PRIVATE: 'on',
  });
  await service.ready();
  const webhooks = async () => (await readJson(fetch(`${service.address}/readyz`))).webhooks;
  await eventually(webhooks, ([state]) => state.state !== 'standby');
  service.source.catalogue.anime[0]!.episode += 1;
  await eventually(async () => hook.received.length, Boolean);
  return { ...service, hook, webhooks };
}

const well = openOnce(openService);

test('a new episode reaches the receiver exactly as the API returns it', async () => {
  const { hook, address, operations, webhooks, failures } = well;
  const { data } = await eventually(
    () => readJson(fetch(`${address}/api/anime/events`)),
    ({ data }) => data.last === 1,
  );
  expect(hook.received.map(({ path, body }) => [path, body.type])).toEqual([
    ['/hook/secret', 'anime.new-episode'],
  ]);
  expect(hook.received[0]?.body.data).toEqual(data.events[0]);
  expect(await eventually(webhooks, ([state]) => state.pending === 0)).toEqual([
    {
      receiver: new URL(hook.url).origin,
      state: 'ok',
      since: null,
      reason: null,
      pending: 0,
      dropped: 0,
      nextAttempt: null,
    },
  ]);
  const { sample } = await scrape(operations);
  expect(sample('tayang_webhook_messages_total', { outcome: 'delivered' })).toBe(1);
  expect(sample('tayang_webhook_pending')).toBe(0);
  expect(failures).toEqual([]);
});

test('a receiver that fails is shown without its secrets', async () => {
  const { address, operations, webhooks } = await openService(onTestFinished, () => 500);
  const [state] = await eventually(webhooks, ([one]) => one.state === 'failing');
  expect(state).toMatchObject({ reason: 'it answered 500', pending: 1 });
  expect(Date.parse(state.nextAttempt)).toBeGreaterThan(Date.parse(state.since));
  expect(JSON.stringify(state)).not.toContain('secret');
  expect((await fetch(`${address}/readyz`)).status).toBe(200);
  const { sample } = await scrape(operations);
  expect(sample('tayang_webhook_pending')).toBe(1);
  expect(sample('tayang_webhook_failing_seconds')).toBeGreaterThan(0);
});

test('the operator gets the first report of a file, and no further ones', async () => {
  const { hook, uploads } = well;
  const { id } = await upload(uploads);
  const headers = { 'Content-Type': 'application/json' };
  for (const reason of ['malware', 'spam']) {
    const body = Buffer.from(JSON.stringify({ reason, note: 'look' }));
    await send(uploads, { method: 'POST', path: `/r/${id}`, headers, body });
  }
  const { id: last } = await upload(uploads);
  await send(uploads, {
    method: 'POST',
    path: `/r/${last}`,
    headers,
    body: Buffer.from('{"reason":"other"}'),
  });
  const reports = () =>
    hook.received.map(({ body }) => body).filter(({ type }) => type === 'upload.reported');
  await expect.poll(() => reports().length).toBe(2);
  expect(reports().map(({ data }) => data)).toEqual([
    { id, reason: 'malware', note: 'look', link: expect.stringContaining(`/${id}`) },
    { id: last, reason: 'other', note: '', link: expect.stringContaining(`/${last}`) },
  ]);
});
