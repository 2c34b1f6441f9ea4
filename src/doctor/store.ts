import { type Check, redactUrl, tryPlace } from './check.ts';

/** Whether the snapshot store opens, and can be read and written. */
export const checkStore: Check = async ({ config, openStore }, tell) => {
  const place = redactUrl(config.cacheUrl);
  const attempt = tryPlace(place, 'CACHE_URL', tell);
  const store = await attempt('cannot be opened', openStore);
  if (!store) return;
  if (!store.shared) {
    const advice = 'set CACHE_URL to sqlite:PATH';
    tell('warning', `${place} is lost with each restart and seen by one process only; ${advice}`);
  }
  await attempt('cannot be read', async () => {
    await store.readStatus();
    await store.readSnapshot();
    tell('ok', `${place} opens, and can be read`);
  });
  await attempt('cannot be written to', async () => {
    const lease = await store.lease('refresh');
    if (!lease) {
      const busy = 'another process is refreshing and holds the lease, so writing was not tried';
      return tell('warning', `${busy}; run doctor again when it has finished`);
    }
    // What was read is written back, which is safe while holding the lease.
    await store.write(lease, { status: await store.readStatus() }).finally(lease.release);
    tell('ok', 'it can be written to, and its lease is free');
  });
};
