import { expect, test } from 'vitest';
import { openSnapshotStore, type SnapshotStore } from '../../src/crawler/snapshot-store.ts';
import { checkLastCrawl } from '../../src/doctor/last-crawl.ts';
import { AppError } from '../../src/domain/errors.ts';
import { openTestRefresh } from '../support/refresh.ts';
import { contextOf, findings } from './support/findings.ts';

const HOUR = 3_600_000;

/** The findings about a store at `now`, as lines. */
async function told(openStore: () => Promise<SnapshotStore>, now: number, REFRESH_CRON = '* * * * *') {
  return findings(checkLastCrawl({ ...contextOf({ REFRESH_CRON }), openStore, now: () => now }));
}

const blocked = () => {
  throw new AppError('source-blocked', 'the source refused with 403; set SOURCE_PROXY');
};

test('a store without a crawl is a warning', async () => {
  const { store, clock } = await openTestRefresh();
  expect(await told(async () => store, clock.now)).toEqual([
    'warning: none yet: run npm run refresh, or npm start',
    expect.stringMatching(/^ok: it is /u),
  ]);
});

test('a good crawl is ok until the next one is due', async () => {
  const { store, clock, refresh } = await openTestRefresh();
  await refresh();
  expect(await told(async () => store, clock.now + HOUR / 4)).toEqual([
    'ok: good, 15 minutes ago; the source has been ok for 15 minutes',
    'ok: snapshot: 60 anime, 60 scheduled, confirmed 15 minutes ago, changed 15 minutes ago',
    expect.stringMatching(/^ok: it is \d\d:\d\d:\d\d \d\d\/\d\d\/\d{4} in Asia\/Jakarta \(TIME_ZONE\)$/u),
  ]);
});

test('an overdue crawl is a warning', async () => {
  const { store, clock, refresh } = await openTestRefresh();
  await refresh();
  const later = clock.now + 4 * HOUR;
  expect(await told(async () => store, later)).toContain(
    'warning: a crawl was due 3 hours ago: is npm start running?',
  );
  expect((await told(async () => store, later, 'off')).at(-2)).toMatch(/^ok: REFRESH_CRON=off/u);
});

test('a refused crawl is a warning while there is a snapshot', async () => {
  const { source, store, clock, refresh } = await openTestRefresh();
  await refresh();
  source.onRead = blocked;
  await refresh().catch(() => {});
  const [first] = await told(async () => store, clock.now + HOUR);
  expect(first).toMatch(
    /^warning: refused, 1 hour ago: blocked for 1 hour: .*SOURCE_PROXY.*The last good snapshot is served/u,
  );
});

test('a refused crawl is a problem without a snapshot', async () => {
  const { source, store, clock, refresh } = await openTestRefresh();
  source.onRead = blocked;
  await refresh().catch(() => {});
  expect((await told(async () => store, clock.now))[0]).toMatch(
    /^problem: refused.*There is no snapshot to serve/u,
  );
});

test('a store that cannot be opened is a warning', async () => {
  const failing = () => openSnapshotStore(undefined as never, () => 0.5);
  expect(await told(failing, 0)).toEqual(['warning: unknown: the store cannot be opened']);
});

test('a clock that was set back before the last crawl is a problem', async () => {
  const { store, clock, refresh } = await openTestRefresh();
  await refresh();
  expect((await told(async () => store, clock.now - 2 * HOUR)).at(-1)).toMatch(
    /^problem: it is .* and the last crawl ended 2 hours later than that; .*clock/u,
  );
});
