import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { HOUR_MS, MINUTE_MS } from '../../src/domain/units.ts';
import { describeInBrowser, type TestBrowser } from '../support/browser.ts';
import { prepareListings } from '../support/fixed-listing.ts';
import { findAxeViolations } from '../support/page-rules.ts';
import { readJson } from '../support/service.ts';
import { SAMPLES, SHOWN_AT } from '../support/situations.ts';

const PHONE = { width: 390, height: 844 };
const SMALL_PHONE = { width: 360, height: 740 };
const DESKTOP = { width: 1280, height: 900 };
/** The addresses of covers, ours and those of the source. */
const COVERS = /\/(?:covers|wp-content)\//u;
const FOLLOWED = [SAMPLES.seen, SAMPLES.longTitle, SAMPLES.ended];

/** The front page of 90 anime with titles as long as the source's, at 19.40 on a Friday in Jakarta. */
describeInBrowser('the timeline of the front page', (browser) => {
  let address: string;
  /** The same listing while the source has refused access for five hours. */
  let stale: string;
  /** What the browser has kept: all was watched but three episodes. */
  let watched: Record<string, number>;

  beforeAll(async () => {
    const open = await prepareListings(afterAll);
    address = await open('usual');
    stale = await open('stale');
    const { data } = await readJson(fetch(`${address}/api/anime`));
    const ongoing: { slug: string; episode: number; date: string }[] = data.ongoing;
    const missed = [SAMPLES.seen, ongoing.find(({ date }) => date === '19 Nov')?.slug, SAMPLES.abbreviated];
    watched = Object.fromEntries(
      ongoing.map(({ slug, episode }) => [slug, episode - Number(missed.includes(slug))]),
    );
  });

  interface Visitor extends NonNullable<Parameters<TestBrowser['openPage']>[1]> {
    /** What the browser has kept. */
    kept?: Record<string, unknown>;
    origin?: string;
  }

  async function visit(
    path = '/?lang=id',
    { kept = {}, origin = address, ...options }: Visitor = {},
  ): Promise<Page> {
    const page = await browser.openPage(onTestFinished, {
      ...{ viewport: PHONE, locale: 'id-ID', timezoneId: 'Asia/Jakarta' },
      ...options,
    });
    await page.clock.setFixedTime(SHOWN_AT);
    await page.addInitScript(`window.shifts = [];
      new PerformanceObserver((list) => shifts.push(
        ...list.getEntries().filter(({ hadRecentInput }) => !hadRecentInput).map(({ value }) => value)))
        .observe({ type: 'layout-shift', buffered: true });
      if (!sessionStorage.begun) Object.assign(localStorage, ${JSON.stringify(stringify(kept))});
      sessionStorage.begun = 'true';`);
    await page.goto(origin + path);
    return page;
  }

  const stringify = (kept: object) =>
    Object.fromEntries(Object.entries(kept).map(([key, value]) => [key, JSON.stringify(value)]));
  const settled = (page: Page) => page.locator('#Updated time').waitFor({ state: 'detached' });
  const titles = (page: Page) => page.locator('#Timeline .rows > li:visible .title').allTextContents();
  const read = (page: Page, selector: string, property: string) =>
    page.evaluate<string[]>(`[...document.querySelectorAll('${selector}')].map((one) => one.${property})`);
  const row = (page: Page, slug: string) => page.locator(`#Timeline li[data-slug="${slug}"]`);
  const shift = (page: Page) => page.evaluate<number>('shifts.reduce((sum, one) => sum + one, 0)');

  test('is enough for ten seconds: the first screen has what comes next, its hour and a countdown', async () => {
    const page = await visit('/?lang=id', { viewport: SMALL_PHONE });
    const cards = page.locator('#Next > li');
    expect(await cards.allInnerTexts()).toEqual([
      expect.stringMatching(/^±20\.28\s+.+\s+Ep \d+\s+0:48:00 lagi/u),
      expect.stringMatching(/^±22\.35\s+.+\s+Ep \d+\s+2:55:00 lagi/u),
      expect.stringMatching(/^Besok ±08\.21\s+.+\s+Ep \d+\s+12:41:00 lagi/u),
    ]);
    for (const card of await cards.all()) {
      const { y, height } = (await card.boundingBox())!;
      expect(y + height).toBeLessThan(SMALL_PHONE.height);
      expect((await card.locator('.cover').boundingBox())!.width).toBeGreaterThanOrEqual(56);
    }
    await page.clock.setFixedTime(SHOWN_AT + 1_000);
    await page.getByText('0:47:59 lagi').waitFor();
    // Its hour passes: the next one takes its place, and it is awaited.
    await page.clock.setFixedTime(SHOWN_AT + 49 * MINUTE_MS);
    await page.getByText('Ditunggu sejak ±20.28').waitFor();
    expect(await cards.allInnerTexts()).toEqual([
      expect.stringMatching(/^±22\.35[\s\S]+2:06:00 lagi/u),
      expect.stringMatching(/^Ditunggu sejak ±20\.28\s+.+\s+Ep \d+\s+☆$/u),
      expect.stringMatching(/^Besok ±08\.21/u),
    ]);
    expect(await page.locator('#Now').innerText()).toBe('Sekarang 20.29');
    expect(await shift(page)).toBeLessThan(0.1);
  });

  test('begins with what a follower has not watched, at noon and at night, until it is ticked', async () => {
    const kept = { 'tayang-followed': FOLLOWED, 'tayang-watched': watched };
    const page = await visit('/?lang=id', { kept, viewport: SMALL_PHONE });
    const unwatched = page.locator('#Unwatched');
    const isAbove = async () => {
      expect(await unwatched.locator('h2').innerText()).toBe('Belum ditonton 1');
      expect(await unwatched.locator('li').innerText()).toMatch(/^Penjaga Mercusuar Senja\s+Ep 8\s+✓$/u);
      const { y } = (await unwatched.boundingBox())!;
      expect(y).toBeLessThan((await page.locator('#Next').boundingBox())!.y);
    };
    await isAbove();
    await page.clock.setFixedTime(SHOWN_AT + 4 * HOUR_MS);
    await page.reload();
    await isAbove();
    const card = unwatched.locator('li');
    const tick = card.getByRole('button');
    const before = (await card.boundingBox())!;
    await tick.focus();
    await page.keyboard.press('Space');
    await card.getByText('Sudah ditonton · Ep 8').waitFor();
    expect(await unwatched.locator('h2').innerText()).toBe('Belum ditonton');
    expect(await card.boundingBox()).toEqual(before);
    expect(await focused(page)).toBe('↶');
    // The way back, also after a look at another page.
    await card.getByRole('link').click();
    await page.getByRole('heading', { level: 1, name: 'Penjaga Mercusuar Senja' }).waitFor();
    await page.goBack();
    await card.getByRole('button', { name: 'Batalkan: Penjaga Mercusuar Senja' }).click();
    await isAbove();
    await tick.click();
    await page.clock.setFixedTime(SHOWN_AT + 5 * HOUR_MS);
    await page.reload();
    await settled(page);
    expect(await card.count()).toBe(0);
    expect(await shift(page)).toBeLessThan(0.1);
    expect(await findAxeViolations(page)).toEqual([]);
  });

  test('has a tick on the rows of today that are followed, and on the page of the anime up to each episode', async () => {
    const kept = { 'tayang-followed': FOLLOWED, 'tayang-watched': { ...watched, [SAMPLES.seen]: 5 } };
    const page = await visit('/?lang=id', { kept });
    const tick = page.locator(`#Today [data-slug="${SAMPLES.seen}"] .tick`);
    expect(await tick.getAttribute('aria-label')).toBe('Sudah ditonton: Penjaga Mercusuar Senja, Ep 6–8');
    expect(await page.locator('#Today .tick').count()).toBe(1);
    await tick.click();
    expect(await tick.getAttribute('aria-pressed')).toBe('true');
    await page.locator('#Unwatched').getByText('Sudah ditonton · Ep 6–8').waitFor();
    await tick.click();
    await page.goto(`${address}/anime/${SAMPLES.seen}?lang=id`);
    const ticks = page.getByRole('button', { name: /^Sudah ditonton sampai episode \d$/u });
    const pressed = () => ticks.evaluateAll((all) => all.map((one) => one.ariaPressed));
    expect(await pressed()).toEqual(['false', 'false', 'false', 'true']);
    await page.getByText('5 dari 12 ditonton').waitFor();
    await ticks.nth(1).click();
    expect(await pressed()).toEqual(['false', 'true', 'true', 'true']);
    await ticks.nth(1).click();
    expect(await pressed()).toEqual(['false', 'false', 'false', 'true']);
    expect(await findAxeViolations(page)).toEqual([]);
  });

  test('puts the number of what was not watched on the icon of the installed app', async () => {
    const page = await browser.openPage(onTestFinished, { viewport: PHONE });
    await page.clock.setFixedTime(SHOWN_AT);
    await page.addInitScript(`Navigator.prototype.setAppBadge = async (n) => { window.badge = n; };
      Object.assign(localStorage, ${JSON.stringify(stringify({ 'tayang-followed': FOLLOWED, 'tayang-watched': watched }))})`);
    await page.goto(address);
    expect(await page.evaluate('badge')).toBe(1);
  });

  test('takes what an earlier version knew of the last visit for watched', async () => {
    const kept = {
      'tayang-followed': [SAMPLES.seen, SAMPLES.abbreviated],
      tayang: { seen: { [SAMPLES.seen]: 7 } },
    };
    const page = await visit('/?lang=id', { kept });
    expect(await page.locator('#Unwatched li').allInnerTexts()).toEqual([expect.stringMatching(/^Penjaga/u)]);
  });

  test('has a followed anime that is late beside what comes next', async () => {
    const { data } = await readJson(fetch(`${address}/api/anime/releases`));
    const kept = { 'tayang-followed': data.map(({ slug }: { slug: string }) => slug) };
    const page = await visit('/?lang=id', { kept });
    expect(await page.locator('#Next .hour:visible').allInnerTexts()).toEqual(['±20.28', '16.28', '±22.35']);
    await page.getByText('Telat, seharusnya 16.28').first().waitFor();
  });

  test.each([true, false])(
    'shows yesterday, today and six days ahead, then those without a date (JavaScript: %s)',
    async (javaScriptEnabled) => {
      const page = await visit('/?lang=id', { viewport: PHONE, javaScriptEnabled });
      const tabs = await page.locator('.tabs a:visible').allInnerTexts();
      expect(tabs.map((text) => text.replace('\n', ' '))).toEqual([
        ...['Kemarin 19', 'Hari ini 20', 'Besok 21', 'Min 22', 'Sen 23', 'Sel 24', 'Rab 25', 'Kam 26'],
        'Tanpa jadwal –',
      ]);
      const slugs = await read(page, '#Timeline .rows > li', 'dataset.slug');
      // The one that left is not among them, and one is in the schedule alone.
      expect(new Set(slugs).size).toBe(91);
      const headings = await page.locator('.day:visible h2').allInnerTexts();
      expect(headings).toHaveLength(javaScriptEnabled ? 1 : 9);
      expect(headings).toContain('Hari ini Jumat, 20 Nov');
      const needScript = await page.locator('form:visible, input:visible, button:visible').count();
      expect(needScript > 0).toBe(javaScriptEnabled);
    },
  );

  test('shows a day at a time, by keyboard too, and in a wide window the week in seven columns', async () => {
    const page = await visit();
    await page.getByRole('link', { name: 'Besok' }).focus();
    await page.keyboard.press('Space');
    expect(await page.locator('.day:visible h2').allInnerTexts()).toEqual(['Besok Sabtu, 21 Nov']);
    await page.getByRole('link', { name: 'Kemarin' }).click();
    expect(await page.locator('.tabs [aria-current]').allInnerTexts()).toEqual(['Kemarin\n19']);
    expect(new URL(page.url()).hash).toBe('#Day-2026-11-19');
    await page.setViewportSize(DESKTOP);
    await page.getByRole('link', { name: 'Hari ini' }).click();
    expect(new Set(await read(page, '#Week .day', 'getBoundingClientRect().x')).size).toBe(7);
    await page.goto(`${address}/?lang=en`);
    const headings = await page.locator('#Week h2').allInnerTexts();
    expect(headings.slice(1, 3)).toEqual(['Tomorrow\nSaturday 21 Nov', 'Sunday\n22 Nov']);
  });

  test('says of each release its hour and state, and marks every estimate, on the smallest phone too', async () => {
    const page = await visit('/?lang=id', { javaScriptEnabled: false, viewport: SMALL_PHONE });
    const today = await page.locator('#Today > .rows > li').allInnerTexts();
    const out = today.flatMap((text) => /^Rilis \d\d\.\d\d/u.exec(text) ?? []);
    expect(out).toHaveLength(8);
    expect(out).toEqual(out.toSorted().toReversed());
    expect(today.at(-1)).toMatch(/^±22\.35\s+\S.+\s+Ep \d+$/u);
    expect(await page.locator('#Today .group').allInnerTexts()).toEqual(['Sudah rilis', 'Masih ditunggu']);
    expect(await page.locator('#OutCount').innerText()).toMatch(/^9 dari 1\d sudah rilis$/u);
    expect(await page.locator('#Late summary').innerText()).toBe('Telat 1');
    const hours = await page.locator('.rows .expected .hour').allInnerTexts();
    expect(hours.length).toBeGreaterThan(40);
    for (const hour of hours) expect(hour).toMatch(/^±\d\d\.\d\d$/u);
    expect(await page.getByText('± perkiraan').count()).toBe(1);
    expect(await page.locator('.zone').innerText()).toBe('WIB');
    const widths = await read(page, '.rows .cover', 'getBoundingClientRect().width');
    expect(Math.min(...widths.map(Number))).toBeGreaterThanOrEqual(56);
  });

  test.each([PHONE, DESKTOP])(
    'shows unseen episodes below the expected ones, open, with the reason (%j)',
    async (viewport) => {
      const page = await visit('/?lang=id', { origin: stale, viewport });
      await settled(page);
      const unseen = page.locator('#Unseen');
      expect(await unseen.locator('h3').innerText()).toBe(
        'Mungkin sudah rilis: situs sumber belum bisa dicek',
      );
      for (const text of await unseen.locator('li').allInnerTexts())
        expect(text.replaceAll(/\s+/gu, ' ')).toMatch(/^Mungkin sudah rilis, ±\d\d\.\d\d .+ Ep \d+/u);
      expect(await unseen.locator('li:visible').count()).toBe(3);
      expect(await page.locator('#OutCount').innerText()).toBe('6 dari 8 sudah rilis');
      expect(await page.locator('#Late').count()).toBe(0);
      expect(await findAxeViolations(page)).toEqual([]);
    },
  );

  test('has a followed anime that may be out among what comes next, without a countdown, until it is out', async () => {
    const page = await browser.openPage(onTestFinished, {
      viewport: PHONE,
      locale: 'id-ID',
      timezoneId: 'Asia/Jakarta',
    });
    await page.clock.setFixedTime(SHOWN_AT);
    await page.addInitScript(`localStorage['tayang-followed'] = '["${SAMPLES.longTitle}"]';
      window.EventSource = class extends EventTarget { constructor() { super(); window.stream = this; } };`);
    await page.goto(`${stale}/?lang=id`);
    const card = page.locator('#Next > li').nth(1);
    expect(await card.innerText()).toMatch(/^Mungkin sudah rilis, ±16\.28\s+Isekai Tensei/u);
    expect(await card.locator('.countdown').count()).toBe(0);
    const event = { slug: SAMPLES.longTitle, type: 'new-episode', episode: 8, at: '2026-11-20T12:39:00Z' };
    await page.evaluate(
      `stream.dispatchEvent(new MessageEvent('new-episode', { data: ${JSON.stringify(JSON.stringify(event))} }))`,
    );
    expect(await row(page, SAMPLES.longTitle).first().innerText()).toMatch(/^Rilis 19\.39/u);
    expect(await page.locator('#Unwatched li').innerText()).toMatch(/Ep 8/u);
    // It was not counted before.
    expect(await page.locator('#OutCount').innerText()).toBe('7 dari 9 sudah rilis');
  });

  test('says the same as the API', async () => {
    const page = await visit();
    const { data } = await readJson(fetch(`${address}/api/anime/releases`));
    const releases: { slug: string; day: string }[] = data;
    for (const day of ['2026-11-19', '2026-11-20', '2026-11-25']) {
      const shown = await read(page, `.day[data-date="${day}"] .rows > li`, 'dataset.slug');
      const ofDay = releases.filter((one) => one.day === day).map(({ slug }) => slug);
      expect(shown.toSorted()).toEqual(ofDay.toSorted());
    }
  });

  describe('moves nothing after it is painted', () => {
    const VISITORS: [name: string, kept: () => Record<string, unknown>][] = [
      ['who is new', () => ({})],
      ['who follows one', () => ({ 'tayang-followed': [SAMPLES.seen] })],
      [
        'who follows several and missed some',
        () => ({ 'tayang-followed': FOLLOWED, 'tayang-watched': watched }),
      ],
      ['in another zone', () => ({ 'tayang-zone': 'Asia/Makassar' })],
    ];

    const WIDTHS = [SMALL_PHONE, DESKTOP];
    test.each(VISITORS.flatMap((one) => WIDTHS.map((width) => [...one, width] as const)))(
      'for somebody %s',
      async (_name, kept, viewport) => {
        const page = await visit('/docs', { kept: kept(), viewport });
        await page.route(COVERS, async (route) => {
          await new Promise((done) => setTimeout(done, 150));
          await route.continue().catch(() => {});
        });
        await page.route('**/assets/*.js', async (route) => {
          // Only the script that runs before the page is painted holds it up.
          if (!route.request().url().endsWith('before-paint.js'))
            await new Promise((done) => setTimeout(done, 300));
          await route.continue();
        });
        await page.goto(`${address}/?lang=id`);
        await settled(page);
        await scrollThrough(page);
        expect(await page.evaluate(LOADED_COVERS)).toBeGreaterThan(5);
        expect(await shift(page)).toBeLessThan(0.05);
        await page.evaluate(`scrollTo({ top: 0, behavior: 'instant' })`);
        // What would shift is seen.
        await page.evaluate(`document.querySelector('#Status').style.minHeight = '20rem'`);
        await expect.poll(() => shift(page)).toBeGreaterThan(0.1);
      },
    );

    test('when the first anime is followed, which offers right there to tell of it, and the last one no more', async () => {
      const page = await visit();
      const star = page.locator('#Today .rows .star').first();
      await star.scrollIntoViewIfNeeded();
      for (const shown of [1, 0]) {
        const { y } = (await star.boundingBox())!;
        await star.click();
        expect(await page.locator('#Mine .rows > li').count()).toBe(shown);
        expect((await star.boundingBox())!.y).toSatisfy((now: number) => Math.abs(now - y) < 1.5);
      }
      const subscribe = page.locator('#Today .offer').getByRole('link', { name: 'Tambahkan ke kalender' });
      await star.click();
      const slug = await page.locator('#Today .rows > li').first().getAttribute('data-slug');
      const path = `/feeds/schedule.ics?slug=${slug}`;
      expect(await subscribe.getAttribute('href')).toBe(`webcal://tayang.example${path}`);
      expect(await page.getByRole('link', { name: 'file .ics' }).first().getAttribute('href')).toContain(
        path,
      );
    });
  });

  describe('is searched', () => {
    test.each([
      ['a part of the title', 'kutukan'],
      ['its title without its spaces', 'Penyihirkutu'],
      ['its title with a hyphen', 'penyihir-kutukan'],
      ['its words in another order, case and spelling', 'kutúkan PENYIHIR'],
      ['its slug', 'jjk-s3-sub-indo'],
      ['what people write behind a title', 'kutukan sub indo'],
      ['the initials of its words', 'pks3'],
      ['its Japanese title', undefined],
    ])('by %s', async (_name, text) => {
      const page = await visit();
      const japanese = await row(page, SAMPLES.abbreviated).first().getAttribute('data-also');
      await openSearch(page);
      await page.getByRole('searchbox', { name: 'Cari judul' }).pressSequentially(text ?? japanese!);
      expect(new Set(await titles(page))).toEqual(new Set(['Penyihir Kutukan Season 3']));
      expect(await page.locator('#Count').innerText()).toBe('1 anime');
      await page.getByRole('searchbox').fill('');
      expect(await page.locator('#Count').innerText()).toBe('');
    });

    test('in a wide window without the days and the late ones that have no match', async () => {
      const page = await visit('/?lang=id', { viewport: DESKTOP });
      await openSearch(page);
      await page.keyboard.type('jjk');
      expect(await page.locator('.day:visible h2').allInnerTexts()).toEqual(['Senin 23 Nov']);
      expect(await page.locator('#Late').isVisible()).toBe(false);
    });

    test('by genre, in all days at once, yesterday too', async () => {
      const page = await visit('/?lang=en');
      await openSearch(page);
      await page.getByRole('combobox', { name: 'Genre' }).selectOption('Mystery');
      const shown = await titles(page);
      expect(new Set(shown).size).toBe(20);
      expect(await page.locator('#Count').innerText()).toBe('20 anime');
      expect(await page.locator('.day[data-date="2026-11-19"] .rows > li:visible').count()).toBeGreaterThan(
        0,
      );
      await page.getByRole('searchbox').fill('xyz');
      expect(await titles(page)).toEqual([]);
      expect(await page.locator('.day:visible').count()).toBe(0);
      expect(await page.locator('#Count').innerText()).toContain('No match.');
      expect(await findAxeViolations(page)).toEqual([]);
    });

    test('and the search is still there for somebody who comes back to it', async () => {
      const page = await visit();
      await openSearch(page);
      await page.keyboard.type('jjk');
      await page.getByRole('link', { name: 'Penyihir Kutukan Season 3' }).first().click();
      await page.getByRole('heading', { name: 'Daftar episode' }).waitFor();
      await page.goBack();
      await settled(page);
      expect(await page.getByRole('searchbox').inputValue()).toBe('jjk');
      expect(new Set(await titles(page))).toEqual(new Set(['Penyihir Kutukan Season 3']));
      expect(await shift(page)).toBeLessThan(0.1);
      await page.reload();
      await settled(page);
      expect(await page.locator('#Count').innerText()).toBe('1 anime');
      expect(await shift(page)).toBeLessThan(0.1);
    });
  });

  test('works without storage', async () => {
    const page = await browser.openPage(onTestFinished, { locale: 'id-ID' });
    await page.addInitScript(
      `Object.defineProperty(window, 'localStorage', { get() { throw new Error('no'); } })`,
    );
    await page.goto(address);
    await openSearch(page);
    await page.keyboard.type('kutukan');
    expect(new Set(await titles(page)).size).toBe(1);
    await page.locator('#Timeline .star:visible').first().click();
    expect(await page.locator('#Mine .rows > li').count()).toBe(1);
  });

  test('tells a follower that an anime has ended, who can let go of it', async () => {
    const page = await visit('/?lang=id', { kept: { 'tayang-followed': FOLLOWED } });
    await page.getByRole('link', { name: 'Diikuti' }).click();
    const card = page.locator('#Mine li', { hasText: 'Menara di Ujung Musim' });
    await card.getByText('Tamat').waitFor();
    expect(await findAxeViolations(page)).toEqual([]);
    await card.getByRole('link').click();
    await page.getByText('Sudah tamat.').waitFor();
    await page.goBack();
    await page.getByRole('link', { name: 'Diikuti' }).click();
    await card.locator('.star').click();
    // It stays until the list is opened again.
    expect(await card.count()).toBe(1);
    await page.getByRole('link', { name: 'Kemarin' }).click();
    await page.getByRole('link', { name: 'Diikuti' }).click();
    expect(await card.count()).toBe(0);
    expect(await page.evaluate(`JSON.parse(localStorage['tayang-followed'])`)).not.toContain(SAMPLES.ended);
  });

  test.each([
    ['Asia/Makassar', '15.07', 'WITA'],
    ['Asia/Jayapura', '16.07', 'WIT'],
    // There, it is still the day before.
    ['America/New_York', '02.07', 'New York (perangkat ini)'],
  ])(
    'shows the hours of the device in %s, names its zone, and another one that is chosen',
    async (timezoneId, hour, name) => {
      const page = await visit('/?lang=id', { timezoneId });
      const shown = row(page, SAMPLES.seen).first().locator('.hour');
      expect(await shown.innerText()).toBe(hour);
      const zone = page.getByRole('combobox', { name: 'Zona waktu' });
      expect(await zone.locator('option:checked').innerText()).toBe(name);
      const { y } = (await zone.boundingBox())!;
      expect(y).toBeLessThan((await page.locator('#Next').boundingBox())!.y);
      await zone.selectOption('America/Los_Angeles');
      await page.reload();
      expect((await shown.innerText()).replace(/\s+/gu, ' ')).toBe('Kam 23.07');
      await page.goto(`${address}/anime/${SAMPLES.seen}?lang=id`);
      await page.getByText('Kam, 19 Nov, 23.07').first().waitFor();
    },
  );

  test('keeps the chosen day on a reload, on the way back, and in the address that is shared', async () => {
    const page = await visit();
    await page.getByRole('link', { name: /^Sel/u }).click();
    const isTuesday = async (one: Page) => {
      await settled(one);
      expect(await one.locator('.day:visible h2').allInnerTexts()).toEqual(['Selasa 24 Nov']);
      expect(await shift(one)).toBeLessThan(0.1);
    };
    await page.reload();
    await isTuesday(page);
    await page.locator('.day:visible .title').first().click();
    await page.getByRole('heading', { name: 'Daftar episode' }).waitFor();
    await page.goBack();
    await isTuesday(page);
    const shared = await visit(`/?lang=id${new URL(page.url()).hash}`);
    await isTuesday(shared);
    expect(await shared.evaluate(`document.querySelector('.tabs').getBoundingClientRect().top`)).toBeLessThan(
      100,
    );
    await page.getByRole('link', { name: 'Hari ini' }).click();
    expect(new URL(page.url()).hash).toBe('');
  });

  test('moves no card and no row under a star, and keeps the focus, by touch and by keyboard', async () => {
    const page = await visit('/?lang=id', { viewport: SMALL_PHONE, hasTouch: true });
    const order = () => page.locator('#Next .title').allTextContents();
    const before = await order();
    const star = page.locator('#Next > li').nth(1).locator('.star');
    const { x, y, width, height } = (await star.boundingBox())!;
    for (const pressed of ['true', 'false']) {
      await page.touchscreen.tap(x + width / 2, y + height / 2);
      expect(await star.getAttribute('aria-pressed')).toBe(pressed);
      expect(await order()).toEqual(before);
      expect((await star.boundingBox())!.y).toBe(y);
    }
    await star.focus();
    await page.keyboard.press('Enter');
    expect(await focused(page)).toBe('★');
    await page.locator('#MineTab').dispatchEvent('click');
    const own = page.locator('#Mine .rows > li');
    await own.locator('.star').focus();
    await page.keyboard.press('Enter');
    // The row stays, with the way back.
    expect(await own.count()).toBe(1);
    expect(await focused(page)).toBe('☆');
  });

  test('says when page 1 of the source was last read', async () => {
    const page = await visit();
    await page.getByText('Diperbarui 3 mnt lalu').waitFor();
    const without = await visit('/?lang=id', { javaScriptEnabled: false });
    expect(await without.locator('#Status').innerText()).toBe('Diperbarui Jum, 20 Nov, 18.40');
  });

  test('leads to the page of an anime, which begins with its next episode, and where nothing moves', async () => {
    const page = await visit(`/anime/${SAMPLES.abbreviated}?lang=id`, { viewport: SMALL_PHONE });
    await page.getByText('2 hari 16 jam lagi').waitFor();
    await scrollThrough(page);
    expect(await shift(page)).toBeLessThan(0.01);
    const follow = (await page.getByRole('button', { name: 'Ikuti' }).boundingBox())!;
    expect(follow.y + follow.height).toBeLessThan(SMALL_PHONE.height);
    const next = await page.locator('.up-next').innerText();
    expect(next).toMatch(
      /^Episode 6\s+2 hari 16 jam lagi\s+Senin, 23 Nov, sekitar 12\.28 WIB \(12\.16–12\.53\)\s+Biasanya Senin, sekitar 12\.\d\d\.$/u,
    );
    expect(await page.locator('.facts').isVisible()).toBe(false);
    await page.setViewportSize(DESKTOP);
    expect(await page.locator('.facts').innerText()).toMatch(
      /Tayang sejak\s+2 Oktober 2026[\s\S]+Studio\s+Studio Daun/u,
    );
    const without = await visit(`/anime/${SAMPLES.abbreviated}?lang=id`, { javaScriptEnabled: false });
    expect(await without.locator('.countdown').isVisible()).toBe(false);
  });

  test('has every control in reach of the Tab key, stars beside their titles', async () => {
    const page = await visit('/?lang=id', { viewport: SMALL_PHONE });
    await settled(page);
    await page.keyboard.press('Tab');
    expect(await focused(page)).toBe('Langsung ke isi');
    expect(await page.evaluate('getComputedStyle(document.activeElement).clipPath')).toBe('none');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    expect(await page.evaluate(`document.activeElement.closest('main') !== null`)).toBe(true);
    const title = row(page, SAMPLES.seen).first().getByRole('link');
    await title.focus();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Space');
    expect(await page.locator('#Mine .rows .title').allTextContents()).toEqual(['Penjaga Mercusuar Senja']);
    expect(await focused(page)).toBe('★');
  });

  test('marks the tab of the chosen day in forced colours, too', async () => {
    const page = await visit('/?lang=en', { forcedColors: 'active' });
    const colours = await read(page, '.tabs a', 'computedStyleMap().get("border-bottom-color").toString()');
    expect(new Set(colours).size).toBe(2);
  });

  test.each(['/?lang=id', `/anime/${SAMPLES.seen}?lang=id`])(
    'has a colour where a cover does not load, and no sign of the browser, without JavaScript (%s)',
    async (path) => {
      const page = await visit(path, { javaScriptEnabled: false });
      await page.route(COVERS, (route) => route.fulfill({ status: 404 }));
      await page.reload({ waitUntil: 'networkidle' });
      const cover = page.locator('#Today .cover, .anime .cover').first();
      const broken = await cover.screenshot();
      await page.evaluate(`document.querySelector('#Today .cover, .anime .cover').replaceChildren()`);
      expect(broken.equals(await cover.screenshot())).toBe(true);
      browser.takeTroubles();
    },
  );

  test('has no cover that did not load among the followed anime either', async () => {
    const page = await visit('/docs');
    await page.route(COVERS, (route) => route.fulfill({ status: 404 }));
    await page.goto(`${address}/?lang=id`);
    await row(page, SAMPLES.seen).first().locator('.star').click();
    await page.locator('#MineTab').click();
    await page.locator('#Mine .cover').waitFor({ state: 'attached' });
    await expect
      .poll(() => page.locator('#Mine .cover img, #Today > .rows .cover img, :first-child > .glow').count())
      .toBe(0);
    browser.takeTroubles();
  });
});

const LOADED_COVERS = `[...document.querySelectorAll('.cover img')].filter((one) => one.naturalWidth > 0).length`;

async function scrollThrough(page: Page): Promise<void> {
  for (let screen = 0; screen < 12; screen += 1) {
    await page.evaluate(`scrollTo({ top: ${screen} * innerHeight, behavior: 'instant' })`);
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
  }
}

const openSearch = (page: Page) => page.getByRole('button', { name: /^(Cari|Search)$/u }).click();

const focused = (page: Page) => page.evaluate<string>('document.activeElement.textContent');
