import { expect, onTestFinished, test } from 'vitest';
import { checkSource } from '../../src/doctor/source.ts';
import type { AnimeEvent } from '../../src/domain/event.ts';
import type { OngoingAnime } from '../../src/domain/listing.ts';
import { shortDate } from '../../src/domain/source-date.ts';
import { configOf, findings } from '../doctor/support/findings.ts';
import { DAY, FRIDAY, HOUR, MINUTE, openSite, weekly } from '../support/edited-site.ts';
import { openPushService } from '../support/push-service.ts';
import { refreshHere } from '../support/refresh-here.ts';
import { eventually, openReadyService } from '../support/service.ts';
import { openTestSource } from '../support/source.ts';

test.each([
  { name: 'its page has another one', page: 1, told: [1, 2] },
  { name: 'its page cannot be read', page: null, told: [10, 1, 2] },
  { name: 'no page is read', page: undefined, told: [10, 1, 2] },
  { name: 'it is forced', page: undefined, force: true, told: [10, 1, 2] },
])('a mistyped number takes nothing from the episodes after it, where $name', async (one) => {
  const { page, force = false } = one;
  const REFRESH_DETAILS = page === undefined ? 'off' : 'on';
  const site = await openSite({ environment: { REFRESH_DETAILS } });
  const { slug, episode } = weekly(site.anime);
  const told = one.told.map((step) => episode + step);
  site.pass(6 * DAY);
  site.show(slug, { episode: episode + 10 });
  if (page) site.pages.set(slug, (anime) => site.pageOf({ ...anime, episode: episode + page }));
  if (page === null) site.pages.set(slug, null);
  await site.refresh(0, { force });
  expect(await site.told(slug)).toEqual(page || force ? told.slice(0, 1) : []);
  for (let crawl = 0; crawl < 4; crawl += 1) await site.refresh(3 * HOUR);
  expect(await site.told(slug)).toEqual(told.slice(0, 1));
  site.pages.delete(slug);
  for (const step of [1, 2]) {
    site.show(slug, { episode: episode + step });
    await site.refresh(0);
    await site.refresh(4 * MINUTE);
    const { episodes, next } = await site.of(slug);
    expect(episodes[0].episode).toBe(episode + step);
    expect(next?.late ?? false).toBe(false);
    site.pass(7 * DAY);
  }
  expect(await site.told(slug)).toEqual(told);
});

test('the end of an anime that left is read within a day and every week; back after a week, it is told once', async () => {
  const push = await openPushService(onTestFinished);
  const environment = { PUSH_CONTACT: 'mailto:ops@example.org', WEBHOOK_PRIVATE: 'on' };
  const site = await openSite({ count: 14, environment });
  const { slug } = weekly(site.anime);
  const { slugs, ...subscription } = push.subscribe('ani', [slug]);
  const follow = () =>
    site.ask('/push/subscription', {
      method: 'PUT',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ subscription, slugs }),
    });
  await eventually(follow, ({ status }) => status === 204);
  const [gone] = site.anime.splice(
    site.anime.findIndex((one) => one.slug === slug),
    1,
  ) as [OngoingAnime];
  const reads = (of = slug) => site.source.requests.filter((url) => url.startsWith(`/anime/${of}`)).length;
  expect(reads()).toBe(1);
  for (const _ of [1, 2]) await site.refresh(HOUR);
  await site.refresh(22 * HOUR);
  await eventually(
    async () => reads(),
    (count) => count === 2,
  );
  site.pages.set(slug, () => site.pageOf(gone).replace('<b>Status</b>: Ongoing', '<b>Status</b>: Completed'));
  await site.refresh(7 * DAY);
  // One page is read at a time, every twenty minutes.
  while (reads() < 3) {
    const before = reads('');
    await site.refresh(21 * MINUTE);
    await eventually(
      async () => reads(''),
      (count) => count > before,
    );
  }
  await site.read(slug, ({ details }) => details.status === 'completed');
  expect(await site.of(slug)).toMatchObject({ leftAt: expect.any(String), next: null });
  expect(await (await site.ask(`/anime/${slug}?lang=en`)).text()).toContain('has ended');
  site.pages.delete(slug);
  site.show(slug, { episode: gone.episode + 1 });
  for (const _ of [1, 2]) await site.refresh(HOUR);
  const { events } = (await site.get('/api/anime/events')).data;
  expect(events.map(({ type }: AnimeEvent) => type)).toEqual(['left', 'added', 'new-episode']);
  await eventually(
    async () => push.told(),
    (told) => told.length > 0,
  );
  await site.refresh(HOUR);
  expect(push.told()).toEqual([['ani', gone.episode + 1]]);
});

