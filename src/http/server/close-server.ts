import { readFile } from 'node:fs/promises';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Server as NetServer } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Connections } from './connections.ts';

const CLOSE_IDLE_EVERY_MS = 50;
/** How long, on a shared port, an idle connection may send one more request. Its response has `Connection: close`. */
const FAREWELL_MS = 5_000;
/** A shorter turn of the event loop had nothing to do. */
const QUIET_TURN_MS = 0.03;
const MAX_QUIET_WAIT_MS = 1_000;

interface CloseOptions {
  connections: Connections;
  /** The events by which the server emits requests. */
  requestEvents: readonly string[];
  /** How long requests in flight may take to finish. */
  graceMs: number;
  /** Whether other processes accept on the same port. */
  isShared: boolean;
}

/** Stops accepting, lets requests in flight finish, then destroys what is left. Resolves once all connections have ended. */
export async function closeServer(server: Server, options: CloseOptions): Promise<void> {
  const { connections, requestEvents, graceMs, isShared } = options;
  for (const event of requestEvents) server.prependListener(event, endConnection);
  const deadline = setTimeout(() => server.closeAllConnections(), graceMs);
  const startedAt = performance.now();
  const idleTimer = setInterval(() => {
    if (!isShared || performance.now() - startedAt >= FAREWELL_MS) connections.closeIdle();
  }, CLOSE_IDLE_EVERY_MS);
  const closed = isShared ? leavePort(server) : new Promise((resolve) => server.close(resolve));
  if (!isShared) connections.closeIdle();
  await closed;
  clearTimeout(deadline);
  clearInterval(idleTimer);
}

function endConnection(_request: IncomingMessage, response: ServerResponse): void {
  response.shouldKeepAlive = false;
}

/**
 * Leaves a port to the other processes that accept on it. `http.Server.close` would destroy idle connections, on which a
 * request may be on its way, so this calls the `close` of the server below it.
 */
async function leavePort(server: Server): Promise<void> {
  await waitForQuietTurn();
  await new Promise<unknown>((resolve) => NetServer.prototype.close.call(server, resolve));
}

/**
 * Waits for a turn of the event loop in which there was nothing to do or accept. A listening socket that closes drops the
 * connections in its queue unless the kernel migrates them, so the queue should be empty then.
 */
async function waitForQuietTurn(): Promise<void> {
  const deadline = performance.now() + MAX_QUIET_WAIT_MS;
  let turnMs: number;
  do {
    const startedAt = performance.now();
    await nextTurn();
    turnMs = performance.now() - startedAt;
  } while (turnMs > QUIET_TURN_MS && performance.now() < deadline);
}

/** Whether the kernel migrates queued connections to the others on a shared port; true where it does not say. */
export async function doesKernelMigrate(): Promise<boolean> {
  const setting = await readFile('/proc/sys/net/ipv4/tcp_migrate_req', 'utf8').catch(() => '1');
  return setting.trim() !== '0';
}
