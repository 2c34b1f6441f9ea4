import { describe, expect, test } from 'vitest';
import { AppError } from '../../src/domain/errors.ts';
import type { OngoingAnime } from '../../src/domain/listing.ts';
import { airEpisode, makeAnime, makeAnimePage } from '../support/fake-source.ts';
import { HOUR, openTestRefresh } from '../support/refresh.ts';
import { statusOf } from '../support/status.ts';

type Scene = Awaited<ReturnType<typeof openTestRefresh>>;

const MINUTE = HOUR / 60;
const higher = (anime: OngoingAnime) => ({ ...anime, episode: anime.episode + 1 });

async function openCrawled(count = 60, readsDetails = false) {
  const scene = await openTestRefresh(count, undefined, readsDetails);
  await scene.refresh();
  const pending = async () => (await statusOf(scene.store)).pending;
  const typesOf = async () => {
    return (await scene.store.readListing())!.events.map(({ type, slug }) => `${type} ${slug}`);
  };
  return { ...scene, pending, typesOf };
}

describe('a reading that contradicts more than a tenth of the anime', () => {
  test('is pending, changes nothing, and is named with its time', async () => {
    const { clock, source, store, refresh, pending, typesOf } = await openCrawled();
    const before = await store.readSnapshot();
    source.anime = source.anime.map(higher);
    const since = clock.now;
    for (let hour = 0; hour < 6; hour += 1) {
      await expect(refresh()).rejects.toThrow(
        /episode differs on 60 of 60 cards: for instance, "3" of "Judul 1"/u,
      );
      expect(await pending()).toMatchObject({ reason: expect.stringContaining('episode differs'), since });
      clock.now += HOUR;
    }
    expect(await store.readSnapshot()).toEqual(before);
    expect(await typesOf()).toEqual([]);
    await refresh();
    expect((await store.readSnapshot())?.ongoing).toEqual(source.anime);
    expect(await pending()).toBeNull();
  });

  test('is pending while each crawl shows something else', async () => {
    const { clock, source, refresh } = await openCrawled();
    for (let crawl = 1; crawl < 6; crawl += 1) {
      source.anime = source.anime.map((anime) => ({ ...anime, episode: anime.episode + crawl }));
      await expect(refresh()).rejects.toThrow(/contradicts what is known/u);
      clock.now += 3 * HOUR;
    }
  });

  test('is dropped by a reading without the change', async () => {
    const { clock, source, refresh, pending } = await openCrawled();
    const truth = source.anime;
    for (let times = 0; times < 4; times += 1) {
      source.anime = truth.map(higher);
      await expect(refresh()).rejects.toThrow(/episode differs/u);
      clock.now += 3 * HOUR;
      source.anime = truth;
      await refresh();
      expect(await pending()).toBeNull();
      clock.now += 3 * HOUR;
    }
  });

  test('is news where the dates are later, whatever their number', async () => {
    const { source, refresh } = await openCrawled();
    source.anime = source.anime.map((anime) => ({ ...higher(anime), date: '21 Nov' }));
    expect((await refresh()).changes).toHaveLength(60);
  });

  test('is no exchange of episodes where one is new, and another one was corrected', async () => {
    const { source, refresh, typesOf } = await openCrawled(10);
    airEpisode(source, 8);
    await refresh();
    const aired = source.anime[0] as OngoingAnime;
    const second = source.anime[8] as OngoingAnime;
    source.anime[0] = { ...aired, episode: second.episode };
    source.anime[8] = { ...second, episode: aired.episode, date: '21 Nov' };
    await refresh();
    expect(await typesOf()).toEqual([`new-episode ${aired.slug}`, `new-episode ${second.slug}`]);
  });

  test('does not keep page 1 from showing new episodes', async () => {
    const { clock, source, refresh, peek, slugs, typesOf } = await openCrawled();
    const gone = source.anime.splice(30, 20);
    await expect(refresh()).rejects.toThrow(/20 of 60 anime are gone/u);
    clock.now += 3 * MINUTE;
    airEpisode(source, 10);
    source.anime.unshift(makeAnime(99));
    await peek();
    expect(await typesOf()).toEqual(['added judul-99', 'new-episode judul-11']);
    expect(await slugs()).toHaveLength(61);
    clock.now += HOUR;
    source.anime.push(...gone);
    airEpisode(source, 20);
    await refresh();
    expect(await typesOf()).toHaveLength(3);
  });

  test('counts for the schedule alone, while the ongoing list goes on', async () => {
    const { source, refresh, store } = await openCrawled();
    const before = await store.readSnapshot();
    source.alterSchedule = (page) => ({ ...page, groups: page.groups.slice(0, 4) });
    airEpisode(source, 40);
    await expect(refresh()).rejects.toThrow(
      /the schedule contradicts what is known: \d+ of 60 anime are gone/u,
    );
    const after = await store.readSnapshot();
    expect(after?.schedule).toEqual(before?.schedule);
    expect(after?.ongoing).toEqual(source.anime);
  });
});

