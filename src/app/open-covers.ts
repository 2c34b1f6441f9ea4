import { type CoverStore, openCoverStore } from '../crawler/covers/cover-store.ts';
import { countCovers, startCoversReader } from '../crawler/covers/covers-reader.ts';
import type { CoverCount, Covers } from '../domain/cover.ts';
import type { Report } from '../domain/operational-event.ts';
import type { Source } from '../source/source.ts';
import type { SnapshotStore } from '../store/snapshot-store.ts';

interface OpenCoversOptions {
  store: SnapshotStore;
  timeZone: string;
  /** Called when the store may have other covers. */
  onChange: () => void;
  report: Report;
  /** Wall clock, ms since 1970. */
  now: () => number;
}

/** The covers that are kept in the store, as this process follows them. */
export interface KeptCovers {
  /** The same object until one changes. */
  covers(): Covers;
  /** Undefined until there is a snapshot. */
  count(): CoverCount | undefined;
  /** Reads the store. Resolves with whether it answered. */
  load(): Promise<boolean>;
  /** Reads a file of a cover; null where the store does not have it. Rejects when the store fails. */
  readFile(name: string): Promise<Uint8Array | null>;
  /** Reads the covers of the source, in one process of those that share the store. */
  start(options: { source: () => Promise<Source>; isBusy: () => boolean }): void;
  stop(): Promise<void>;
}

export async function openCovers(options: OpenCoversOptions): Promise<KeptCovers> {
  const { store, timeZone, onChange, now } = options;
  const covers = await openCoverStore(store);
  let stopReading: (() => Promise<void>) | undefined;

  const load = () =>
    covers.load().then(
      () => {
        onChange();
        return true;
      },
      // The watch of the listing reports it.
      () => false,
    );

  /** Shows new covers at once: the watch of the store calls back later. */
  const write: CoverStore['write'] = async (...written) => {
    await covers.write(...written);
    onChange();
  };

  const unwatch = store.watch(() => void load());
  return {
    covers: covers.covers,
    count() {
      const snapshot = store.known().listing?.snapshot;
      return snapshot && countCovers(covers.records(), snapshot, timeZone, now());
    },
    load,
    readFile: async (name) => (await covers.readFile(name)) ?? null,
    start(reading) {
      stopReading = startCoversReader({ ...options, ...reading, covers: { ...covers, write } });
    },
    async stop() {
      unwatch();
      await stopReading?.();
    },
  };
}
