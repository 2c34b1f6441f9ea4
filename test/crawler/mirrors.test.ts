import { expect, test } from 'vitest';
import { AppError } from '../../src/domain/errors.ts';
import { airEpisode } from '../support/fake-source.ts';
import { HOUR, openTestRefresh } from '../support/refresh.ts';

const [ONE, TWO] = ['https://one.example', 'https://two.example'];

/** Two mirrors; `down` are out of reach, and `ages` say how old the pages of one are. */
async function openMirrors() {
  const scene = await openTestRefresh();
  const { source, clock, events } = scene;
  const down = new Set<string>();
  const ages = new Map<string, number>();
  const { beginCrawl } = source;
  Object.assign(source, { mirrors: [ONE, TWO] });
  source.beginCrawl = (signal) => (mirror) => {
    const visit = beginCrawl(signal)(mirror);
    const check = () => {
      if (down.has(mirror)) throw new AppError('source-down', `${mirror} is down`);
    };
    return {
      ...visit,
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
  return { ...scene, down, ages, asked };
}

test('the first mirror is asked again within the hour after it failed, and not at once', async () => {
  const { clock, down, refresh, asked } = await openMirrors();
  down.add(ONE!);
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
  ages.set(ONE!, 5 * HOUR);
  clock.now += HOUR;
  airEpisode(source, 30);
  await refresh();
  expect(asked()).toEqual([ONE, TWO]);
  expect(await slugs()).toEqual(source.anime.map(({ slug }) => slug));
});

test('the youngest answer counts where all are older', async () => {
  const { clock, ages, refresh, asked, store } = await openMirrors();
  ages.set(ONE!, 8 * HOUR).set(TWO!, 7 * HOUR);
  clock.now += HOUR;
  await refresh();
  expect(asked()).toEqual([ONE, TWO]);
  expect((await store.readStatus()).mirror).toBe(TWO);
});
