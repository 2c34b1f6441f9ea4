import assert from 'node:assert/strict';
import { readConfig } from '../../../src/app/config.ts';
import { openCrawlerJob } from '../../../src/app/open-crawler.ts';
import type { OngoingAnime } from '../../../src/domain/listing.ts';
import type { SnapshotStore } from '../../../src/store/snapshot-store.ts';
import type { Operation, Place } from './operation.ts';

function openJob({ folder, site }: Place) {
  const environment = { DATA_DIR: folder, SOURCE_URLS: site, SOURCE_DELAY: '0', REFRESH_PEEK: 'off' };
  return openCrawlerJob(readConfig(environment, '0.0.0'), () => {});
}

const request = () => ({ force: false, signal: new AbortController().signal, knownAttempt: null });

/** The site airs an episode between the refresh of `prepare` and the one that is interrupted. */
export const refresh: Operation = {
  async prepare(place) {
    const job = await openJob(place);
    await job.refresh(request());
    return {
      before: await readState(job.store),
      async run(acknowledge) {
        await fetch(`${place.site}/air`);
        const { changes } = await job.refresh({ ...request(), force: true });
        acknowledge(changes);
      },
      end: () => job.close(),
    };
  },
  async check(place, { before, acknowledged }) {
    const job = await openJob(place);
    const found = await readState(job.store);
    const isBefore = found.list.join() === (before as State).list.join();
    if (acknowledged.length > 0) assert(!isBefore, 'the refresh was acknowledged and is gone');
    if (isBefore) assert.deepEqual(found, before, 'events are visible without their snapshot');
    await job.refresh({ ...request(), force: true });
    const after = await readState(job.store);
    if (!isBefore) assert.deepEqual(found, after, 'the snapshot and its events are not whole');
    await job.close();
    const expected = after.list.join() === (before as State).list.join() ? [] : ['1 new-episode'];
    assert.deepEqual(after.events, expected, 'an event is lost or doubled');
  },
};

interface State {
  list: string[];
  events: string[];
}

async function readState(store: SnapshotStore): Promise<State> {
  const listing = await store.readListing();
  assert(listing, 'there is no snapshot');
  const { snapshot, events } = listing;
  return {
    list: snapshot.ongoing.map(({ slug, episode }: OngoingAnime) => `${slug} ${episode}`),
    events: events.map(({ number, type }) => `${number} ${type}`),
  };
}
