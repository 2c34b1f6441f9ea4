import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { openTestPushSender } from '../support/push-sender.ts';
import { openPushService, type TestPushService } from '../support/push-service.ts';
import { eventually } from '../support/service.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

let service: TestPushService;
let sender: Awaited<ReturnType<typeof openTestPushSender>>;

beforeEach(async () => {
  service = await openPushService(onTestFinished);
  sender = await openTestPushSender(onTestFinished);
});

/** A new episode, which is sent to all whom it can be sent to. */
async function air(): Promise<void> {
  await sender.write();
  await sender.whenSent();
}

test('who follows an anime is told of its new episode, once, and nobody else', async () => {
  await sender.subscribe(service.subscribe('ani', ['judul-1', 'judul-2']));
  await sender.subscribe(service.subscribe('budi', ['judul-3']));
  await sender.start();
  await air();
  expect(service.told()).toEqual([['ani', 1]]);
  const [{ headers, message } = expect.fail()] = service.accepted;
  expect(headers).toMatchObject({ ttl: '86400', 'content-encoding': 'aes128gcm', topic: message.id });
  expect(headers.authorization).toMatch(/^vapid t=[\w-]+\.[\w-]+\.[\w-]+, k=[\w-]{87}$/u);
  await air();
  expect(service.told()).toEqual([
    ['ani', 1],
    ['ani', 2],
  ]);
});

test('what happened before the first start, and more than a day ago, is no news', async () => {
  await sender.subscribe(service.subscribe('ani', ['judul-1', 'judul-2', 'judul-3']));
  await sender.write();
  const stop = await sender.start();
  await stop();
  await sender.write();
  sender.clock.now += DAY + MINUTE;
  await sender.write();
  await sender.start();
  await sender.whenSent();
  expect(service.told()).toEqual([['ani', 3]]);
});

test.each([404, 410])('an endpoint that answers %d is forgotten', async (status) => {
  const ani = service.subscribe('ani', ['judul-1', 'judul-2']);
  service.answer = () => status;
  await sender.subscribe(ani);
  await sender.start();
  await air();
  expect(await sender.isSubscribed(ani)).toBe(false);
  await air();
  expect(service.asked).toBe(1);
  expect(sender.reports).toContainEqual(expect.objectContaining({ type: 'push-sent', gone: 1 }));
});

test('an endpoint that fails is tried again three times, apart from the others, and then dropped', async () => {
  await sender.subscribe(service.subscribe('ani', ['judul-1', 'judul-2']));
  await sender.subscribe(service.subscribe('budi', ['judul-1', 'judul-2']));
  service.answer = (name) => (name === 'ani' ? 403 : 201);
  await sender.start();
  await air();
  expect(service.told()).toEqual([['budi', 1]]);
  await expect.poll(() => service.asked).toBe(5);
  await sender.settle();
  service.answer = () => 201;
  await air();
  await expect.poll(() => service.told()).toHaveLength(3);
  expect(service.told()).toContainEqual(['ani', 2]);
  const counts = { delivered: 1, failed: 1, gone: 0, dropped: 0 };
  const sent = sender.reports.find(({ type }) => type === 'push-sent');
  expect(sent).toMatchObject({ isRetry: false, ...counts });
});

test('Retry-After is waited for', async () => {
  await sender.subscribe(service.subscribe('ani', ['judul-1']));
  const asked: number[] = [];
  service.answer = () => {
    asked.push(performance.now());
    return asked.length === 1 ? { status: 429, headers: { 'retry-after': '1' } } : 201;
  };
  await sender.start();
  await air();
  await expect.poll(() => asked.length).toBe(2);
  expect(asked[1]! - asked[0]!).toBeGreaterThan(990);
});

test('a redirect is not followed', async () => {
  const elsewhere = await openPushService(onTestFinished);
  service.answer = () => ({ status: 307, headers: { location: `${elsewhere.origin}/send/ani` } });
  await sender.subscribe(service.subscribe('ani', ['judul-1']));
  await sender.start();
  await air();
  expect([service.asked, elsewhere.asked]).toEqual([1, 0]);
});

