import type { AnimeEvent } from '../../src/domain/event.ts';
import { openRedisStore } from '../../src/store/drivers/redis.ts';
import { openSqliteStore } from '../../src/store/drivers/sqlite.ts';
import { openSnapshotStore, type SnapshotStore } from '../../src/store/snapshot-store.ts';
import type { Store } from '../../src/store/store.ts';
import { writeStore } from './write-store.ts';

/** How long the lease of a sender that was killed outlives it in Redis. */
const LEASE_MS = 3_000;

export async function openEventStore(url: string): Promise<SnapshotStore> {
  const isSqlite = url.startsWith('sqlite:');
  const store: Store = isSqlite
    ? await openSqliteStore(url)
    : await openRedisStore(url, { leaseMs: LEASE_MS });
  return openSnapshotStore(store, { random: () => 0 });
}

/** Events numbered from `first` to `last`, a second apart, the last of them at `at`. */
export function makeEvents(first: number, last: number, at: number): AnimeEvent[] {
  return Array.from({ length: last + 1 - first }, (_, index): AnimeEvent => {
    const number = first + index;
    const slug = `judul-${number}`;
    return {
      number,
      at: at - (last - number) * 1_000,
      type: 'new-episode',
      slug,
      title: `Judul ${number}`,
      episode: number,
      day: 'Senin',
      image: `https://source.example/${slug}.jpg`,
      link: `https://source.example/anime/${slug}/`,
    };
  });
}

/** Writes events as a refresh does: the snapshot with them, then the status. */
export async function writeEvents(
  store: SnapshotStore,
  events: readonly AnimeEvent[],
  epoch = 'e1',
): Promise<void> {
  const lastEvent = events.at(-1)?.number ?? 0;
  const changedAt = (events.at(-1)?.at ?? 0) + lastEvent;
  const changed = { scheduleChangedAt: changedAt, ongoingChangedAt: changedAt };
  await writeStore(store, {
    listing: {
      snapshot: { schedule: [], ongoing: [], ...changed, epoch, lastEvent, ledger: {} },
      events: events,
    },
  });
  await writeStore(store, { status: { ...(await store.readStatus()), changedAt } });
}
