import { expect, test } from 'vitest';
import type { AnimeEvent } from '../../src/domain/event.ts';
import type { OngoingAnime } from '../../src/domain/listing.ts';
import { sourceDate } from '../../src/domain/source-date.ts';
import { DAY, FRIDAY, HOUR, MINUTE, openSite, weekly, withRows } from '../support/edited-site.ts';

/** Not being seen makes no anime gone, late, old or new: the whole service, with a site that each test edits. */

const TODAY = sourceDate(FRIDAY);
const day = (days: number) => sourceDate(FRIDAY + days * DAY);

type Site = Awaited<ReturnType<typeof openSite>>;

/** All events of an anime, as `new-episode 9`. */
async function eventsOf(site: Site, slug: string): Promise<string[]> {
  const { data } = await site.get('/api/anime/events');
  const own = (data.events as AnimeEvent[]).filter((one) => one.slug === slug);
  return own.map((one) => (one.type === 'new-episode' ? `${one.type} ${one.episode}` : one.type));
}

const premiereOf = (slug: string, change: Partial<OngoingAnime> = {}): OngoingAnime => ({
  title: 'Musim Baru',
  episode: 1,
  day: 'Jumat',
  date: '20 Nov',
  image: '/wp-content/uploads/2026/11/baru.jpg',
  slug,
  ...change,
});

/** Whether a new episode would have another date than the one it shows. */
const isOlder = ({ day: slot, date }: OngoingAnime) => slot !== 'None' && date !== '20 Nov';

/** Writes other words for the number of an anime, on its card. */
function writeNumber(site: Site, { slug }: Pick<OngoingAnime, 'slug'>, words: string): void {
  const { list } = site.changed;
  site.changed.list = (html, page) =>
    list(html, page)
      .split('<li>')
      .map((card) => (card.includes(`/${slug}/`) ? card.replace(/Episode \d+/u, words) : card))
      .join('<li>');
}

test('an anime that two old pages hide has not left, until its own page says so', async () => {
  const site = await openSite({ count: 80 });
  const [hidden, ended, unread] = [24, 49, 74].map((index) => site.anime[index]!);
  const before = [...site.anime];
  const added = premiereOf('musim-baru-sub-indo');
  site.anime.unshift(added);
  site.pages.set(added.slug, () => withRows(site.pageOf(added), added, [['Episode 1', TODAY]]));
  // The schedule no longer has them, and the pages after the first are old.
  const slugs = new Set([hidden, ended, unread].map((one) => one!.slug));
  site.changed.week = (anime) => anime.filter(({ slug }) => !slugs.has(slug));
  site.changed.anime = (anime, page) => (page > 1 ? before : anime);
  site.changed.age = () => null;
  for (let crawl = 0; crawl < 4; crawl += 1) await site.refresh(HOUR);
  expect(await eventsOf(site, hidden!.slug)).toEqual([]);
  expect(await site.of(hidden!.slug)).toMatchObject({ leftAt: null, episode: hidden!.episode });

  // Where the list has moved, its place is seen; where it has not, its own page decides.
  site.changed.anime = (anime) => anime.filter(({ slug }) => !slugs.has(slug));
  site.pages.set(hidden!.slug, null);
  site.anime.splice(1, 2);
  await site.refresh(HOUR);
  await site.refresh(HOUR);
  expect(await eventsOf(site, hidden!.slug)).toEqual(['left']);
});

test('an anime whose place is not seen leaves by its own page: complete at once, gone after a day, unread after a week', async () => {
  const site = await openSite({ count: 60 });
  // Each stands at the end of a page, which the schedule still has.
  const [complete, gone, unread, alive] = [10, 14, 18, 22].map((index) => site.anime[index]!) as [
    OngoingAnime,
    OngoingAnime,
    OngoingAnime,
    OngoingAnime,
  ];
  const slugs = new Set([complete, gone, unread, alive].map(({ slug }) => slug));
  const all = [...site.anime];
  site.changed.week = () => all;
  site.changed.anime = (anime) => anime.filter(({ slug }) => !slugs.has(slug));
  site.pages.set(complete.slug, (one) => site.pageOf(one).replace('Ongoing</span>', 'Completed</span>'));
  site.pages.set(gone.slug, 'gone');
  site.pages.set(unread.slug, null);
  const page = site.pageOf(alive);
  site.pages.set(alive.slug, () => page);
  await site.refresh(HOUR);
  const events = async () =>
    Promise.all([complete, gone, unread, alive].map(({ slug }) => eventsOf(site, slug)));
  expect(await events()).toEqual([['left'], [], [], []]);
  await site.refresh(19 * HOUR);
  expect(await events()).toEqual([['left'], [], [], []]);
  await site.refresh(2 * HOUR);
  expect(await events()).toEqual([['left'], ['left'], [], []]);
  for (let days = 1; days <= 6; days += 1) await site.refresh(DAY);
  expect(await events()).toEqual([['left'], ['left'], [], []]);
  await site.refresh(DAY);
  expect(await events()).toEqual([['left'], ['left'], ['left'], []]);
});