test('a push service that fails for all is left alone for a while, and everybody is told afterwards', async () => {
  service.answer = () => 503;
  sender = await openTestPushSender(onTestFinished, { firstMs: 2_000 });
  for (let n = 0; n < 80; n += 1) await sender.subscribe(service.subscribe(`browser-${n}`, ['judul-1']));
  await sender.start();
  await air();
  expect(service.asked).toBeLessThan(40);
  service.answer = () => 201;
  await expect.poll(() => new Set(service.told().map(([name]) => name)).size).toBe(80);
  expect(service.told()).toHaveLength(80);
});

test('a push service that is slow delays nobody at another one, now and at the next episode', async () => {
  const slow = await openPushService(onTestFinished);
  const slowMs = 200;
  sender = await openTestPushSender(onTestFinished, { slowMs });
  const all = ['judul-1', 'judul-2'];
  for (let n = 0; n < 16; n += 1) await sender.subscribe(slow.subscribe(`slow-${n}`, all));
  for (let n = 0; n < 30; n += 1) await sender.subscribe(service.subscribe(`quick-${n}`, all));
  // The slow one has four places. It answers no further message before everybody else is told of both episodes.
  const answering = Promise.withResolvers<number>();
  slow.answer = () => (slow.asked <= 4 ? sleep(2 * slowMs, 201) : answering.promise);
  await sender.start();
  for (const episode of [1, 2]) {
    await air();
    await expect.poll(() => service.told().filter(([, told]) => told === episode).length).toBe(30);
  }
  expect(slow.told()).toHaveLength(4);
  answering.resolve(201);
  // One message may be about both.
  const told = () =>
    slow.told().flatMap(([name, ...episodes]) => episodes.map((episode) => `${name} ${episode}`));
  await expect.poll(() => new Set(told()).size).toBe(32);
  expect(told()).toHaveLength(32);
});

test('where the table is full, one that no visit has sent again for 30 days makes place', async () => {
  sender = await openTestPushSender(onTestFinished, { max: 2 });
  const [ani, budi, citra] = ['ani', 'budi', 'citra'].map((name) => service.subscribe(name, ['judul-1']));
  for (const one of [ani!, budi!]) expect(await sender.subscribe(one)).toBe('done');
  expect(await sender.subscribe(citra!)).toBe('full');
  sender.clock.now += 20 * DAY;
  expect(await sender.subscribe(ani!)).toBe('done');
  sender.clock.now += 11 * DAY;
  expect(await sender.subscribe(citra!)).toBe('done');
  expect([await sender.isSubscribed(ani!), await sender.isSubscribed(budi!)]).toEqual([true, false]);
});

test('an endpoint that does not answer holds up no other one', async () => {
  for (const name of ['ani', 'budi', 'citra', 'dewi'])
    await sender.subscribe(service.subscribe(name, ['judul-1']));
  service.answer = (name) => (name === 'budi' ? null : 201);
  await sender.start();
  await sender.write();
  await expect.poll(() => service.accepted.length).toBe(3);
});

test('a round that was stopped goes on where it was, and nobody is left out', async () => {
  const names = Array.from({ length: 300 }, (_, n) => `browser-${n}`);
  for (const name of names) await sender.subscribe(service.subscribe(name, ['judul-1']));
  let stopping: Promise<void> | undefined;
  const stop = await sender.start();
  service.answer = () => {
    if (service.asked === 100) stopping = stop();
    return 201;
  };
  await sender.write();
  await eventually(async () => stopping !== undefined, Boolean);
  await stopping;
  const before = service.accepted.length;
  expect(before).toBeLessThan(200);
  await sender.start();
  await sender.whenSent();
  const reached = async () => [...new Set(service.accepted.map(({ name }) => name))].sort();
  expect(await eventually(reached, ({ length }) => length >= names.length)).toEqual(names.toSorted());
});

test('a private address is refused where it is not allowed, also if it was stored before', async () => {
  sender = await openTestPushSender(onTestFinished, { allowsPrivate: false });
  const ani = service.subscribe('ani', ['judul-1']);
  await sender.subscribe(ani);
  await sender.start();
  await air();
  expect([service.asked, await sender.isSubscribed(ani)]).toEqual([0, false]);
});
