import { expect, onTestFinished, test } from 'vitest';
import { checkWebhooks } from '../../src/doctor/webhooks.ts';
import { createWebhookClient } from '../../src/webhooks/client.ts';
import { findFreePort } from '../support/redis.ts';
import { openReceiver } from '../support/webhook-receiver.ts';
import { contextOf, findings } from './support/findings.ts';

function check(urls: string, allowsPrivate: boolean, secret = `whsec_${'A'.repeat(32)}`) {
  const webhookClient = createWebhookClient(allowsPrivate);
  onTestFinished(() => webhookClient.close());
  const environment = { WEBHOOK_URLS: urls, WEBHOOK_SECRET: secret, WEBHOOK_PRIVATE: 'on' };
  return findings(checkWebhooks({ ...contextOf(environment), webhookClient }), 10_000);
}

test('no receiver is no problem', async () => {
  expect(await check('', false, '')).toEqual([expect.stringMatching(/^ok: .*WEBHOOK_URLS/u)]);
});

test('a receiver that answers is named without its secret, and sent nothing', async () => {
  const hook = await openReceiver(onTestFinished);
  const found = await check(`${hook.url}/secret`, true, '');
  expect(found).toEqual([
    expect.stringMatching(/^warning: .*set WEBHOOK_SECRET$/u),
    `ok: ${new URL(hook.url).origin} can be reached`,
  ]);
  expect(hook.received).toEqual([]);
});

test('one that does not answer, and one with a private address, are problems', async () => {
  const port = await findFreePort();
  const urls = `http://127.0.0.1:${port}/secret,http://hooks.example:${port}/secret`;
  const [gone, local] = await check(urls, false);
  expect(gone).toMatch(/^problem: http:\/\/127\.0\.0\.1:\d+: no answer \(ECONNREFUSED\)/u);
  expect(local).toMatch(/^problem: http:\/\/hooks\.example:\d+: .*WEBHOOK_PRIVATE=on/u);
});
