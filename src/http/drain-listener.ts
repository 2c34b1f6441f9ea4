import { readFile } from 'node:fs/promises';
import type { Server } from 'node:http';
import { Server as NetServer } from 'node:net';
import { setImmediate as oneTurn } from 'node:timers/promises';

/** A turn of the event loop that is shorter has found nothing to do; how long such a one is waited for. */
const QUIET_MS = 0.03;
const PATIENCE_MS = 1_000;

/** Whether the kernel drops what waits in the queue of a socket that leaves a shared port. False where that is unknown. */
export async function losesConnections(): Promise<boolean> {
  const setting = await readFile('/proc/sys/net/ipv4/tcp_migrate_req', 'utf8').catch(() => '1');
  return setting.trim() === '0';
}

/**
 * Leaves a port to the others that accept on it; resolves when the last connection has ended. Past `http.Server`,
 * whose `close` cuts off idle connections, on which a request may be on its way.
 */
export async function drainListener(server: Server): Promise<void> {
  await quietTurn();
  await new Promise<unknown>((resolve) => NetServer.prototype.close.call(server, resolve));
}

/**
 * A turn of the event loop in which nothing was to be done, nor to be accepted. The connections that wait in the
 * queue of a listening socket die with it, unless the kernel hands them over: so few as possible shall.
 */
async function quietTurn(): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  let [before, after] = [0, performance.now()];
  do {
    before = after;
    await oneTurn();
    after = performance.now();
  } while (after - before > QUIET_MS && after < deadline);
}
