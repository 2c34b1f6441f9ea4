import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { readStates } from '../support/outbox.ts';
import { openTestPushSender } from '../support/push-sender.ts';
import { openPushService, type TestPushService } from '../support/push-service.ts';
import { eventually, runCommand, startServe, temporaryFolder } from '../support/service.ts';
import { openTestSource } from '../support/source.ts';

const defer = onTestFinished;
let service: TestPushService;

beforeEach(async () => {
  service = await openPushService(defer);
});

describe.each([401, 403])('a push service that answers %d', (status) => {
  /** The warnings of a sender, of three episodes to two browsers. */
  async function warningsOf(body: string) {
    const sender = await openTestPushSender(defer, { firstMs: 1, maxAttempts: 2 });
    for (const name of ['ani', 'budi'])
      await sender.subscribe(service.subscribe(name, ['judul-1', 'judul-2', 'judul-3']));
    service.answer = () => ({ status, body });
    await sender.start();
    for (let episode = 0; episode < 3; episode += 1) {
      await sender.write();
      await sender.whenSent();
    }
    // What fails again and again is dropped, and new episodes join what waits.
    await expect.poll(async () => (await readStates(sender.store)).push?.behind).toEqual([]);
    expect(service.asked).toBeGreaterThanOrEqual(4);
    return sender.reports.filter(({ type }) => type === 'push-denied');
  }

  test('is warned of once, with the text of its answer', async () => {
    expect(await warningsOf('{"reason":"BadJwtToken"}')).toEqual([
      { type: 'push-denied', service: service.origin, reason: `${status} {"reason":"BadJwtToken"}` },
    ]);
  });

  test('is warned of without markup, and in short', async () => {
    const [warning] = await warningsOf(`<html><h1>No\u0007t\nallowed</h1>${'x'.repeat(10_000)}</html>`);
    expect(warning).toMatchObject({ reason: expect.stringMatching(/^\d+ Not allowed x{100,190}…$/u) });
  });
});

test('the endpoint of a browser is in no warning', async () => {
  const sender = await openTestPushSender(defer, { firstMs: 1, maxAttempts: 2 });
  const ani = service.subscribe('ani', ['judul-1']);
  await sender.subscribe(ani);
  service.answer = () => ({ status: 403, body: `${ani.endpoint} is not yours` });
  await sender.start();
  await sender.write();
  await sender.whenSent();
  const denied = await eventually(
    async () => sender.reports.filter(({ type }) => type === 'push-denied'),
    ({ length }) => length > 0,
  );
  expect(denied).toMatchObject([{ reason: '403 *** is not yours' }]);
});

test('the log warns of a push service that refuses, and the doctor shows it until it accepts again', async () => {
  const source = await openTestSource(defer);
  const DATA_DIR = await temporaryFolder(defer);
  const environment = {
    DATA_DIR,
    SOURCE_URLS: source.origin,
    SOURCE_TIMEOUT: '15s',
    PUSH_CONTACT: 'mailto:ops@example.org',
    WEBHOOK_PRIVATE: 'on',
  };
  const { listing, output } = await startServe({ ...environment, REFRESH_CRON: '* * * * * *' }, defer);
  for (const path of ['/push/key', '/readyz'])
    await eventually(
      () => fetch(listing + path),
      ({ status }) => status === 200,
    );
  const doctor = async (changed: Record<string, string> = {}) => {
    const run = runCommand(['doctor'], { ...environment, ...changed }, defer);
    await run.ended;
    return run.output();
  };
  expect(await doctor()).toMatch(/Web Push\n {2}ok /u);

  const { anime } = source.catalogue;
  const { slugs, ...subscription } = service.subscribe('ani', [anime[0]!.slug]);
  const put = { method: 'PUT', body: JSON.stringify({ subscription, slugs }) };
  const headers = { 'Content-Type': 'application/json' };
  expect((await fetch(`${listing}/push/subscription`, { ...put, headers })).status).toBe(204);
  service.answer = () => ({ status: 403, body: '{"reason":"BadJwtToken"}' });
  anime[0]!.episode += 1;
  await eventually(
    async () => output().split('\n'),
    (lines) => lines.some((line) => line.includes('push-denied')),
  );
  const [warning = '', ...more] = output()
    .split('\n')
    .filter((line) => line.includes('push-denied'));
  expect(more).toEqual([]);
  expect(JSON.parse(warning)).toMatchObject({ level: 40, msg: expect.stringContaining('PUSH_CONTACT') });
  const REFUSED = `problem  ${service.origin} has refused push messages since `;
  expect(await eventually(doctor, (text) => text.includes(REFUSED))).toContain(
    '403 {"reason":"BadJwtToken"}',
  );
  expect(await doctor({ PUSH_CONTACT: 'mailto:other@example.org' })).not.toContain(REFUSED);

  service.answer = () => 201;
  anime[0]!.episode += 1;
  expect(await eventually(doctor, (text) => !text.includes(REFUSED))).toMatch(/Web Push\n {2}ok /u);
});
