import type { SnapshotStore } from '../crawler/snapshot-store.ts';
import { describeError } from '../domain/errors.ts';
import { type Finding, ok, problem, redactUrl, warning } from './check.ts';
import type { DoctorContext } from './context.ts';

/** Whether the snapshot store opens, and can be read and written. */
export async function* checkStore({ config, openStore }: DoctorContext): AsyncGenerator<Finding> {
  const place = redactUrl(config.cacheUrl);
  const failed = (what: string, error: unknown) =>
    problem(`${place} ${what}: ${describeError(error)}; fix that, or set CACHE_URL`);

  let store: SnapshotStore;
  try {
    store = await openStore();
  } catch (error) {
    yield failed('cannot be opened', error);
    return;
  }
  if (!store.shared) {
    yield warning(
      `${place} is lost with each restart and seen by one process only; set CACHE_URL to sqlite:PATH`,
    );
  }
  try {
    await store.readStatus();
    await store.readSnapshot();
    yield ok(`${place} opens, and can be read`);
  } catch (error) {
    yield failed('cannot be read', error);
  }
  try {
    yield await tryToWrite(store);
  } catch (error) {
    yield failed('cannot be written to', error);
  }
}

/** Writes back what was read, which is safe while holding the lease. */
async function tryToWrite(store: SnapshotStore): Promise<Finding> {
  const lease = await store.lease('refresh');
  if (!lease) {
    return warning(
      'another process is refreshing and holds the lease, so writing was not tried; run doctor again when it has finished',
    );
  }
  try {
    await store.write(lease, { status: await store.readStatus() });
  } finally {
    await lease.release();
  }
  return ok('it can be written to, and its lease is free');
}
