import fc from 'fast-check';
import { expect, test } from 'vitest';
import { foresee } from '../../src/crawler/timing/foresee.ts';
import { historyOf } from '../../src/domain/ledger.ts';
import type { OngoingAnime } from '../../src/domain/listing.ts';
import { shortDate } from '../../src/domain/source-date.ts';
import { airEpisode } from '../support/fake-source.ts';
import { MORE } from '../support/more-runs.ts';
import { HOUR, openTestRefresh, PEEK_MS } from '../support/refresh.ts';

const DAY = 24 * HOUR;

type Scene = Awaited<ReturnType<typeof openTestRefresh>>;

async function openCrawled() {
  const scene = await openTestRefresh(30);
  await scene.refresh();
  const peekLater = async () => {
    scene.clock.now += PEEK_MS;
    await scene.peek();
  };
  const told = async () =>
    (await scene.store.readListing())!.events.flatMap((one) => ('episode' in one ? [one.episode] : []));
  return { ...scene, peekLater, told };
}

/** Puts an anime on top of the list with a number. */
function show({ source }: Pick<Scene, 'source'>, episode: number) {
  const [one] = source.anime as [OngoingAnime];
  source.anime[0] = { ...one, episode, date: '21 Nov' };
}

test('a number that jumps waits for a second reading, and every episode after its correction is told', async () => {
  const scene = await openCrawled();
  airEpisode(scene.source, 7);
  const { slug, episode } = scene.source.anime[0]!;
  show(scene, episode + 9);
  await scene.peekLater();
  expect(await scene.told()).toEqual([]);
  await scene.peekLater();
  expect(await scene.told()).toEqual([episode + 9]);
  show(scene, episode);
  await scene.peekLater();
  expect(await scene.told()).toEqual([episode + 9, episode]);
  const { ledger } = (await scene.store.readSnapshot())!;
  expect(historyOf(ledger)[slug]?.[0]?.episode).toBe(episode);
});

/** A day of the source on which an anime has its next episode, at first with another number, while a clock is wrong. */
const day = fc.record({
  index: fc.nat(2),
  mistake: fc.constantFrom(0, 0, 7, -3),
  aheadDays: fc.constantFrom(0, 0, 0, 1, -1, 365),
});

test('through mistakes and wrong clocks, every real episode is told once, and none is late on its day', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(day, { maxLength: 30 }), async (days) => {
      const scene = await openCrawled();
      const { source, clock, store, refresh, peekLater } = scene;
      const aired: string[] = [];
      for (const { index, mistake, aheadDays } of days) {
        clock.now += DAY;
        await refresh();
        const slug = `judul-${index + 1}`;
        const [own] = source.anime.splice(
          source.anime.findIndex((one) => one.slug === slug),
          1,
        ) as [OngoingAnime];
        const next = { ...own, episode: own.episode + 1, date: shortDate(clock.now) };
        aired.push(`${slug} ${next.episode}`);
        source.anime.unshift({ ...next, episode: Math.max(1, next.episode + mistake) });
        clock.now += aheadDays * DAY;
        await peekLater();
        clock.now -= aheadDays * DAY;
        source.anime[0] = next;
        for (let peek = 0; peek < 3; peek += 1) await peekLater();
        const snapshot = (await store.readSnapshot())!;
        expect(snapshot.ongoing[0]).toEqual(next);
        const { expected } = foresee({ snapshot, status: await store.readStatus() }, clock.now);
        expect(expected[slug]?.late ?? false).toBe(false);
      }
      const { events } = (await store.readListing())!;
      const told = events.flatMap((one) => ('episode' in one ? `${one.slug} ${one.episode}` : []));
      for (const one of aired) expect(told.filter((each) => each === one)).toEqual([one]);
    }),
    { numRuns: 20 * MORE },
  );
});