describe('an anime that is missing', () => {
  test('leaves after two crawls in a row, 45 minutes apart', async () => {
    const { clock, source, refresh, typesOf } = await openCrawled();
    source.anime.splice(10, 1);
    for (const minutes of [0, 20, 24, 1]) {
      clock.now += minutes * MINUTE;
      expect(await typesOf()).toEqual([]);
      await refresh();
    }
    expect(await typesOf()).toEqual(['left judul-11']);
  });

  test('stays when it is back in the second crawl', async () => {
    const { clock, source, refresh, typesOf } = await openCrawled();
    const [anime] = source.anime.splice(10, 1);
    await refresh();
    source.anime.splice(10, 0, anime!);
    clock.now += HOUR;
    await refresh();
    source.anime.splice(10, 1);
    clock.now += HOUR;
    await refresh();
    expect(await typesOf()).toEqual([]);
  });

  test.each([
    ['is not added again, nor seen with its episode, when it comes back within a week', 3, []],
    ['is added again when it comes back later', 8, ['added judul-11']],
  ])('%s', async (_name, days, expected) => {
    const { clock, source, refresh, store, slugs, typesOf } = await openCrawled();
    const [anime] = source.anime.splice(10, 1);
    for (let crawl = 0; crawl < 2; crawl += 1) {
      await refresh();
      clock.now += HOUR;
    }
    clock.now += days * 24 * HOUR;
    source.anime.splice(10, 0, anime!);
    await refresh();
    expect(await slugs()).toContain('judul-11');
    expect(await typesOf()).toEqual(['left judul-11', ...expected]);
    const evidence = Object.values((await store.readSnapshot())?.ledger ?? {});
    expect(evidence.flatMap(({ cards }) => cards.filter(({ after }) => after !== undefined))).toEqual([]);
    expect((await store.readSnapshot())?.left).toMatchObject(days < 7 ? { 'judul-11': { anime } } : {});
  });
});

describe('an anime that left, on a later page without an age', () => {
  test.each([
    ['stays away while its own page says that it is completed', 'completed' as const, [8, 30], []],
    ['is back at once when its own page goes on', 'ongoing' as const, [1], ['judul-41']],
    [
      'is back after three crawls over six hours when its own page cannot be read',
      undefined,
      [3, 4],
      ['judul-41'],
    ],
  ])('%s', async (_name, status, hours, expected) => {
    const { clock, source, refresh, slugs, typesOf } = await openCrawled(60, true);
    const [anime] = source.anime.splice(40, 1);
    source.showAnime = () => {
      if (!status) throw new AppError('source-down', 'no answer');
      const page = makeAnimePage(anime);
      return { ...page, details: { ...page.details, status } };
    };
    for (let crawl = 0; crawl < 2; crawl += 1) {
      clock.now += HOUR;
      await refresh();
    }
    source.anime.splice(40, 0, anime!);
    clock.now += HOUR;
    await refresh();
    if (status !== 'ongoing') expect(await slugs()).not.toContain('judul-41');
    for (const pause of hours) {
      clock.now += pause * HOUR;
      await refresh();
    }
    expect((await slugs())?.filter((slug) => slug === 'judul-41')).toEqual(expected);
    expect(await typesOf()).toEqual(['left judul-41']);
  });
});

