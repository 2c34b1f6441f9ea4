import type { Page, Worker } from 'playwright-core';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import type { Subscription } from '../../src/outbox/push/subscription.ts';
import { describeInBrowser, saidOf } from '../support/browser.ts';
import { findAxeViolations } from '../support/page-rules.ts';
import { openPushService, type TestPushService } from '../support/push-service.ts';
import { eventually, openReadyService } from '../support/service.ts';
import { openOnce } from '../support/until-end.ts';

/**
 * The way of the browser to its push service is replaced by that of the test, because nothing else is reached here. The
 * pages, the service worker and, in a whole Chromium (`CHROMIUM_PATH`), the notifications are real; the one without windows
 * has none.
 */

const ENVIRONMENT = {
  SERVE: 'listing,refresh',
  PUSH_CONTACT: 'mailto:ops@example.org',
  WEBHOOK_PRIVATE: 'on',
  REFRESH_CRON: '* * * * * *',
  TRUST_PROXY: '1',
};
const DAY_MS = 86_400_000;

const stubPush = ({ endpoint, keys }: Subscription) => `{
  const decode = (text) => Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (one) => one.charCodeAt(0));
  const present = ({ key, number }) => ({
    endpoint: ${JSON.stringify(endpoint)} + '?' + number,
    options: { applicationServerKey: decode(key).buffer },
    toJSON() { return { endpoint: this.endpoint, expirationTime: null, keys: ${JSON.stringify(keys)} }; },
    async unsubscribe() { localStorage.removeItem('subscription'); },
  });
  const subscribed = () => localStorage.subscription && present(JSON.parse(localStorage.subscription));
  PushManager.prototype.getSubscription = async () => subscribed() || null;
  PushManager.prototype.subscribe = async ({ userVisibleOnly, applicationServerKey: key }) => {
    if (!userVisibleOnly || Notification.permission !== 'granted') throw new Error('not allowed');
    const before = localStorage.subscription && JSON.parse(localStorage.subscription);
    if (before && before.key !== key) throw new DOMException('there is another key', 'InvalidStateError');
    if (before) return subscribed();
    localStorage.subscriptions = Number(localStorage.subscriptions ?? 0) + 1;
    localStorage.subscription = JSON.stringify({ key, number: localStorage.subscriptions });
    return subscribed();
  };
}`;

/** The answer of the visitor, whom a test cannot ask. */
const stubPermission = (answer: string) => `{
  Object.defineProperty(Notification, 'permission', { get: () => localStorage.permission ?? 'default' });
  Notification.requestPermission = async () => {
    localStorage.asked = Number(localStorage.asked ?? 0) + 1;
    return localStorage.permission = '${answer}';
  };
}`;

/** Where there are no notifications, they are noted. */
const NOTE_NOTIFICATIONS = `if (Notification.permission !== 'granted') {
  const shown = [];
  registration.showNotification = async (title, options) => void shown.push({ title, ...options });
  registration.getNotifications = async () => shown;
}`;

interface Change {
  method: string;
  body: { slugs?: string[]; endpoint?: string; subscription?: Subscription };
}

