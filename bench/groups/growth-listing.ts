import type { Snapshot } from '../../src/domain/snapshot.ts';
import { type EditionContent, type EditionState, renderEdition } from '../../src/publishing/edition.ts';
import { openSqliteStore } from '../../src/store/drivers/sqlite.ts';
import { openSnapshotStore } from '../../src/store/snapshot-store.ts';
import { writeStore } from '../../test/support/write-store.ts';
import { inFolder } from '../support/folders.ts';
import { fire } from '../support/load.ts';
import { manyAnime } from '../support/many.ts';
import { cpuMsOf, perCpuSecond } from '../support/measure.ts';
import { startService } from '../support/servers.ts';
import type { Row } from '../support/table.ts';

/** The state with which the front page of the edition is rendered. */
const STATE: EditionState = {
  timeZone: 'Asia/Jakarta',
  url: 'https://tayang.example',
  sourceUrl: 'https://source.example',
  status: { state: 'ok', since: 1, readAt: 1, refreshedAt: 1 },
  now: Date.UTC(2026, 10, 20),
};

const contentOf = (snapshot: Snapshot): EditionContent => ({
  snapshot,
  events: [],
  history: {},
  unnumbered: {},
  expected: {},
});

/** The last one is the maximum of a listing. */
const COUNTS = [100, 1_000, 2_500];
const REQUESTS = 5_000;

/** The CPU time of each entry of the listing as their number grows: in an edition, and in a request. */
export async function measureListingGrowth(): Promise<Row[]> {
  const editions: Row[] = [];
  const requests: Row[] = [];
  await cpuMsOf(5, () => renderEdition(contentOf(manyAnime(100)), STATE));
  for (const count of COUNTS) {
    const snapshot = manyAnime(count);
    const entries = `${count.toLocaleString('en')} anime`;
    const renderings = Math.max(1, 1_000 / count);
    const editionMs = await cpuMsOf(renderings, () => renderEdition(contentOf(snapshot), STATE));
    editions.push({
      what: `${entries}: edition, an anime`,
      values: [(editionMs * 1_000) / count],
      unit: 'µs',
    });

    const perSecond = await inFolder(async (folder) => {
      const store = await openSnapshotStore(await openSqliteStore(`sqlite:${folder}/cache.sqlite`), {
        random: () => 0,
      });
      await writeStore(store, { listing: { snapshot: snapshot, events: [] } });
      await store.close();
      const service = await startService(folder);
      const load = { url: `${service.address}/api/anime/home?page=2`, amount: REQUESTS };
      await fire(load);
      const values = await perCpuSecond(service, () => fire(load));
      await service.stop();
      return values;
    });
    requests.push({ what: `${entries}: a request`, values: [1e6 / perSecond], unit: 'µs' });
  }
  return [...editions, ...requests];
}