test.each([DAY, 365 * DAY, -DAY])(
  'a clock that is wrong by %d ms for one crawl leaves no trace',
  async (aheadMs) => {
    const site = await openSite();
    const [one, other] = [site.anime[30]!, site.anime[40]!];
    await site.refresh(HOUR);
    site.pass(HOUR);
    site.show(one.slug, { episode: one.episode + 1 });
    await site.refresh(0, { aheadMs });
    const { data: before } = await site.get('/api/anime/events');
    site.pass(HOUR);
    site.show(other.slug, { episode: other.episode + 1 });
    await site.refresh(0);
    const { data: after } = await site.get(`/api/anime/events?since=${before.last}&epoch=${before.epoch}`);
    // A client goes on where it was.
    expect(after).toMatchObject({ complete: true, events: [{ slug: other.slug }] });
    const { events } = (await site.get('/api/anime/events')).data;
    for (const { at } of events)
      expect(Math.abs(Date.parse(at) - FRIDAY - 2.5 * HOUR)).toBeLessThan(2 * HOUR);
    for (const { slug } of [one, other])
      expect((await site.of(slug)).episodes[0]).toMatchObject({ seenAt: null, date: '2026-11-20' });
  },
);

test.each([DAY, 365 * DAY])(
  'a clock that was ahead by %d ms at the first start is right at the next crawl',
  async (aheadMs) => {
    const site = await openSite({ aheadMs });
    const { slug, episode } = site.anime[30]!;
    site.show(slug, { episode: episode + 1 });
    await site.refresh(MINUTE);
    const [{ at }] = (await site.get('/api/anime/events')).data.events;
    expect(Date.parse(at)).toBeLessThan(FRIDAY + HOUR);
    expect((await site.of(slug)).episodes[0].date).toBe('2026-11-20');
  },
);

test.each(['Europe/Amsterdam', 'America/New_York', 'Asia/Jakarta'])(
  'what the list dates today is out today in %s, and what it has of last year is not',
  async (TIME_ZONE) => {
    // Half past midnight of Saturday at the source.
    const at = FRIDAY + 4 * HOUR;
    const site = await openSite({ at, environment: { TIME_ZONE, REFRESH_DETAILS: 'off' } });
    const last = site.anime.at(-1)!;
    Object.assign(last, { date: shortDate(at) });
    const dated = site.anime.filter(({ date }) => date === shortDate(at)).map(({ slug }) => slug);
    await site.refresh(MINUTE, { force: true });
    const today = new Intl.DateTimeFormat('en-CA', { timeZone: TIME_ZONE }).format(at);
    const out = (await site.releases()).filter(({ day, state }) => day === today && state === 'out');
    expect(out.map(({ slug }) => slug)).toEqual(expect.arrayContaining(dated.slice(0, -1)));
    expect(out.map(({ slug }) => slug)).not.toContain(last.slug);
  },
);

test('rows that are put up again change no day, and not what is expected', async () => {
  const site = await openSite();
  const { slug, episode } = weekly(site.anime);
  const before = await site.read(slug, ({ episodes }) => episodes.length > 2);
  site.pass(6 * DAY);
  site.show(slug, { episode: episode + 1 });
  const today = site.pageOf(site.anime[0]!).match(/\d+ \w+,\d{4}/u)![0];
  site.pages.set(slug, (one) => site.pageOf(one).replaceAll(/\d+ \p{L}+,\d{4}/gu, today));
  await site.refresh(0);
  const after = await site.read(slug, ({ episodes }) => episodes[0]?.releasedAt);
  expect(after.episodes.slice(1)).toEqual(before.episodes.slice(0, after.episodes.length - 1));
  expect(Date.parse(after.next.expectedAt)).toBeGreaterThan(FRIDAY + 11 * DAY);
  // The card of an old episode comes on top again.
  await site.refresh(DAY);
  site.show(slug);
  await site.refresh(HOUR);
  expect(await site.of(slug)).toMatchObject({ episodes: after.episodes, next: after.next });
  const out = (await site.releases()).filter((one) => one.slug === slug && one.state === 'out');
  expect(out).toMatchObject([{ episode: episode + 1, day: '2026-11-26' }]);
  expect(await site.told(slug)).toEqual([episode + 1]);
});

