import { PendingReading } from '../../../../src/crawler/belief/pending.ts';
import { createRefresh } from '../../../../src/crawler/refresh.ts';
import { openSnapshotStore, type Store } from '../../../../src/crawler/snapshot-store.ts';
import {
  type SnapshotSync,
  type SnapshotUpdate,
  syncSnapshot,
} from '../../../../src/crawler/snapshot-sync.ts';
import { AppError } from '../../../../src/domain/errors.ts';
import { changedAt } from '../../../../src/domain/listing.ts';
import type { Source } from '../../../../src/source/source.ts';
import { openListSource } from '../../../support/fake-source.ts';
import { timesOf } from '../../../support/refresh.ts';
import type { ProcessState, World } from './world.ts';

export type RefreshKind = 'crawl' | 'peek' | 'forced';

export type ModelProcess = Awaited<ReturnType<typeof openProcess>>;

/** A process that refreshes and reads, with the code of the service. */
export async function openProcess(
  world: World,
  { name, skewMs, inner }: { name: string; skewMs: number; inner: Store },
) {
  const state: ProcessState = {
    name,
    skewMs,
    attempt: undefined,
    hasLostLease: false,
    failure: undefined,
    notify: () => {},
  };
  let isOpen = false;
  const store = await openSnapshotStore(
    world.delay(state, inner, () => isOpen),
    () => 0.5,
  );
  isOpen = true;
  const now = () => world.now(state);
  const report = () => {};
  const times = timesOf(now);
  const refresh = createRefresh({ source: createSource(world, state), store, report, now, times });
  let sync: SnapshotSync | undefined;
  let isRefreshing = false;
  const onSnapshot = createReader(world);
  const options = { store, onSnapshot, onStatus: async () => {}, report, now };
  syncSnapshot(options).then(
    (opened) => {
      sync = opened;
    },
    (error: unknown) => world.faults.push(`the first load failed: ${error}`),
  );

  function end(error?: unknown): void {
    const isRefused = error instanceof AppError;
    if (error === undefined || isRefused)
      world.faults.push(
        ...(state.attempt?.checkEnd(isRefused, error instanceof PendingReading, world.history.last) ?? []),
      );
    state.attempt = undefined;
    isRefreshing = false;
  }

  return {
    state,
    start(kind: RefreshKind) {
      if (isRefreshing) return;
      isRefreshing = true;
      const isPeek = kind === 'peek';
      const status = sync?.status();
      const knownAttempt = status && (isPeek ? status.attemptedAt : status.crawledAt);
      const known = knownAttempt === undefined ? {} : { knownAttempt };
      refresh({ force: kind === 'forced', signal: new AbortController().signal, isPeek, ...known }).then(
        () => end(),
        end,
      );
    },
    isRefreshing: () => isRefreshing,
    /** The snapshot that its readers have. */
    snapshot: () => sync?.snapshot(),
    /** The process ends: nothing that it has begun goes on. */
    async kill() {
      world.turns.abandon(name);
      sync?.stop();
      await world.endLease(state);
    },
  };
}

/** The pages of the site, each read when the process has its turn. */
function createSource(world: World, state: ProcessState): Source {
  const { site, turns } = world;
  const read = <Page>(work: () => Page) =>
    turns.wait(state.name, () => {
      try {
        return work();
      } catch (error) {
        state.attempt?.noteFailure();
        throw error;
      }
    });
  return openListSource({
    readSchedule: () =>
      read(() => {
        const page = site.readSchedule();
        return state.attempt?.noteSchedule(page) ?? page;
      }),
    readOngoing: (number) =>
      read(() => {
        const page = site.readOngoing(number);
        return state.attempt?.noteOngoing(page) ?? page;
      }),
  });
}

/** Readers never go back to an earlier snapshot, and get it with exactly its events. */
function createReader({ history, faults }: World) {
  let readAt = -1;
  return async ({ snapshot, events }: SnapshotUpdate): Promise<void> => {
    const index = history.snapshots.findIndex((one) => changedAt(one) === changedAt(snapshot));
    if (index === -1) faults.push('a reader has a snapshot that was never stored');
    if (index < readAt) faults.push('a reader went back to an earlier snapshot');
    readAt = index;
    faults.push(...history.checkEvents(events, snapshot));
  };
}
