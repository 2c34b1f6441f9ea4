import { describe, expect, test } from 'vitest';
import { createBatchReader } from '../../src/crawler/details/details-reader.ts';
import { AppError } from '../../src/domain/errors.ts';
import { airEpisode } from '../support/fake-source.ts';
import { HOUR, openTestRefresh } from '../support/refresh.ts';
import { statusOf } from '../support/status.ts';

const [ONE, TWO, NEW] = ['https://one.example', 'https://two.example', 'https://new.example'] as const;

/**
 * Two mirrors; `down` are out of reach, and `ages` say how old the pages of one are. After `redirect`, all redirect to a new
 * address.
 */
async function openMirrors() {
  const scene = await openTestRefresh();
  const { source, clock, events } = scene;
  const down = new Set<string>();
  const ages = new Map<string, number>();
  /** The mirrors that were asked for a page of an anime. */
  const animeAsked = new Set<string>();
  let isMoved = false;
  const redirect = () => {
    isMoved = true;
  };
  const { beginCrawl } = source;
  Object.assign(source, { mirrors: [ONE, TWO] });
  source.beginCrawl = (signal) => (mirror) => {
    const visit = beginCrawl(signal)(mirror);
    const check = () => {
      if (down.has(mirror)) throw new AppError('source-down', `${mirror} is down`);
    };
    return {
      ...visit,
      origin: () => (isMoved ? NEW : mirror),
      async readAnime(slug) {
        animeAsked.add(mirror);
        return visit.readAnime(slug);
      },
      async readSchedule() {
        check();
        return visit.readSchedule();
      },
      async readOngoing(number) {
        check();
        return { ...(await visit.readOngoing(number)), builtAt: clock.now - (ages.get(mirror) ?? 0) };
      },
    };
  };
  const asked = () => {
    const mirrors = events.flatMap((one) => (one.type === 'refresh-started' ? [one.mirror] : []));
    events.length = 0;
    return mirrors;
  };
  await scene.refresh();
  asked();
  return { ...scene, down, ages, redirect, asked, animeAsked };
}

test('the first mirror is asked again within the hour after it failed, and not at once', async () => {
  const { clock, down, refresh, asked } = await openMirrors();
  down.add(ONE);
  await refresh();
  expect(asked()).toEqual([ONE, TWO]);
  down.clear();
  clock.now += HOUR / 2;
  await refresh();
  expect(asked()).toEqual([TWO]);
  clock.now += HOUR / 2;
  await refresh();
  expect(asked()).toEqual([ONE]);
});

test('a mirror with an older page 1 than what is known is passed over for a younger one', async () => {
  const { clock, source, ages, refresh, asked, slugs } = await openMirrors();
  ages.set(ONE, 5 * HOUR);
  clock.now += HOUR;
  airEpisode(source, 30);
  await refresh();
  expect(asked()).toEqual([ONE, TWO]);
  expect(await slugs()).toEqual(source.anime.map(({ slug }) => slug));
});

test('the youngest answer counts where all are older', async () => {
  const { clock, ages, refresh, asked, store } = await openMirrors();
  ages.set(ONE, 8 * HOUR).set(TWO, 7 * HOUR);
  clock.now += HOUR;
  await refresh();
  expect(asked()).toEqual([ONE, TWO]);
  expect((await statusOf(store)).mirror).toBe(TWO);
});

test('the mirror that served last is not read once it is no longer configured', async () => {
  const { source, store, clock, refresh, asked, animeAsked } = await openMirrors();
  Object.assign(source, { mirrors: [TWO] });
  const readBatch = createBatchReader({
    ...{ store, source: async () => source, isRefreshing: () => false },
    ...{ report: () => {}, now: () => clock.now },
  });
  expect(await readBatch(new AbortController().signal)).toBe(true);
  expect([...animeAsked]).toEqual([TWO]);
  await refresh();
  expect(asked()).toEqual([TWO]);
});

test('an address that a mirror redirects to is read in its place, while that mirror is the first', async () => {
  const { source, refresh, redirect, asked } = await openMirrors();
  redirect();
  await refresh();
  for (const [mirrors, expected] of [
    [[ONE], NEW],
    [[TWO, ONE], TWO],
    [['https://three.example'], 'https://three.example'],
  ]) {
    Object.assign(source, { mirrors });
    asked();
    await refresh();
    expect(asked()).toEqual([expected]);
  }
});

describe('a redirect to a host that is not configured', () => {
  test('is accepted when at least half of its anime are known, and is read first from then on', async () => {
    const { source, refresh, redirect, store } = await openMirrors();
    redirect();
    source.anime.splice(0, 5);
    await refresh();
    expect((await statusOf(store)).mirror).toBe(NEW);
  });

  test('is refused when fewer are known, and at the first crawl', async () => {
    const { source, refresh, redirect, store } = await openMirrors();
    redirect();
    for (const anime of source.anime.slice(0, 31)) anime.slug = `other-${anime.slug}`;
    await expect(refresh()).rejects.toThrow(/29 of 60 anime are known.*SOURCE_URLS/u);
    expect(await statusOf(store)).toMatchObject({ state: 'moved', mirror: ONE });
    const first = await openTestRefresh();
    const { beginCrawl } = first.source;
    first.source.beginCrawl = (signal) => (mirror) => ({ ...beginCrawl(signal)(mirror), origin: () => NEW });
    await expect(first.refresh()).rejects.toThrow(/https:\/\/new\.example, where 0 of 60 anime are known/u);
  });
});
