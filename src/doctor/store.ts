import { statfs } from 'node:fs/promises';
import { openStore, storeFolder } from '../app/open-store.ts';
import { formatSize } from '../domain/units.ts';
import { type Check, redactUrl, type Show, showForeignFolder, tryPlace } from './check.ts';

/** A disk with less counts as full; the store itself takes less than 1 MB. */
const MIN_FREE_BYTES = 64 * 1024 ** 2;
const LOW_FREE_BYTES = 512 * 1024 ** 2;

/** Whether the snapshot store opens, can be read and written, and has space on its disk. */
export const checkStore: Check = async (config, show) => {
  const place = redactUrl(config.cacheUrl);
  const attempt = tryPlace(place, 'CACHE_URL', show);
  const store = await attempt('cannot be opened', () => openStore(config));
  if (!store) return;
  if (!store.shared) {
    const advice = 'set CACHE_URL to sqlite:PATH';
    show('warning', `${place} is lost with each restart and seen by one process only; ${advice}`);
  }
  await attempt('cannot be read', async () => {
    await store.readStatus();
    await store.readSnapshot();
    show('ok', `${place} opens, and can be read`);
  });
  await attempt('cannot be written to', async () => {
    const lease = await store.lease('refresh');
    if (!lease) {
      const busy = 'another process is refreshing and holds the lease, so writing was not tried';
      return show('warning', `${busy}; run doctor again when it has finished`);
    }
    // What was read is written back, which is safe while holding the lease.
    await store.write(lease, { status: await store.readStatus() }).finally(lease.release);
    show('ok', 'it can be written to, and its lease is free');
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
