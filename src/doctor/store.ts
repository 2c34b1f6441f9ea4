import { statfs } from 'node:fs/promises';
import { openStore, storeFolder } from '../app/open-store.ts';
import { formatSize } from '../domain/units.ts';
import { type Check, redactUrl, type Show, showForeignFolder, tryPlace } from './check.ts';

/** A disk with less counts as full; the store itself takes less than 1 MB. */
const MIN_FREE_BYTES = 64 * 1024 ** 2;
const LOW_FREE_BYTES = 512 * 1024 ** 2;

/** Opens, reads and writes the snapshot store, and looks at the free space on its disk. */
export const checkStore: Check = async (config, show) => {
  const place = redactUrl(config.cacheUrl);
  const attempt = tryPlace(place, 'CACHE_URL', show);
  const store = await attempt('cannot be opened', () => openStore(config));
  if (!store) return;
  if (!store.shared) {
    const advice = 'set CACHE_URL to sqlite:PATH';
    show('warning', `${place} loses its data with each restart, and only one process sees it; ${advice}`);
  }
  await attempt('cannot be read', async () => {
    await store.readStatus();
    await store.readSnapshot();
    show('ok', `${place} can be opened and read`);
  });
  await attempt('cannot be written to', async () => {
    const lease = await store.lease('refresh');
    if (!lease) {
      const busy = 'another process is refreshing, so writing was not tried';
      return show('warning', `${busy}; run the doctor again later`);
    }
    // Writes back the same status, which is safe under the lease.
    await store.write(lease, { status: await store.readStatus() }).finally(lease.release);
    show('ok', 'the store can be written, and the lease is free');
  });
  await store.close();
  const folder = storeFolder(config);
  if (!folder) return;
  await showFreeSpace(folder, show);
  showForeignFolder(folder, show);
};

async function showFreeSpace(folder: string, show: Show): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  const free = `${formatSize(bavail * bsize)} free in ${folder}`;
  if (bavail * bsize < MIN_FREE_BYTES) show('problem', `only ${free}: make room, or set DATA_DIR`);
  else if (bavail * bsize < LOW_FREE_BYTES) show('warning', `only ${free}: make room soon, or set DATA_DIR`);
  else show('ok', free);
}
