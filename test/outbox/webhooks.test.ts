import { createHmac } from 'node:crypto';
import { describe, expect, onTestFinished, test } from 'vitest';
import { presentEvent } from '../../src/publishing/events.ts';
import { NOON } from '../support/outbox.ts';
import { eventually } from '../support/service.ts';
import { makeStatus } from '../support/status.ts';
import { openReceiver, type TestReceiver } from '../support/webhook-receiver.ts';
import { makeEvents, writeEvents } from '../support/webhook-store.ts';
import { LISTING_URL, openTestOutbox } from '../support/webhooks.ts';
import { writeStore } from '../support/write-store.ts';

const KEY = Buffer.alloc(32, 7);
const SECRET = `whsec_${KEY.toString('base64')}`;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const openHook = () => openReceiver(onTestFinished);
const open = (urls: string[], settings = {}) => openTestOutbox(onTestFinished, urls, settings);
/** A receiver, and a sender to it. */
async function openOne() {
  const hook = await openHook();
  return { hook, ...(await open([hook.url])) };
}

const numbersOf = ({ received }: TestReceiver) =>
  received.filter(({ status }) => status < 300).map(({ body }) => body.data.number);
const typesOf = ({ received }: TestReceiver) => received.map(({ body }) => body.type);

describe('a message', () => {
  test('is the event as the API returns it, signed according to Standard Webhooks', async () => {
    const hook = await openHook();
    const { write, whenSent } = await open([hook.url], { secret: SECRET });
    await write(1);
    await whenSent();
    const [{ headers, body } = expect.fail()] = hook.received;
    const [event] = makeEvents(1, 1, NOON);
    expect(body).toEqual({
      type: 'anime.new-episode',
      timestamp: '2026-11-20T12:00:00.000Z',
      data: presentEvent(event!, { url: LISTING_URL }),
    });
    expect(headers).toMatchObject({ 'content-type': 'application/json', 'user-agent': 'Tayang/test' });
    expect(headers['webhook-timestamp']).toBe(String(NOON / 1_000));
    const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${JSON.stringify(body)}`;
    const signature = createHmac('sha256', KEY).update(signed).digest('base64');
    expect(headers['webhook-signature']).toBe(`v1,${signature}`);
  });

  test('has the same id at every attempt, and the time of the attempt', async () => {
    const hook = await openHook();
    const scene = await open([hook.url]);
    hook.answer = () => {
      scene.clock.now += 1_000;
      return hook.received.length < 3 ? 503 : 204;
    };
    await scene.write(1);
    await scene.whenSent();
    expect(new Set(hook.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    const times = hook.received.map(({ headers }) => Number(headers['webhook-timestamp']) - NOON / 1_000);
    expect(times).toEqual([0, 1, 2, 3]);
    expect(hook.received[0]?.headers).not.toHaveProperty('webhook-signature');
  });
});

describe('a receiver', () => {
  test('gets every event once and in order although it fails at times', async () => {
    const hook = await openHook();
    hook.answer = () => (hook.received.length % 3 === 0 ? 500 : 200);
    const { write, whenSent, events } = await open([hook.url]);
    await write(20);
    await whenSent();
    await write(5);
    await whenSent();
    expect(numbersOf(hook)).toEqual(Array.from({ length: 25 }, (_, index) => index + 1));
    expect(events.filter(({ type }) => type === 'webhook-restored').length).toBeGreaterThan(0);
  });

  test('that is new gets only later events', async () => {
    const [old, added] = [await openHook(), await openHook()];
    const first = await open([old.url]);
    await first.write(3);
    await first.whenSent();
    await first.outbox.stop();
    const { write, whenSent } = await open([old.url, added.url], { store: first.store });
    await write(2);
    await whenSent();
    expect([numbersOf(old), numbersOf(added)]).toEqual([
      [1, 2, 3, 4, 5],
      [4, 5],
    ]);
  });

  test('that comes back to the configuration gets what is not older than a day', async () => {
    const { hook, outbox, write, clock, start, whenSent, store } = await openOne();
    await write(1);
    await whenSent();
    await outbox.stop();
    clock.now += DAY;
    await writeEvents(store, [...makeEvents(1, 3, NOON - 1), ...makeEvents(4, 5, clock.now)]);
    start();
    await expect.poll(() => numbersOf(hook)).toSatisfy((numbers) => numbers.length > 2);
    expect(numbersOf(hook)).toEqual([1, 4, 5]);
  });

  test('that does not answer does not delay another one', async () => {
    const [slow, quick] = [await openHook(), await openHook()];
    slow.answer = () => 0;
    const { write } = await open([slow.url, quick.url]);
    await write(10);
    await expect.poll(() => numbersOf(quick)).toHaveLength(10);
    expect(slow.received).toHaveLength(1);
  });

  test('that fails for a day loses the messages older than a day, which is reported', async () => {
    const hook = await openHook();
    hook.answer = () => 500;
    const { write, clock, events, whenSent } = await open([hook.url]);
    await write(3);
    expect(await whenSent()).toMatchObject([
      { state: 'failing', pending: 0, dropped: 3, reason: 'it answered 500', since: NOON },
    ]);
    expect(clock.now).toBeGreaterThan(NOON + DAY);
    const dropped = events.flatMap((event) => (event.type === 'webhook-dropped' ? event.count : []));
    expect(dropped.reduce((sum, count) => sum + count)).toBe(3);
    hook.answer = () => 204;
    await write(4);
    expect(await whenSent()).toMatchObject([{ state: 'ok', since: null, dropped: 3 }]);
    expect(numbersOf(hook)).toEqual([4, 5, 6, 7]);
  });

  test('gets the events of a new epoch after the store was lost with every process', async () => {
    const { hook, write, whenSent, store, clock } = await openOne();
    await write(5);
    await whenSent();
    clock.now += 60_000;
    await writeEvents(store, makeEvents(1, 2, clock.now), 'e2');
    await expect.poll(() => numbersOf(hook)).toHaveLength(7);
    expect(numbersOf(hook)).toEqual([1, 2, 3, 4, 5, 1, 2]);
    expect(new Set(hook.received.map(({ headers }) => headers['webhook-id'])).size).toBe(7);
  });

  test('that answers 410 gets no more messages until the service is restarted', async () => {
    const hook = await openHook();
    hook.answer = () => 410;
    const { write, outbox, events, start, settle } = await open([hook.url]);
    await write(2);
    await expect.poll(() => outbox.states()).toSatisfy(([state]) => state?.state === 'gone');
    await write(2);
    await settle();
    expect(hook.received).toHaveLength(1);
    expect(events.filter(({ type }) => type === 'webhook-gone')).toHaveLength(1);
    await outbox.stop();
    hook.answer = () => 204;
    const next = start();
    await expect.poll(() => next.states()).toSatisfy(([state]) => state?.state === 'ok');
    await write(1);
    await expect.poll(() => numbersOf(hook)).toSatisfy((numbers) => numbers.length > 0);
    expect(numbersOf(hook)).toEqual([5]);
  });

  test('that redirects has failed, and nothing is sent to the new address', async () => {
    const [hook, other] = [await openHook(), await openHook()];
    hook.answer = (_message, response) => {
      response.writeHead(307, { Location: other.url }).end();
      return 0;
    };
    const { write, outbox } = await open([hook.url]);
    await write(1);
    await expect.poll(() => outbox.states()).toSatisfy(([state]) => state?.reason === 'it answered 307');
    expect(other.received).toEqual([]);
  });

  test('with an endless response is not read to the end', async () => {
    const hook = await openHook();
    hook.answer = (_message, response) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write('x'.repeat(8_192)), 1);
      response.on('close', () => clearInterval(timer));
      return 0;
    };
    const { write, whenSent } = await open([hook.url]);
    await write(2);
    expect(await whenSent()).toMatchObject([{ state: 'ok' }]);
  });

  test('with a private address gets no connection', async () => {
    const hook = await openHook();
    const url = hook.url.replace('127.0.0.1', 'hooks.example');
    const { write, outbox, events } = await open([`${url}/secret`], { allowsPrivate: false });
    await write(1);
    const [state] = await eventually(
      async () => outbox.states(),
      ([one]) => one?.state === 'failing',
    );
    expect(state?.reason).toContain('WEBHOOK_PRIVATE=on');
    expect(hook.received).toEqual([]);
    expect(JSON.stringify([state, events])).not.toContain('secret');
  });
});

describe('trouble of the source', () => {
  async function openTroubled() {
    const hook = await openHook();
    const scene = await open([hook.url]);
    const setState = async (state: 'ok' | 'blocked' | 'down', troubleSince: number | null) => {
      const status = await scene.store.readStatus();
      const since = scene.clock.now;
      await writeStore(scene.store, {
        status: makeStatus({ state, since, troubleSince, reason: state && 'why' }, status),
      });
    };
    return { ...scene, hook, setState };
  }

  test('is sent once when it has lasted an hour, and its end is sent once', async () => {
    const { hook, clock, setState, settle, write, whenSent } = await openTroubled();
    await setState('blocked', NOON);
    clock.now += HOUR - 1;
    await setState('down', NOON);
    await settle();
    expect(hook.received).toEqual([]);
    clock.now += 1;
    for (const state of ['down', 'blocked', 'down'] as const) await setState(state, NOON);
    await expect.poll(() => typesOf(hook)).toSatisfy((types) => types.length > 0);
    await write(1);
    await whenSent();
    await setState('ok', null);
    await setState('ok', null);
    await expect.poll(() => typesOf(hook)).toHaveLength(3);
    await settle();
    expect(typesOf(hook)).toEqual(['source.down', 'anime.new-episode', 'source.ok']);
    expect(hook.received[0]?.body.data).toEqual({
      state: 'down',
      reason: 'why',
      since: new Date(NOON + HOUR).toISOString(),
    });
  });
});