test.each(['card', 'row'])(
  'nothing is expected after an episode that its %s marks as the last',
  async (where) => {
    const site = await openSite();
    const { slug, episode, title } = weekly(site.anime);
    await site.read(slug, ({ next }) => next !== null);
    site.pass(7 * DAY);
    site.show(slug, { episode: episode + 1 });
    const last = `Episode ${episode + 1}`;
    if (where === 'card') site.changed.list = (html) => html.replace(`${last}</div>`, `${last} END</div>`);
    else site.pages.set(slug, (one) => site.pageOf(one).replace(`${last} Sub`, `${last} (End) Sub`));
    await site.refresh(0);
    await site.read(slug, ({ next }) => next === null);
    for (const days of [0, 7, 8]) {
      await site.refresh(days * DAY);
      const { next, episodes } = await site.of(slug);
      expect([next, episodes[0].episode]).toEqual([null, episode + 1]);
      const shown = [...(await site.releases()), ...(await site.get('/api/anime/upcoming')).data];
      expect(shown.filter((one) => one.slug === slug && one.state !== 'out')).toEqual([]);
      const calendar = await (await site.ask(`/feeds/schedule.ics?slug=${slug}`)).text();
      expect(calendar).not.toContain('VEVENT');
      expect(await (await site.ask(`/anime/${slug}?lang=en`)).text(), title).toMatch(/has ended/u);
    }
  },
);

test('a feed is modified when its bytes are, and that of an anime outlives a hundred episodes of others', async () => {
  const site = await openSite({ count: 132, environment: { REFRESH_DETAILS: 'off' } });
  const { slug, episode } = weekly(site.anime);
  const paths = ['atom', 'json'].flatMap((format) =>
    ['', `?slug=${slug}`].map((query) => `/feeds/episodes.${format}${query}`),
  );
  const read = (headers: Record<string, string>[] = []) =>
    Promise.all(paths.map((path, index) => site.ask(path, { headers: headers[index] ?? {} })));
  async function expectModified(change: () => Promise<unknown>, modified = paths): Promise<void> {
    const dates = (await read()).map(({ headers }) => ({
      'If-Modified-Since': headers.get('last-modified')!,
    }));
    expect((await read(dates)).map(({ status }) => status)).toEqual(paths.map(() => 304));
    await change();
    const isModified = ({ status }: Response, index: number) => [
      paths[index],
      status === (modified.includes(paths[index]!) ? 200 : 304),
    ];
    expect((await read(dates)).map(isModified)).toEqual(paths.map((path) => [path, true]));
  }
  await expectModified(() => {
    site.show(slug, { episode: episode + 1 });
    return site.refresh(MINUTE);
  });
  await expectModified(
    () => {
      const others = site.anime.filter((one) => one.slug !== slug).slice(0, 110);
      for (const one of others)
        site.show(one.slug, { episode: one.episode + 1, date: shortDate(FRIDAY + DAY) });
      return site.refresh(DAY);
    },
    paths.filter((path) => !path.includes('slug')),
  );
  for (const response of await read())
    expect((await response.text()).includes(slug)).toBe(response.url.includes('slug'));
  // A correction.
  await expectModified(
    async () => {
      site.show(slug, { episode });
      for (const _ of [1, 2]) await site.refresh(4 * MINUTE);
    },
    paths.filter((path) => path.includes('slug')),
  );
  for (const format of ['atom', 'json'])
    expect((await site.ask(`/feeds/episodes.${format}?slug=entah`)).status).toBe(404);
});

