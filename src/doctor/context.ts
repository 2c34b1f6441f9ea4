import type { Config } from '../app/config.ts';
import { prepareStoreFolder, prepareUploadFolder } from '../app/folders.ts';
import { loadSource } from '../app/open-crawler.ts';
import { openSnapshotStore, type SnapshotStore } from '../crawler/snapshot-store.ts';
import { STORE_DRIVERS } from '../crawler/stores/drivers.ts';
import type { Report } from '../domain/operational-event.ts';
import { once } from '../domain/serial.ts';
import { driverFor, redactSetting } from '../domain/setting-url.ts';
import type { Source } from '../source/source.ts';
import { STORAGE_DRIVERS } from '../uploads/storage/drivers.ts';
import type { Storage } from '../uploads/storage.ts';

/** Everything that the checks use. */
export interface DoctorContext {
  config: Config;
  openSource(report: Report): Promise<Source>;
  /** Both open once; a call rejects when that fails, which a check reports. */
  openStore(): Promise<SnapshotStore>;
  openStorage(): Promise<Storage>;
}

/** Opens the store and the storage when a check first needs them. */
export function openContext(config: Config): { context: DoctorContext; close: () => Promise<void> } {
  const { cacheUrl, source, upload } = config;
  const opened: { close(): Promise<void> }[] = [];
  const keep = <Driver extends { close(): Promise<void> }>(driver: Driver): Driver => {
    opened.push(driver);
    return driver;
  };

  return {
    context: {
      config,
      openSource: async (report) => keep(await loadSource(source, report)),
      openStore: once(async () => {
        await prepareStoreFolder(config);
        const store = await driverFor(cacheUrl, STORE_DRIVERS)(cacheUrl);
        const place = redactSetting(cacheUrl);
        return keep(await openSnapshotStore(store, { random: Math.random, place }));
      }),
      openStorage: once(async () => {
        await prepareUploadFolder(config);
        const open = driverFor(upload.storageUrl, STORAGE_DRIVERS);
        // The check reports the failures of the storage.
        return keep(await open(upload.storageUrl));
      }),
    },
    async close() {
      await Promise.allSettled(opened.map((one) => one.close()));
    },
  };
}
