import type { Dependencies } from '../domain/dependency.ts';
import type { Config } from './config.ts';
import type { ReceivedListing } from './received-listing.ts';

/** Returns the dependencies of this process. One that it cannot do without counts as down until its thread has reported. */
export function readDependencies(
  { serves }: Pick<Config, 'serves'>,
  received: Pick<ReceivedListing, 'state' | 'dependencies'>,
): Dependencies {
  const { storage, limiter = 'absent', quota = 'absent', scanner = 'absent' } = received.dependencies();
  const { state, writable } = received.state()?.store ?? { state: 'down', writable: null };
  const store = writable === false ? 'down' : state;
  return {
    store: serves.listing || serves.refresh ? store : 'absent',
    storage: serves.uploads ? (storage ?? 'down') : 'absent',
    limiter,
    quota,
    scanner,
  };
}