test('one exact time tells the next one, a week later', async () => {
  const site = await openSite();
  const first = {
    ...site.anime[0]!,
    episode: 1,
    title: 'Anime Baru',
    slug: 'anime-baru',
    image: '/baru.jpg',
  };
  site.pass(DAY);
  site.anime.unshift({ ...first, date: shortDate(FRIDAY + DAY) });
  await site.refresh(0);
  const { slug } = weekly(site.anime);
  for (const [anime, hours] of [
    [first.slug, 3],
    [slug, 2],
  ] as const) {
    const { episodes, next } = await site.read(anime, (one) => one?.episodes[0].releasedAt);
    const { expectedAt, earliest, latest } = next;
    expect(next).toMatchObject({
      episode: episodes[0].episode + 1,
      basis: anime === slug ? 9 : 1,
      late: false,
    });
    expect(Date.parse(expectedAt)).toBe(Date.parse(episodes[0].releasedAt) + 7 * DAY);
    expect(Date.parse(expectedAt) - Date.parse(earliest)).toBeLessThanOrEqual(hours * HOUR);
    expect(Date.parse(latest) - Date.parse(expectedAt)).toBeLessThanOrEqual(hours * HOUR);
  }
});

test('where the site has moved to a host that hangs, that host and its address are named, and what to do', async () => {
  const site = await openSite({ environment: { SOURCE_TIMEOUT: '2s' } });
  const silent = await openTestSource(onTestFinished);
  silent.fault = () => true;
  site.source.fault = ({ url }, response) =>
    !!response.writeHead(301, { location: silent.origin + url }).end();
  const what = `${new URL(site.source.origin).host} redirects to ${silent.origin}, which does not answer`;
  expect((await refreshHere(site.env)).output).toContain(what);
  const { source } = await eventually(
    () => site.get('/readyz'),
    (ready) => ready.source.state === 'down',
  );
  expect(source.reason).toBe(`${what}: no complete answer within 2000 ms`);
  const found = await findings(checkSource, configOf(site.env), 20_000);
  const problems = found.filter((line) => line.startsWith('problem'));
  expect(problems).toEqual([
    expect.stringMatching(
      /the site is moving: wait until it answers there, or add a working mirror to SOURCE_URLS$/u,
    ),
  ]);
});

test('where peeks read the list, episodes are seen, numbers that jump wait, and what is late is late until it comes', async () => {
  const site = await openSite({ environment: { REFRESH_PEEK: '1s', REFRESH_DETAILS: 'off' } });
  const { slug, episode } = weekly(site.anime);
  for (const week of [1, 2, 3]) {
    await site.peek(7 * DAY - 8 * MINUTE);
    site.show(slug, { episode: episode + week + 9 });
    await site.peek(2 * MINUTE);
    site.show(slug, { episode: episode + week });
    for (const _ of [1, 2]) await site.peek(3 * MINUTE);
    const { episodes, next } = await site.read(slug, (one) => one.episodes[0].episode === episode + week);
    expect(Date.parse(episodes[0].seenAt)).toBe(FRIDAY + week * 7 * DAY - 3 * MINUTE);
    expect(next?.basis).toBe(week === 3 ? 4 : undefined);
  }
  await site.peek(7 * DAY + 2 * HOUR);
  const { next } = await site.read(slug, (one) => one.next.late);
  expect(Date.parse(next.expectedAt)).toBe(FRIDAY + 28 * DAY - 3 * MINUTE);
  site.show(slug, { episode: episode + 4 });
  await site.peek(3 * MINUTE);
  const after = await site.read(slug, (one) => one.episodes[0].episode === episode + 4);
  expect(after.next).toMatchObject({ episode: episode + 5, late: false });
  expect(Date.parse(after.next.expectedAt)).toBeGreaterThan(FRIDAY + 34 * DAY);
  expect(await site.told(slug)).toEqual([1, 2, 3, 4].map((step) => episode + step));
});