describeInBrowser('notifications', (browser) => {
  const site = openOnce((defer) => openReadyService(defer, ENVIRONMENT));
  let service: TestPushService;
  let visitors = 0;

  beforeEach(async () => {
    service = await openPushService(onTestFinished);
  });

  /** Without TLS, browsers have service workers on localhost only. */
  const address = () => site.address.replace('127.0.0.1', 'localhost');
  const anime = (place: number) => site.source.catalogue.anime[place]!;
  const pageOf = (place: number, lang = 'id') => `/anime/${anime(place).slug}?lang=${lang}`;
  const endpoint = (number: number) => `${service.origin}/send/ani?${number}`;
  /** On the page of an anime the button is pressed while notifications are on; on the front page it says what it does. */
  const isSwitched = (page: Page, isOn: boolean) =>
    expect
      .poll(() =>
        page.evaluate(`(() => {
      const { ariaPressed, textContent, disabled } = document.querySelector('#PushButton');
      return !disabled && (ariaPressed ?? String(textContent.startsWith('Matikan')));
    })()`),
      )
      .toBe(`${isOn}`);
  const says = (page: Page, text: string) => page.locator('#Push [role=status]').getByText(text).waitFor();

  /** A visitor with an address of their own, and the changes that the service is sent. */
  async function open(path: string, answer = 'granted') {
    visitors += 1;
    const extraHTTPHeaders = { 'X-Forwarded-For': `192.0.2.${visitors}` };
    const page = await browser.openPage(onTestFinished, { locale: 'id-ID', extraHTTPHeaders });
    const changes: Change[] = [];
    page.on('request', (request) => {
      if (!request.url().endsWith('/push/subscription')) return;
      changes.push({ method: request.method(), body: request.postDataJSON() });
    });
    await page.context().grantPermissions(['notifications'], { origin: address() });
    await page.context().addInitScript(stubPush(service.subscribe('ani', [])));
    await page.context().addInitScript(stubPermission(answer));
    await page.goto(address() + path);
    return { page, changes };
  }

  /** Opens the page of an anime, and taps the button. */
  async function subscribe(place: number, lang = 'id') {
    const opened = await open(pageOf(place, lang));
    await opened.page.locator('#PushButton:enabled').click();
    await says(opened.page, lang === 'id' ? 'Notifikasi aktif' : 'Notifications are on');
    const [worker = expect.fail()] = opened.page.context().serviceWorkers();
    await worker.evaluate(NOTE_NOTIFICATIONS);
    return { ...opened, worker };
  }

  /** Changes what the page remembers of the last time that it told the service. */
  const remember = (page: Page, changed: object) =>
    page.evaluate(`caches.open('tayang-push').then(async (cache) => {
      const state = await (await cache.match('/push/state')).json();
      await cache.put('/push/state', new Response(JSON.stringify({ ...state, ...${JSON.stringify(changed)} })));
    })`);

  /** Hands a message, as the browser has it from its push service, to the service worker. */
  async function deliver(page: Page, data: string): Promise<void> {
    const session = await page.context().newCDPSession(page);
    const { promise, resolve } = Promise.withResolvers<string>();
    session.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) =>
      registrations.forEach(({ registrationId, scopeURL }) => {
        if (scopeURL === `${address()}/`) resolve(registrationId);
      }),
    );
    await session.send('ServiceWorker.enable');
    const registrationId = await promise;
    await session.send('ServiceWorker.deliverPushMessage', { origin: address(), registrationId, data });
  }

  const shownBy = (worker: Worker) =>
    eventually(
      () =>
        worker.evaluate<{ title: string; body: string; icon: string; tag: string; data: string }[]>(`
          registration.getNotifications().then((all) =>
            all.map(({ title, body, icon, tag, data }) => ({ title, body, icon, tag, data })))`),
      ({ length }) => length > 0,
    );

  /** Clicks the notification; resolves with the address that is opened, which only a real click is allowed to. */
  const click = (worker: Worker) =>
    worker.evaluate<string>(`registration.getNotifications().then(([notification]) => new Promise((resolve) => {
      clients.openWindow = async (href) => resolve(href);
      const click = Object.assign(new ExtendableEvent('notificationclick'), {
        notification: Object.assign(Object.create({ close() {} }), { data: notification.data }),
      });
      dispatchEvent(click);
    }))`);

  test('nobody is asked for permission before the button is tapped', async () => {
    const { page, changes } = await open('/?lang=id');
    await page.locator('#Today .star').first().click();
    await isSwitched(page, false);
    await page.goto(address() + pageOf(2));
    await page.locator('#PushButton:enabled').waitFor();
    expect(await page.evaluate('localStorage.asked')).toBeUndefined();
    expect(changes).toEqual([]);
    expect(await findAxeViolations(page)).toEqual([]);
  });

  test('a tap on the page of an anime follows it, and from then on the service knows what is followed', async () => {
    const { page, changes } = await subscribe(3);
    const [first, second] = [anime(3).slug, anime(4).slug];
    expect(await page.locator('#Follow').innerText()).toBe('Diikuti');
    await page.goto(`${address()}/?lang=id`);
    await page.locator(`#Timeline [data-star="${second}"]`).first().dispatchEvent('click');
    await expect.poll(() => changes).toHaveLength(2);
    await page.locator(`#Timeline [data-star="${first}"]`).first().dispatchEvent('click');
    // The page is left before it has told the service.
    await page.goto(address() + pageOf(4));
    await expect.poll(() => changes).toHaveLength(3);
    expect(changes.map(({ body }) => body.slugs)).toEqual([[first], [first, second], [second]]);

    await isSwitched(page, true);
    await page.locator('#PushButton').click();
    await says(page, 'Untuk anime yang kamu ikuti');
    // The page says so at once; the service is told then.
    await expect.poll(() => changes).toHaveLength(4);
    expect(changes[3]).toEqual({ method: 'DELETE', body: { endpoint: endpoint(1) } });
    await page.reload();
    await isSwitched(page, false);
    expect(changes).toHaveLength(4);
    expect(await page.evaluate('caches.keys()')).toEqual(['tayang-pages']);
  });

  test('a new episode is shown with its cover, and a click opens the page of the anime, in the language of the page', async () => {
    const { page, worker } = await subscribe(5, 'en');
    anime(5).episode += 1;
    const { title, episode } = anime(5);
    await expect.poll(() => service.accepted).not.toEqual([]);
    const [{ message } = expect.fail()] = service.accepted;
    await deliver(page, JSON.stringify(message));
    const body = `Episode ${episode} is out`;
    expect(await shownBy(worker)).toMatchObject([
      { title, body, icon: message.anime[0]?.image, tag: message.id },
    ]);
    await page.goto(await click(worker));
    await page.getByRole('heading', { name: title }).waitFor();
    expect(await page.evaluate('document.documentElement.lang')).toBe('en');
  });

  test('several new episodes are one notification, which opens the own anime', async () => {
    const { page, worker } = await subscribe(7);
    const anime = ['Naga', 'Koki'].map((title, index) => ({ slug: `s${index}`, title, episode: index + 2 }));
    await deliver(page, JSON.stringify({ id: 'x', anime, count: 3 }));
    expect(await shownBy(worker)).toMatchObject([
      { title: '3 anime punya episode baru', body: 'Naga · Ep 2\nKoki · Ep 3\n…' },
    ]);
    expect(await click(worker)).toBe(`${address()}/?lang=id#Mine`);
  });

  test.each([
    ['id', [8, 9], 'Episode 8 & 9 sudah rilis'],
    ['en', [8, 9], 'Episodes 8 & 9 are out'],
    ['en', [1, 2, 3], 'Episodes 1–3 are out'],
    ['en', [1, 3, 4], 'Episodes 1, 3 & 4 are out'],
  ])('several episodes of one anime are all named (%s, %j)', async (language, episodes, body) => {
    const { page, worker } = await subscribe(7, language);
    const naga = { slug: 'naga', title: 'Naga', episode: episodes.at(-1), episodes };
    await deliver(page, JSON.stringify({ id: 'x', anime: [naga], count: 1 }));
    expect(await shownBy(worker)).toMatchObject([{ title: 'Naga', body }]);
    expect(await click(worker)).toBe(`${address()}/anime/naga?lang=${language}`);
  });

  test('several anime are named with all their new episodes', async () => {
    const { page, worker } = await subscribe(7, 'en');
    const naga = { slug: 'naga', title: 'Naga', episode: 9, episodes: [8, 9] };
    const koki = { slug: 'koki', title: 'Koki', episode: 3 };
    await deliver(page, JSON.stringify({ id: 'x', anime: [naga, koki], count: 2 }));
    expect(await shownBy(worker)).toMatchObject([{ body: 'Naga · Ep 8 & 9\nKoki · Ep 3' }]);
  });

  test('a subscription with a former slug is renewed with the new one at the next visit', async () => {
    const { page, changes } = await subscribe(13);
    const corrected = anime(13);
    const former = corrected.slug;
    corrected.slug = 'judul-yang-benar-sub-indo';
    await eventually(
      () => fetch(`${address()}/anime/${corrected.slug}`),
      ({ status }) => status === 200,
    );
    // The browser may have the front page of a minute ago.
    await page.goto(address() + pageOf(14));
    await expect.poll(() => changes).toHaveLength(2);
    expect(changes.map(({ body }) => body.slugs)).toEqual([[former], [corrected.slug]]);
  });

  test('a permission that was taken away ends the subscription', async () => {
    const { page, changes } = await subscribe(8);
    await page.addInitScript(`localStorage.permission = 'denied'`);
    await page.reload();
    await says(page, 'Browsermu memblokir notifikasi');
    expect(await page.locator('#PushButton').isDisabled()).toBe(true);
    expect(changes[1]).toEqual({ method: 'DELETE', body: { endpoint: endpoint(1) } });
  });

  test('a subscription that the browser has lost is made anew at the next visit', async () => {
    const { page, changes } = await subscribe(9);
    await page.evaluate(`localStorage.removeItem('subscription')`);
    await page.reload();
    await expect.poll(() => changes).toHaveLength(3);
    expect(
      changes.slice(1).map(({ method, body }) => [method, body.endpoint ?? body.subscription?.endpoint]),
    ).toEqual([
      ['DELETE', endpoint(1)],
      ['PUT', endpoint(2)],
    ]);
  });

  test('after a day the list is sent again, with a new subscription if the service has another key', async () => {
    const { page, changes } = await subscribe(10);
    await remember(page, { sentAt: Date.now() - DAY_MS });
    await page.reload();
    await expect.poll(() => changes).toHaveLength(2);
    expect(changes[1]?.body.subscription?.endpoint).toBe(endpoint(1));
    // The page notes that it has sent after the service has answered.
    await expect
      .poll(() =>
        page.evaluate(`caches.match('/push/state').then((state) => state.json())
        .then(({ sentAt }) => sentAt)`),
      )
      .toBeGreaterThan(Date.now() - DAY_MS / 2);
    await page.evaluate(`localStorage.subscription = JSON.stringify({ key: 'BAAA', number: 1 })`);
    await remember(page, { sentAt: Date.now() - DAY_MS });
    await page.reload();
    await expect.poll(() => changes).toHaveLength(4);
    expect(changes[2]).toEqual({ method: 'DELETE', body: { endpoint: endpoint(1) } });
    expect(changes[3]?.body.subscription?.endpoint).toBe(endpoint(2));
  });

  test('the service worker renews a subscription that the browser replaces', async () => {
    const { page, worker } = await subscribe(11);
    const renewed = service.subscribe('renewed', []);
    const given = JSON.stringify({ endpoint: renewed.endpoint, keys: renewed.keys });
    // Resolves when the worker has finished: with the old subscription still there, both would be sent the episode.
    await worker.evaluate(`new Promise((waitUntil) => {
      const event = new ExtendableEvent('pushsubscriptionchange');
      dispatchEvent(Object.assign(event, { newSubscription: ${given}, waitUntil }));
    })`);
    const state = await page.evaluate(`caches.match('/push/state').then((kept) => kept.json())`);
    expect(state).toMatchObject({ endpoint: renewed.endpoint });
    anime(11).episode += 1;
    await expect.poll(() => service.accepted).not.toEqual([]);
    expect(service.accepted.map(({ name }) => name)).toEqual(['renewed']);
  });

  test('what one tab has switched off stays off when another tab is left, and is shown there', async () => {
    const { page, changes } = await subscribe(13);
    const opened = page.context().waitForEvent('page');
    await page.evaluate(`window.open(location.href, '_blank', 'noopener') && undefined`);
    const tab = await opened;
    onTestFinished(() => tab.close());
    await isSwitched(tab, true);
    await tab.locator('#PushButton').click();
    await says(tab, 'Untuk anime yang kamu ikuti');
    // The first tab comes to the front or is left, which has it send what has changed.
    await page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`);
    await isSwitched(page, false);
    expect(changes.map(({ method }) => method)).toEqual(['PUT']);
    expect(await page.evaluate('localStorage.subscription')).toBeUndefined();
  });

  test('a subscription survives a push service that does not answer', async () => {
    const { page } = await subscribe(14);
    await remember(page, { sentAt: Date.now() - DAY_MS });
    await page.addInitScript(`PushManager.prototype.subscribe = async () => {
      throw new DOMException('the push service does not answer', 'AbortError');
    }`);
    await page.reload();
    await says(page, 'Gagal.');
    expect(await page.evaluate('Boolean(localStorage.subscription)')).toBe(true);
    await isSwitched(page, true);
  });

  test('a failure is said, and the button stays', async () => {
    const { page } = await open(pageOf(12));
    await page.route('**/push/subscription', (route) => route.fulfill({ status: 503 }));
    await page.locator('#PushButton:enabled').click();
    await says(page, 'Gagal.');
    expect(await page.locator('#PushButton').isEnabled()).toBe(true);
    // It is still said after the page has told the service what is followed, as it does two seconds later.
    await page.locator('#Follow').click();
    await page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`);
    await page.locator('#PushButton:enabled').waitFor();
    await says(page, 'Gagal.');
    expect(browser.takeTroubles()).toEqual([saidOf(503)]);
  });

  test('a refusal is respected', async () => {
    const { page, changes } = await open(pageOf(12), 'denied');
    await page.locator('#PushButton:enabled').click();
    await says(page, 'Browsermu memblokir notifikasi');
    expect(changes).toEqual([]);
  });

  test('a page whose browser has no push messages does not offer them', async () => {
    const page = await browser.openPage(onTestFinished, {});
    await page.addInitScript('delete window.PushManager');
    await page.goto(address() + pageOf(1));
    await page.locator('#Push').waitFor({ state: 'hidden' });
  });
});
