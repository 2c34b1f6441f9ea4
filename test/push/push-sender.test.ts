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

const lateOf = async () => Object.values((await sender.progress())?.late ?? {});

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

test('an endpoint that fails is tried again, less and less often, and then gets one message', async () => {
  await sender.subscribe(service.subscribe('ani', ['judul-1', 'judul-2']));
  await sender.subscribe(service.subscribe('budi', ['judul-1', 'judul-2']));
  service.answer = (name) => (name === 'ani' ? 500 : 201);
  await sender.start();
  await air();
  expect(service.told()).toEqual([['budi', 1]]);
  expect(await lateOf()).toMatchObject([{ nextAttemptAt: sender.clock.now + 5_000 }]);
  await sender.pass(10_000);
  await expect.poll(() => service.asked).toBe(3);
  await eventually(lateOf, ([late]) => late?.nextAttemptAt === sender.clock.now + 10_000);
  await air();
  service.answer = () => 201;
  await sender.pass(10_000);
  await eventually(lateOf, ({ length }) => length === 0);
  expect(service.told()).toEqual([
    ['budi', 1],
    ['budi', 2],
    ['ani', 1, 2],
  ]);
});

test('Retry-After is waited for', async () => {
  await sender.subscribe(service.subscribe('ani', ['judul-1']));
  service.answer = () => ({ status: 429, headers: { 'retry-after': '120' } });
  await sender.start();
  await air();
  expect(await lateOf()).toMatchObject([{ nextAttemptAt: sender.clock.now + 120_000 }]);
});

test('a redirect is not followed', async () => {
  const elsewhere = await openPushService(onTestFinished);
  service.answer = () => ({ status: 307, headers: { location: `${elsewhere.origin}/send/ani` } });
  await sender.subscribe(service.subscribe('ani', ['judul-1']));
  await sender.start();
  await air();
  expect([service.asked, elsewhere.asked]).toEqual([1, 0]);
});

test('a push service that fails for all is left alone for a while', async () => {
  service.answer = () => 503;
  for (let n = 0; n < 80; n += 1) await sender.subscribe(service.subscribe(`browser-${n}`, ['judul-1']));
  await sender.start();
  await air();
  expect(service.asked).toBeLessThan(40);
  expect(await lateOf()).toHaveLength(80);
  service.answer = () => 201;
  await sender.pass(MINUTE);
  await eventually(lateOf, ({ length }) => length === 0);
  expect(new Set(service.told().map(([name]) => name)).size).toBe(80);
});

test('endpoints that are refused again and again do not hold up others of their push service', async () => {
  service.answer = (name) => (name === 'ani' ? 201 : 403);
  for (let n = 0; n < 20; n += 1) await sender.subscribe(service.subscribe(`stale-${n}`, ['judul-1']));
  await sender.start();
  await air();
  await sender.pass(MINUTE);
  await expect.poll(() => service.asked).toBe(40);
  await sender.subscribe(service.subscribe('ani', ['judul-2']));
  await air();
  expect(service.told()).toEqual([['ani', 2]]);
});

test('an endpoint that failed for a day is forgotten, unless nobody could be reached', async () => {
  const [ani, budi] = ['ani', 'budi'].map((name) =>
    service.subscribe(name, ['judul-1', 'judul-2', 'judul-3']),
  );
  await sender.subscribe(ani!);
  service.answer = () => 500;
  await sender.start();
  await air();
  await sender.pass(DAY - MINUTE);
  await eventually(lateOf, ({ length }) => length === 0);
  expect(await sender.isSubscribed(ani!)).toBe(true);

  await sender.subscribe(budi!);
  service.answer = (name) => (name === 'ani' ? 500 : 201);
  await air();
  await sender.pass(MINUTE);
  await eventually(lateOf, ([late]) => late?.nextAttemptAt === sender.clock.now + MINUTE);
  await air();
  await sender.pass(DAY - 2 * MINUTE);
  await expect.poll(() => sender.isSubscribed(ani!)).toSatisfy((isSubscribed) => !isSubscribed);
  expect(await sender.isSubscribed(budi!)).toBe(true);
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
  // On a busy machine, the stop cuts off messages under way, which are tried again later.
  await sender.pass(60_000);
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