test('an episode whose hour passes while the source is away is unseen, then out or late as the first good reading says', async () => {
  const site = await openSite({ environment: { REFRESH_PEEK: '1s', REFRESH_DETAILS: 'off' } });
  const [one, other] = site.anime.filter(({ day }, index) => index > 9 && day !== 'None');
  const [out, late] = [one!.slug, other!.slug];
  const showBoth = (week: number) => {
    site.show(out, { episode: one!.episode + week });
    site.show(late, { episode: other!.episode + week });
  };
  for (const week of [1, 2, 3]) {
    await site.peek(7 * DAY - 8 * MINUTE);
    await site.peek(5 * MINUTE);
    showBoth(week);
    await site.peek(3 * MINUTE);
  }
  const front = async (language: string) => (await site.ask(`/?lang=${language}`)).text();
  const slotOf = async (slug: string) => (await site.get('/api/anime/upcoming')).data.find(hasSlug(slug));
  const hasSlug = (slug: string) => (each: { slug: string }) => each.slug === slug;
  const states = async () =>
    (await site.releases())
      .filter(({ slug, state }) => [out, late].includes(slug) && state !== 'expected')
      .map(({ slug, episode, state, day }) => [slug, episode, state, day]);

  await site.peek(7 * DAY - 20 * MINUTE);
  expect(await slotOf(out)).toMatchObject({ late: false, unseen: false });
  site.changed.isAway = true;
  await site.miss(HOUR);
  for (const slug of [out, late]) {
    const { next } = await site.read(slug, ({ next }) => next.unseen);
    expect(next).toMatchObject({ late: false, unseen: true });
    expect(await slotOf(slug)).toMatchObject({ expectedAt: next.expectedAt, late: false, unseen: true });
    expect(await (await site.ask(`/anime/${slug}?lang=en`)).text()).toContain('may be out');
    const calendar = await (await site.ask(`/feeds/schedule.ics?slug=${slug}`)).text();
    expect(calendar).toContain('Mungkin sudah rilis');
  }
  const today = '2026-12-18';
  const unseen = [
    [late, other!.episode + 4, 'unseen', today],
    [out, one!.episode + 4, 'unseen', today],
  ];
  expect((await states()).toSorted()).toEqual(unseen.toSorted());
  expect(await front('id')).toContain('Mungkin sudah rilis: situs sumber belum bisa dicek');
  expect(await front('en')).toContain('May be out: the source is unreachable');
  for (const page of [await front('id'), await front('en')])
    expect(page).not.toMatch(/Belum ada yang rilis|Nothing out|<summary>Telat|<summary>Late/u);

  site.changed.isAway = false;
  site.show(out, { episode: one!.episode + 4 });
  await site.peek(HOUR);
  await site.read(out, ({ episodes }) => episodes[0].episode === one!.episode + 4);
  const { next } = await site.read(late, ({ next }) => next.late);
  expect(next).toMatchObject({ episode: other!.episode + 4, late: true, unseen: false });
  const decided = [
    [late, other!.episode + 4, 'late', today],
    [out, one!.episode + 4, 'out', today],
  ];
  expect((await states()).toSorted()).toEqual(decided.toSorted());
  expect(await front('id')).toContain('<summary>Telat <span class="quiet">1</span>');
  expect(await front('id')).not.toContain('Mungkin sudah rilis');
  expect(await site.told(out)).toEqual([1, 2, 3, 4].map((step) => one!.episode + step));

  // What was seen to be late stays late, also while the source is away again.
  site.changed.isAway = true;
  await site.miss(DAY);
  expect(await slotOf(late)).toMatchObject({ late: true, unseen: false });
  await site.miss(7 * DAY);
  // The second slot passed while nobody could look, so that it does not end the anime.
  const { next: second } = await site.read(late, ({ next }) => next?.unseen);
  expect(second).toMatchObject({ episode: other!.episode + 4, late: false, unseen: true });
});

test('what is seen after a gap has the day that the source gives it, and no time', async () => {
  const site = await openSite({ environment: { REFRESH_DETAILS: 'off' } });
  const { slug, episode } = weekly(site.anime);
  await site.refresh(HOUR);
  site.pass(30 * HOUR);
  site.show(slug, { episode: episode + 1, date: '21 Nov' });
  await site.refresh(0);
  const { episodes } = await site.of(slug);
  expect(episodes[0]).toMatchObject({ seenAt: null, releasedAt: null, date: '2026-11-21' });
  const page = await (await site.ask(`/anime/${slug}?lang=en`)).text();
  expect(page).toContain('Saturday 21 Nov');
  expect(page).not.toMatch(/22 Nov|2026-11-2[12]T/u);
  const feed = await (await site.ask(`/feeds/episodes.atom?slug=${slug}`)).text();
  expect(new Set(feed.match(/(?<=<updated>).{10}/gu))).toEqual(new Set(['2026-11-21']));
});

