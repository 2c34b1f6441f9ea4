import { once } from 'node:events';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openHttpServer } from '../../support/http-server.ts';
import { temporaryFolder } from '../../support/service.ts';
import { openClientLog } from './client-log.ts';
import { compareReceived } from './findings.ts';
import { openJournal } from './journal.ts';
import { openTcpProxy } from './tcp-proxy.ts';
import { openWebhookLog } from './webhook-log.ts';

/** The program reports every fault of the service, and nothing else. */

async function openTestJournal() {
  const journal = openJournal(path.join(await temporaryFolder(onTestFinished)));
  onTestFinished(journal.close);
  return journal;
}

async function openReceiverOf() {
  const journal = await openTestJournal();
  const log = await openWebhookLog(onTestFinished, journal);
  const send = async (episode: number) => {
    const data = { type: 'new-episode', slug: 'a', episode };
    const body = JSON.stringify({ type: 'anime.new-episode', data });
    expect((await fetch(log.url, { method: 'POST', body })).status).toBe(204);
  };
  return { journal, log, send };
}

test('a message that comes again without a fault is a repeat that is not allowed', async () => {
  const { log, send } = await openReceiverOf();
  await send(1);
  await send(2);
  await send(2);
  expect(log.repeats()).toMatchObject({ allowed: [], wrong: [{ key: 'new-episode a 2' }] });
});

test('the last message may come again after a kill, and an earlier one may not', async () => {
  const { journal, log, send } = await openReceiverOf();
  await send(1);
  await send(2);
  journal.begin('kill', 0)();
  await send(1);
  await send(2);
  const { allowed, wrong } = log.repeats();
  expect(wrong.map(({ key }) => key)).toEqual(['new-episode a 1']);
  expect(allowed.map(({ key }) => key)).toEqual(['new-episode a 2']);
});

test('a fault explains only the answers that it can cause', async () => {
  const journal = await openTestJournal();
  const log = openClientLog(journal);
  const from = Date.now();
  const note = (origin: 'listing' | 'uploads', status: number) =>
    log.note({ origin, what: 'read', status, from });
  note('uploads', 503);
  journal.begin('s3-stall', 0);
  for (const status of [200, 500, 502, 503, 507, 404]) note('uploads', status);
  note('listing', 503);
  expect(log.good).toEqual({ 'uploads read': 1 });
  expect(log.explained).toEqual({ 'uploads read: 503': 1 });
  expect(log.unexplained).toEqual({
    'uploads read: 503': 1,
    'uploads read: 500': 1,
    'uploads read: 502': 1,
    'uploads read: 507': 1,
    'uploads read: 404': 1,
    'listing read: 503': 1,
  });
});

test.each([
  ['everything once', ['a 1', 'b 2'], ['a 1', 'b 2'], [], []],
  ['one twice', ['a 1', 'b 2', 'a 1', 'a 1'], ['a 1', 'b 2'], ['a 1', 'a 1'], []],
  ['one not', ['a 1'], ['a 1', 'b 2'], [], ['b 2']],
  ['a premiere, which is two events', ['a 1', 'a 1'], ['a 1', 'a 1'], [], []],
  ['half of a premiere', ['a 1'], ['a 1', 'a 1'], [], ['a 1']],
  ['what the log has lost', ['a 1'], [], [], []],
])('of the events that a follower received, it counts: %s', (_, received, due, twice, skipped) => {
  expect(compareReceived(received, due)).toEqual({ twice, skipped });
});

test('a fault of one process explains nothing of another process, and a fault of all explains it', async () => {
  const journal = await openTestJournal();
  const now = Date.now();
  journal.begin('redis-cut', 1);
  expect(journal.explains(['redis-cut'], now, Date.now(), 0)).toBe(false);
  expect(journal.explains(['redis-cut'], now, Date.now(), 1)).toBe(true);
  journal.begin('redis-flush');
  expect(journal.explains(['redis-flush'], now, Date.now(), 0)).toBe(true);
  expect(journal.explains(['redis-flush'], now - 2_000, now - 1_000)).toBe(false);
});

test('a proxy refuses, answers 500, and holds back what arrives once it is open again', async () => {
  const server = await openHttpServer(onTestFinished, (_, response) => void response.end('here'));
  const proxy = await openTcpProxy(onTestFinished, Number(new URL(server).port));
  const ask = () =>
    fetch(`http://127.0.0.1:${proxy.port}`, { headers: { Connection: 'close' } }).then(
      async (answer) => `${answer.status} ${await answer.text()}`,
    );
  expect(await ask()).toBe('200 here');
  await proxy.set('refuse');
  await expect(ask()).rejects.toThrow();
  await proxy.set('error');
  expect(await ask()).toBe('500 ');
  await proxy.set('stall');
  const waiting = ask();
  const isOver = Promise.race([waiting.then(() => 'answered'), once(AbortSignal.timeout(300), 'abort')]);
  expect(await isOver).not.toBe('answered');
  await proxy.set('open');
  expect(await waiting).toBe('200 here');
});
