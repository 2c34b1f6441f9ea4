import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { describeInBrowser, type TestBrowser } from '../support/browser.ts';
import { prepareListings } from '../support/fixed-listing.ts';
import { findAxeViolations } from '../support/page-rules.ts';
import { readJson } from '../support/service.ts';
import { SAMPLES, SHOWN_AT } from '../support/situations.ts';

const PHONE = { width: 390, height: 844 };
const SMALL_PHONE = { width: 360, height: 740 };
const DESKTOP = { width: 1280, height: 900 };
const DAY_MS = 86_400_000;
const FOLLOWED = [SAMPLES.seen, SAMPLES.longTitle, SAMPLES.ended];

/** The front page of 90 anime with titles as long as the source's, at 12.00 on a Friday in Jakarta. */
describeInBrowser('the timeline of the front page', (browser) => {
  let address: string;
  /** What the browser has kept of a visit two days ago, since which three episodes came out. */
  let visits: { seen: Record<string, number>; seenAt: number };

  beforeAll(async () => {
    const open = await prepareListings(afterAll);
    address = await open('usual');
    const { data } = await readJson(fetch(`${address}/api/anime`));
    const ongoing: { slug: string; episode: number; date: string }[] = data.ongoing;
    const missed = [SAMPLES.seen, ongoing.find(({ date }) => date === '19 Nov')?.slug, SAMPLES.abbreviated];
    const seen = ongoing.map(({ slug, episode }) => [slug, episode - Number(missed.includes(slug))]);
    visits = { seen: Object.fromEntries(seen), seenAt: SHOWN_AT - 2 * DAY_MS };
  });

  interface Visitor extends NonNullable<Parameters<TestBrowser['openPage']>[1]> {
    /** What the browser has kept. */
    kept?: Record<string, unknown>;
  }

  async function visit(path = '/?lang=id', { kept = {}, ...options }: Visitor = {}): Promise<Page> {
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
    await page.goto(address + path);
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

  test.each([true, false])(
    'shows yesterday, today, tomorrow, the rest of the week, then the others (JavaScript: %s)',
    async (javaScriptEnabled) => {
      const page = await visit('/?lang=id', { viewport: DESKTOP, javaScriptEnabled });
      expect(await page.locator('#Timeline :is(h2, h3)').allInnerTexts()).toEqual([
        ...[
          'Kemarin Kamis, 19 November · 13 rilis',
          'Hari ini Jumat, 20 November',
          'Besok Sabtu, 21 November',
        ],
        ...['Pekan ini', 'Minggu, 22 November', 'Senin, 23 November', 'Selasa, 24 November'],
        ...['Rabu, 25 November', 'Kamis, 26 November', expect.stringMatching(/^Lainnya \d+$/u)],
      ]);
      const slugs = await read(page, '#Timeline .rows > li', 'dataset.slug');
      // The one that left is not among them, and one is in the schedule alone.
      expect(new Set(slugs).size).toBe(91);
      const needScript = await page.locator('form:visible, input:visible, button:visible').count();
      expect(needScript > 0).toBe(javaScriptEnabled);
    },
  );

  test('says of each release what is out at which hour, what is expected within which window, and what is late', async () => {
    const page = await visit('/?lang=id', { javaScriptEnabled: false });
    const today = await page.locator('#Today .rows > li').allTextContents();
    expect(today[0]).toMatch(/^08\.00.+Ep \d+(\/12)? · sudah rilis/u);
    expect(today.find((text) => text.includes('terlambat'))).toMatch(/^08\.28.+Ep \d+ · terlambat/u);
    expect(today.find((text) => text.startsWith('15.21'))).toMatch(/Ep \d+ · perkiraan 15\.09–15\.46/u);
    expect(today.at(-1)).toMatch(/Ep \d+ · jam belum pasti/u);
    const states = await read(page, '#Today .rows > li', 'className');
    expect(states).toEqual(states.toSorted((a, b) => ORDER.indexOf(a) - ORDER.indexOf(b)));
    const out = states.filter((state) => state === 'out').length;
    expect(await page.locator('#OutCount').innerText()).toBe(`${out} dari ${states.length} sudah rilis`);
  });

  test('says the same as the API', async () => {
    const page = await visit();
    const { data } = await readJson(fetch(`${address}/api/anime/releases`));
    const releases: { slug: string; day: string }[] = data;
    for (const [part, day] of [
      ['#Yesterday', '2026-11-19'],
      ['#Today', '2026-11-20'],
      ['[data-date="2026-11-25"]', '2026-11-25'],
    ]) {
      const shown = await read(page, `${part} .rows > li`, 'dataset.slug');
      const ofDay = releases.filter((one) => one.day === day).map(({ slug }) => slug);
      expect(shown.toSorted()).toEqual(ofDay.toSorted());
    }
  });

  test('takes at most nine phone screens, and uses the width of a desktop', async () => {
    /** Rows have their height when they have been in view. */
    async function screens(page: Page): Promise<number> {
      await scrollThrough(page);
      return page.evaluate<number>('document.documentElement.scrollHeight / innerHeight');
    }
    const phone = await visit('/?lang=id', { kept: { 'tayang-followed': FOLLOWED } });
    await settled(phone);
    expect(await screens(phone)).toBeLessThan(9);
    await phone.locator('#Yesterday summary').click();
    expect(await screens(phone)).toBeLessThan(9.5);
    const desktop = await visit('/?lang=id', { viewport: DESKTOP });
    expect(new Set(await read(desktop, '.day[data-date]', 'getBoundingClientRect().x')).size).toBe(3);
    expect(await screens(desktop)).toBeLessThan(4);
  });

  describe('moves nothing after it is painted', () => {
    const VISITORS: [name: string, kept: () => Record<string, unknown>][] = [
      ['who is new', () => ({})],
      ['who follows one', () => ({ 'tayang-followed': [SAMPLES.seen] })],
      ['who follows several and missed some', () => ({ 'tayang-followed': FOLLOWED, tayang: visits })],
      ['in another zone', () => ({ 'tayang-zone': 'Asia/Makassar' })],
    ];

    const WIDTHS = [PHONE, SMALL_PHONE, DESKTOP];
    test.each(VISITORS.flatMap((one) => WIDTHS.map((width) => [...one, width] as const)))(
      'for somebody %s',
      async (_name, kept, viewport) => {
        const page = await visit('/docs', { kept: kept(), viewport });
        await page.route('**/wp-content/**', async (route) => {
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
        expect(await shift(page)).toBeLessThan(0.02);
        await page.evaluate(`scrollTo({ top: 0, behavior: 'instant' })`);
        // What would shift is seen.
        await page.evaluate(`document.querySelector('#Status').style.minHeight = '20rem'`);
        await expect.poll(() => shift(page)).toBeGreaterThan(0.1);
      },
    );

    test('when the first anime is followed, and the last one no more', async () => {
      const page = await visit();
      const star = row(page, SAMPLES.longTitle).locator('.star');
      await star.scrollIntoViewIfNeeded();
      for (const shown of [1, 0]) {
        const { y } = (await star.boundingBox())!;
        await star.click();
        expect(await page.locator('#Mine li').count()).toBe(shown);
        expect((await star.boundingBox())!.y).toSatisfy((now: number) => Math.abs(now - y) < 1.5);
      }
    });
  });

  describe('is searched', () => {
    test.each([
      ['a part of the title', 'kutukan'],
      ['its slug', 'jjk'],
      ['the initials of its words', 'pks3'],
      ['its Japanese title', undefined],
    ])('by %s', async (_name, text) => {
      const page = await visit();
      const japanese = await row(page, SAMPLES.abbreviated).first().getAttribute('data-ja');
      await page.getByRole('searchbox', { name: 'Cari judul' }).pressSequentially(text ?? japanese!);
      expect(new Set(await titles(page))).toEqual(new Set(['Penyihir Kutukan Season 3']));
      expect(await page.locator('#Count').innerText()).toBe('1 anime');
    });

    test('by genre, in all days at once, yesterday too', async () => {
      const page = await visit('/?lang=en');
      await page.getByRole('combobox', { name: 'Genre' }).selectOption('Mystery');
      const shown = await titles(page);
      expect(new Set(shown).size).toBe(20);
      expect(await page.locator('#Yesterday .rows > li:visible').count()).toBeGreaterThan(0);
      await page.getByRole('searchbox').fill('xyz');
      expect(await titles(page)).toEqual([]);
      expect(await page.locator('.day:visible').count()).toBe(0);
      expect(await page.locator('#Count').innerText()).toContain('Nothing matches');
      expect(await findAxeViolations(page)).toEqual([]);
    });

    test('and the search is still there for somebody who comes back to it', async () => {
      const page = await visit();
      await page.getByRole('searchbox').pressSequentially('jjk');
      await page.getByRole('link', { name: 'Penyihir Kutukan Season 3' }).first().click();
      await page.getByRole('heading', { name: 'Riwayat episode' }).waitFor();
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

  test('shows what was missed since the last visit, alone on request, until the next visit', async () => {
    const page = await visit('/?lang=id', { kept: { tayang: visits } });
    const onlyNew = page.getByLabel('Baru', { exact: true });
    await page.getByRole('button', { name: '3 episode baru' }).click();
    expect(await page.locator('#Timeline .rows > li:visible').count()).toBe(3);
    // Where a later episode is awaited, the mark names the one that is out.
    const marks = page.locator('#Timeline .new');
    expect(await marks.allTextContents()).toEqual(['Baru', 'Baru', expect.stringMatching(/^Ep \d+$/u)]);
    expect(await findAxeViolations(page)).toEqual([]);
    await page.reload();
    expect([await marks.count(), await onlyNew.isEnabled()]).toEqual([3, true]);
    await page.clock.setFixedTime(SHOWN_AT + DAY_MS / 24);
    await page.reload();
    expect([await marks.count(), await onlyNew.isEnabled()]).toEqual([0, false]);
  });

  test('works without storage', async () => {
    const page = await browser.openPage(onTestFinished, { locale: 'id-ID' });
    await page.addInitScript(
      `Object.defineProperty(window, 'localStorage', { get() { throw new Error('no'); } })`,
    );
    await page.goto(address);
    await page.getByRole('searchbox').fill('kutukan');
    expect(new Set(await titles(page)).size).toBe(1);
    await page.locator('#Timeline .star:visible').first().click();
    expect(await page.locator('#Mine .rows > li').count()).toBe(1);
  });

  test('tells a follower that an anime has ended, who can let go of it', async () => {
    const page = await visit('/?lang=id', { kept: { 'tayang-followed': FOLLOWED } });
    const card = page.locator('#Mine li', { hasText: 'Menara di Ujung Musim' });
    await card.getByText('Tamat').waitFor();
    expect(await findAxeViolations(page)).toEqual([]);
    await card.getByRole('link').click();
    await page.getByText('Anime ini sudah tamat.').waitFor();
    await page.goBack();
    await card.getByRole('button', { name: 'Berhenti mengikuti' }).click();
    expect(await card.count()).toBe(0);
    expect(await page.evaluate(`JSON.parse(localStorage['tayang-followed'])`)).not.toContain(SAMPLES.ended);
  });

  test('shows the hours in the zone that the visitor chooses, here and on the pages of anime', async () => {
    const page = await visit();
    const hour = row(page, SAMPLES.seen).first().locator('.hour');
    expect(await hour.innerText()).toBe('08.00');
    await page.getByRole('combobox', { name: 'Zona waktu' }).selectOption('WITA');
    expect(await hour.innerText()).toBe('09.00');
    await page.getByRole('combobox', { name: 'Zona waktu' }).selectOption('America/New_York');
    await page.reload();
    // There, it was still the evening before.
    expect((await hour.innerText()).replace(/\s+/gu, ' ')).toBe('Kam 20.00');
    await page.goto(`${address}/anime/${SAMPLES.seen}?lang=id`);
    await page.getByText('Kam, 19 Nov, 20.00').first().waitFor();
  });

  test('says when page 1 of the source was last read', async () => {
    const page = await visit();
    await page.getByText('Diperbarui 3 mnt lalu').waitFor();
    const without = await visit('/?lang=id', { javaScriptEnabled: false });
    expect(await without.locator('#Status').innerText()).toBe('Terakhir berubah Jum, 20 Nov, 11.00 WIB');
  });

  test('leads to the page of an anime, where the next episode is counted down to and nothing moves', async () => {
    const page = await visit(`/anime/${SAMPLES.longTitle}?lang=id`);
    await page.getByText('3 jam 7 menit lagi').waitFor();
    await scrollThrough(page);
    expect(await shift(page)).toBeLessThan(0.01);
    const facts = await page.locator('main').innerText();
    for (const fact of ['Episode 8 dari 12', 'Episode 9, diperkirakan Jum, 20 Nov, 15.07 WIB', 'Studio Daun'])
      expect(facts).toContain(fact);
    expect(facts).toMatch(/Judul Jepang\s.+期\s[\s\S]*Skor\s6,7\s+Genre\s\w+, \w+/u);
    expect(facts).toMatch(/Riwayat episode[\s\S]+Episode 8\s+Jum, 13 Nov, 15\.07 WIB\s+Episode 7\s/u);
    const without = await visit(`/anime/${SAMPLES.longTitle}?lang=id`, { javaScriptEnabled: false });
    expect(await without.locator('#Countdown').isVisible()).toBe(false);
  });

  test('is passed through with few stops of the Tab key, and stars are beside the titles', async () => {
    const page = await visit();
    await settled(page);
    await page.keyboard.press('Tab');
    expect(await focused(page)).toBe('Langsung ke isi');
    expect((await page.getByRole('link', { name: 'Langsung ke isi' }).boundingBox())!.height).toBeGreaterThan(
      40,
    );
    expect(await page.evaluate('getComputedStyle(document.activeElement).clipPath')).toBe('none');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    expect(await page.evaluate(`document.activeElement.closest('main') !== null`)).toBe(true);
    const stops =
      await page.evaluate<number>(`[...document.querySelectorAll('a[href], button, input, select, summary')]
      .filter((one) => one.tabIndex >= 0 && !one.disabled && one.checkVisibility({ contentVisibilityAuto: true })).length`);
    expect(stops).toBeLessThan(120);
    await row(page, SAMPLES.seen).first().getByRole('link').focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    expect(await page.locator('#Mine .title').allTextContents()).toEqual(['Penjaga Mercusuar Senja']);
    await page.keyboard.press('ArrowLeft');
    expect(await focused(page)).toBe('Penjaga Mercusuar Senja');
  });

  test.each(['/?lang=id', `/anime/${SAMPLES.seen}?lang=id`])(
    'has the initial where a cover does not load, and no sign of the browser, without JavaScript (%s)',
    async (path) => {
      const page = await visit(path, { javaScriptEnabled: false });
      await page.route('**/wp-content/**', (route) => route.fulfill({ status: 404 }));
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
    await page.route('**/wp-content/**', (route) => route.fulfill({ status: 404 }));
    await page.goto(`${address}/?lang=id`);
    await row(page, SAMPLES.seen).first().locator('.star').click();
    await page.locator('#Mine .cover').waitFor();
    await expect.poll(() => page.locator('#Mine .cover img, #Today .cover img').count()).toBe(0);
    browser.takeTroubles();
  });
});

/** In the order of a day. */
const ORDER = ['out', 'late', 'expected'];

const LOADED_COVERS = `[...document.querySelectorAll('.cover img')].filter((one) => one.naturalWidth > 0).length`;

async function scrollThrough(page: Page): Promise<void> {
  for (let screen = 0; screen < 12; screen += 1) {
    await page.evaluate(`scrollTo({ top: ${screen} * innerHeight, behavior: 'instant' })`);
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
  }
}

const focused = (page: Page) => page.evaluate<string>('document.activeElement.textContent');