test('an anime that only the schedule still has keeps its dated episodes', async () => {
  const site = await openSite();
  const { slug, episode } = weekly(site.anime);
  const before = await site.read(slug, ({ details }) => details !== null);
  const [gone] = site.anime.splice(
    site.anime.findIndex((one) => one.slug === slug),
    1,
  );
  site.changed.week = (anime) => [...anime, gone!];
  // While the schedule has it, its own page decides.
  site.pages.set(slug, 'gone');
  for (const _ of [1, 2, 3]) await site.refresh(10.5 * HOUR);
  expect(await site.of(slug)).toMatchObject({ leftAt: null, episode: null, episodes: before.episodes });
  const page = await (await site.ask(`/anime/${slug}?lang=en`)).text();
  expect(page).toContain(`Episode ${episode}`);
  expect(page).not.toMatch(/no episode yet/iu);
});

test.each([
  ['2028-03-01', 0, '2028-02-29'],
  ['2028-03-01', -1, '2024-02-29'],
  ['2029-03-01', -1, '2028-02-29'],
])('at %s, 29 February is, in the card at %i, %s', async (today, place, date) => {
  const at = Date.parse(`${today}T13:30:00Z`);
  const site = await openSite({ at, environment: { REFRESH_DETAILS: 'off' } });
  const { slug } = Object.assign(site.anime.at(place)!, { date: '29 Feb' });
  await site.refresh(MINUTE, { force: true });
  expect((await site.of(slug)).episodes[0]?.date).toBe(date);
});

test('<updated> in Atom never goes back, whatever is learnt, corrected or taken back, also in another process', async () => {
  const site = await openSite({ environment: { REFRESH_DETAILS: 'on' } });
  const one = weekly(site.anime);
  const { slug, episode } = one;
  const other = site.anime.find((anime) => anime.slug !== slug && anime.episode > 3)!;
  const last = new Map<string, string>();
  const steps: string[] = [];

  /** Reads the feeds of all and of two anime, here and in a process that starts now. */
  async function look(step: string): Promise<void> {
    steps.push(step);
    const fresh = await openReadyService(onTestFinished, { ...site.env, REFRESH_DETAILS: 'off' });
    for (const origin of [site.address, fresh.address]) {
      for (const query of ['', `?slug=${slug}`, `?slug=${other.slug}`]) {
        const response = await fetch(`${origin}/feeds/episodes.atom${query}`);
        if (response.status === 404) continue;
        const feed = await response.text();
        const [head = '', ...entries] = feed.split('<entry>');
        for (const text of [head, ...entries]) {
          const key = `${query} ${/<id>([^<]+)/u.exec(text)?.[1]?.replace(/^http:\/\/[^/]+/u, '')}`;
          const updated = /<updated>([^<]+)/u.exec(text)?.[1] ?? '';
          expect([steps.at(-1), key, updated >= (last.get(key) ?? '')]).toEqual([step, key, true]);
          last.set(key, updated);
        }
      }
    }
    await fresh.stop();
  }

  await site.refresh(20 * MINUTE);
  await look('before any news');
  site.show(slug, { episode: episode + 1, date: '20 Nov' });
  site.pages.set(slug, null);
  await site.refresh(20 * MINUTE);
  await look('seen, its page cannot be read');
  expect(last.get(`?slug=${slug} /feeds/episodes.atom?slug=${slug}`)).toMatch(/^2026-11-20T14:/u);

  site.pages.delete(slug);
  await site.refresh(2 * HOUR);
  await site.read(slug, ({ episodes }) => episodes[0].releasedAt !== null);
  await look('its page says that it came out earlier');

  const shown = site.show(other.slug, { episode: other.episode + 1, date: '20 Nov' });
  await site.refresh(10 * HOUR);
  await look('another one, after a gap, is of the day before');

  Object.assign(shown, { episode: other.episode });
  await site.refresh(20 * MINUTE);
  await look('the number of the other is taken back');

  site.anime.splice(site.anime.indexOf(shown), 1);
  for (const _ of [1, 2]) await site.refresh(2 * HOUR);
  await look('the other has left');

  for (let day = 0; day < 4; day += 1) await site.refresh(9 * DAY);
  const news = site.anime.at(-1)!;
  site.show(news.slug, { episode: news.episode + 1, date: '26 Des' });
  await site.refresh(20 * MINUTE);
  await look('the events of both are too old to be kept');
  expect(steps).toHaveLength(7);
});