test('every episode of a night is announced, the lowest first, whichever page shows it', async () => {
  const site = await openSite();
  const one = weekly(site.anime);
  const { slug, episode } = one;
  const rows = [2, 1].map((more): [string, string] => [`Episode ${episode + more}`, TODAY]);
  site.pages.set(slug, () => withRows(site.pageOf(one), one, [...rows, [`Episode ${episode}`, day(-7)]]));
  site.show(slug, { episode: episode + 2 });
  await site.refresh(MINUTE);
  expect(await site.told(slug)).toEqual([episode + 1, episode + 2]);
  expect((await site.of(slug)).episodes.slice(0, 2)).toMatchObject([
    { episode: episode + 2, date: TODAY },
    { episode: episode + 1, date: TODAY },
  ]);

  const three = premiereOf('tiga-sekaligus-sub-indo', { title: 'Tiga Sekaligus', episode: 3 });
  site.anime.unshift(three);
  const both = [3, 2, 1].map((number): [string, string] => [`Episode ${number}`, TODAY]);
  site.pages.set(three.slug, () => withRows(site.pageOf(three), three, both));
  await site.refresh(HOUR);
  expect(await eventsOf(site, three.slug)).toEqual([
    'added',
    'new-episode 1',
    'new-episode 2',
    'new-episode 3',
  ]);
});

test('a premiere that schedule and own page show before the list is announced once', async () => {
  const site = await openSite();
  const first = premiereOf('musim-baru-sub-indo');
  site.know(first);
  site.pages.set(first.slug, () => withRows(site.pageOf(first), first, [['Episode 1', TODAY]]));
  site.changed.week = (anime) => [...anime, first];
  await site.refresh(MINUTE);
  await site.read(first.slug, ({ details }) => details !== null);
  site.changed.week = (anime) => anime;
  site.anime.unshift(first);
  for (let crawl = 0; crawl < 3; crawl += 1) await site.refresh(HOUR);
  expect(await eventsOf(site, first.slug)).toEqual(['added', 'new-episode 1']);
});

test('an episode whose number cannot be read is announced once its own page shows it, and a special is no episode', async () => {
  const site = await openSite();
  const [typo, special, unread] = site.anime.filter(isOlder) as [OngoingAnime, OngoingAnime, OngoingAnime];
  const own = (one: OngoingAnime, text: string) =>
    site.pages.set(one.slug, () =>
      withRows(site.pageOf(one), one, [
        [text, TODAY],
        [`Episode ${one.episode}`, day(-7)],
      ]),
    );
  for (const one of [typo, special, unread]) site.show(one.slug, { episode: one.episode + 1 });
  own(typo, `Episode ${typo.episode + 1}`);
  own(special, 'Special');
  site.pages.set(unread.slug, null);
  writeNumber(site, typo, 'Epsiode 8');
  writeNumber(site, special, 'Special');
  writeNumber(site, unread, 'v2');
  const movie = premiereOf('layar-lebar-sub-indo', { title: 'Layar Lebar', day: 'None' });
  site.anime.unshift(movie);
  site.pages.set(movie.slug, () => withRows(site.pageOf(movie), movie, []));
  writeNumber(site, movie, 'Movie');
  await site.refresh(MINUTE);

  expect(await site.told(typo.slug)).toEqual([typo.episode + 1]);
  expect(await site.told(special.slug)).toEqual([]);
  const releases = await site.releases();
  const outOf = ({ slug }: OngoingAnime) =>
    releases
      .filter((one) => one.slug === slug && one.day === TODAY)
      .map(({ state, episode }) => [state, episode]);
  expect(outOf(typo)).toEqual([['out', typo.episode + 1]]);
  expect(outOf(special)).toEqual([['out', null]]);
  expect(outOf(unread)).toEqual([['out', null]]);
  for (const { slug } of [special, unread]) expect((await site.of(slug)).next?.late ?? false).toBe(false);

  const { data } = await site.get('/api/anime/schedule');
  expect(data.at(-1).animeList).toContainEqual({ title: movie.title, slug: movie.slug });
  expect((await site.ask(`/anime/${movie.slug}`)).status).toBe(200);
  expect(await site.of(movie.slug)).toMatchObject({ episode: null });

  // Once the number is known, the episode is announced, once.
  own(unread, `Episode ${unread.episode + 1}`);
  for (let crawl = 0; crawl < 3; crawl += 1) await site.refresh(HOUR);
  expect(await site.told(unread.slug)).toEqual([unread.episode + 1]);
  expect(await site.told(special.slug)).toEqual([]);
});