describe('an older page', () => {
  const at = (time: number) => ({ builtAt: time });

  test('of the list says nothing against what a younger one has shown', async () => {
    const { clock, source, refresh, peek, slugs, typesOf } = await openCrawled();
    const builtAt = clock.now;
    const old = source.anime.slice();
    airEpisode(source, 40);
    source.anime.unshift(makeAnime(99));
    const current = source.anime;
    source.alterOngoing = (page) => ({ ...page, ...at(builtAt + HOUR) });
    clock.now += 2 * HOUR;
    await peek();
    const told = await typesOf();
    expect(told).toHaveLength(2);
    for (let times = 0; times < 8; times += 1) {
      clock.now += HOUR;
      source.anime = times % 2 ? current : old;
      source.alterOngoing = (page) => ({ ...page, ...at(times % 2 ? builtAt + HOUR : builtAt) });
      await (times % 3 ? refresh() : peek());
      expect(await slugs()).toEqual(current.map(({ slug }) => slug));
    }
    expect(await typesOf()).toEqual(told);
  });

  test('is the truth about a number when nothing else was shown for a day, and never about an anime that it lacks', async () => {
    const { clock, source, store, refresh, slugs, typesOf } = await openCrawled();
    const builtAt = clock.now;
    const old = source.anime.slice();
    airEpisode(source, 40);
    source.anime.unshift(makeAnime(99));
    source.alterOngoing = (page) => ({ ...page, ...at(builtAt + HOUR) });
    clock.now += 2 * HOUR;
    await refresh();
    source.anime = old;
    source.alterOngoing = (page) => ({ ...page, ...at(builtAt) });
    const episode = async () =>
      (await store.readSnapshot())!.ongoing.find(({ slug }) => slug === 'judul-41')!.episode;
    for (let hour = 0; hour < 24; hour += 1) {
      await refresh();
      expect(await episode()).toBe(old[40]!.episode + 1);
      clock.now += HOUR;
    }
    await refresh();
    expect(await episode()).toBe(old[40]!.episode);
    expect(await slugs()).toContain('judul-99');
    expect(await typesOf()).toEqual(['added judul-99', 'new-episode judul-41']);
  });
});

describe('a new episode', () => {
  const setEpisode = ({ source }: Scene, episode: number) => {
    source.anime = source.anime.with(5, { ...source.anime[5]!, episode });
  };
  const toldBy = async ({ refresh }: Scene) =>
    (await refresh()).changes.flatMap((change) => (change.type === 'new-episode' ? [change.episode] : []));

  test('is an event once, however often the source reverts it', async () => {
    const scene = await openTestRefresh();
    setEpisode(scene, 21);
    await scene.refresh();
    setEpisode(scene, 20);
    expect(await toldBy(scene)).toEqual([]);
    setEpisode(scene, 21);
    expect(await toldBy(scene)).toEqual([]);
    setEpisode(scene, 22);
    expect(await toldBy(scene)).toEqual([22]);
    setEpisode(scene, 20);
    expect(await toldBy(scene)).toEqual([]);
    setEpisode(scene, 22);
    expect(await toldBy(scene)).toEqual([]);
  });

  test('is not an event again when the anime left the list and came back', async () => {
    const scene = await openTestRefresh();
    setEpisode(scene, 21);
    await scene.refresh();
    const [anime] = scene.source.anime.splice(5, 1);
    await scene.refresh();
    scene.source.anime.splice(5, 0, { ...anime!, episode: 20 });
    expect(await toldBy(scene)).toEqual([]);
    setEpisode(scene, 21);
    expect(await toldBy(scene)).toEqual([]);
    setEpisode(scene, 22);
    expect(await toldBy(scene)).toEqual([22]);
  });
});
