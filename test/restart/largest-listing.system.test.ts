import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openSqliteStore } from '../../src/store/drivers/sqlite.ts';
import { openSnapshotStore } from '../../src/store/snapshot-store.ts';
import { listingOf, makeAnime } from '../support/fake-source.ts';
import { startServe, temporaryFolder } from '../support/service.ts';
import { writeStore } from '../support/write-store.ts';

test('the largest listing that a crawl can bring is served after a start', async () => {
  const folder = await temporaryFolder(onTestFinished);
  const store = await openSnapshotStore(
    await openSqliteStore(`sqlite:${path.join(folder, 'cache.sqlite')}`),
    { random: () => 0 },
  );
  const listing = listingOf(Array.from({ length: 2_500 }, (_, index) => makeAnime(index + 1)));
  await writeStore(store, {
    listing: {
      snapshot: {
        ...listing,
        scheduleChangedAt: 1,
        ongoingChangedAt: 1,
        epoch: 'e1',
        lastEvent: 0,
        ledger: {},
      },
      events: [],
    },
  });
  await store.close();
  const { address } = await startServe({ DATA_DIR: folder, REFRESH_CRON: 'off' }, onTestFinished);
  expect((await fetch(`${address}/api/anime/home?page=100`)).status).toBe(200);
  expect((await fetch(`${address}/anime/judul-2500`)).status).toBe(200);
});