test('a slug that is corrected is the same anime', async () => {
  const site = await openSite();
  const one = site.anime.find(isOlder)!;
  const { slug, title, episode } = one;
  site.show(slug, { episode: episode + 1 });
  await site.refresh(MINUTE);
  const before = await site.read(slug, ({ details }) => details !== null);
  const corrected = { ...site.anime[0]!, slug: `${slug}-benar` };
  site.pages.set(corrected.slug, () => site.pageOf(site.anime.find((anime) => anime.title === title)!));
  site.anime[0] = corrected;
  await site.refresh(HOUR);
  const after = await site.of(corrected.slug);
  expect(after).toMatchObject({ slug: corrected.slug, episode: episode + 1 });
  expect(after.episodes.map((release: { episode: number }) => release.episode)).toEqual(
    before.episodes.map((release: { episode: number }) => release.episode),
  );
  site.show(corrected.slug, { ...corrected, episode: episode + 2, date: '27 Nov' });
  await site.refresh(7 * DAY);
  const { data } = await site.get('/api/anime/events');
  const events = (data.events as AnimeEvent[]).filter((event) => event.slug.startsWith(slug));
  expect(events.map(({ type, slug: of }) => [type, of])).toEqual([
    ['new-episode', slug],
    ['renamed', corrected.slug],
    ['new-episode', corrected.slug],
  ]);
  expect(events[1]).toMatchObject({ from: slug, title });
});

test('a total that is passed is wrong, and not an end', async () => {
  const site = await openSite();
  const one = weekly(site.anime);
  const total = (page: string) => page.replace(/(<b>Total Episode<\/b>: )[^<]*/u, `$1${one.episode}`);
  site.pages.set(one.slug, (anime) => total(site.pageOf(anime)));
  site.show(one.slug, { episode: one.episode + 1 });
  await site.refresh(MINUTE);
  const { next } = await site.read(one.slug, ({ details }) => details?.totalEpisodes === one.episode);
  expect(next).toMatchObject({ episode: one.episode + 2, late: false });
  const page = await (await site.ask(`/anime/${one.slug}?lang=en`)).text();
  expect(page).not.toMatch(/has ended/iu);
});

test('a typing error on the first page ever is no number anywhere once its own page is known', async () => {
  const site = await openSite({ mistyped: (anime) => ({ ...anime.find(isOlder)!, episode: 126 }) });
  const { slug, date } = site.anime.find(({ episode }) => episode === 126)!;
  await site.refresh(MINUTE);
  const { episode } = await site.of(slug);
  expect(episode).toBeLessThan(100);
  const home = await site.get('/api/anime/home?page=1');
  const others = await site.get('/api/anime/home?page=2');
  const listed = [...home.data.data, ...others.data.data].find((one: OngoingAnime) => one.slug === slug);
  expect(listed).toMatchObject({ episode });
  const page = await (await site.ask(`/anime/${slug}?lang=en`)).text();
  expect(page).not.toMatch(/Episode 12[67]/u);
  site.anime.splice(
    0,
    site.anime.length,
    ...site.anime.map((one) => (one.slug === slug ? { ...one, episode } : one)),
  );
  await site.refresh(HOUR);
  site.pages.delete(slug);
  site.show(slug, { episode: episode + 1, date: date === '27 Nov' ? '28 Nov' : '27 Nov' });
  await site.refresh(7 * DAY);
  expect(await eventsOf(site, slug)).toEqual([`new-episode ${episode + 1}`]);
});

test('an episode that is taken down and put up again is announced once, and keeps its first day', async () => {
  const site = await openSite({ environment: { REFRESH_DETAILS: 'off' } });
  const one = site.anime.find(isOlder)!;
  const { slug, episode, date } = one;
  site.show(slug, { episode: episode + 1 });
  await site.refresh(MINUTE);
  const index = site.anime.findIndex((anime) => anime.slug === slug);
  site.anime.splice(index, 1, { ...one, date });
  for (let crawl = 0; crawl < 3; crawl += 1) await site.refresh(3 * HOUR);
  site.pass(2 * DAY);
  site.show(slug, { episode: episode + 1 });
  for (let crawl = 0; crawl < 3; crawl += 1) await site.refresh(3 * HOUR);
  expect(await site.told(slug)).toEqual([episode + 1]);
  expect((await site.of(slug)).episodes[0]).toMatchObject({ episode: episode + 1, date: TODAY });
});
