import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type Credit, type MinRate, nextCredit } from './min-rate.ts';
import { createTurns, type Turns } from './turns.ts';

export interface ConnectionLimits {
  /** Connections that are served at once. */
  max: number;
  /** Of those, how many may come from one client. Absent where all of them come from a proxy. */
  maxPerClient?: number | undefined;
  /** Maps an address to the client that it belongs to, and the site of that, which may have twice as many. */
  networksOf?: (address: string) => readonly [client: string, site?: string];
  /** How long a connection may have no request in flight. */
  maxIdleMs: number;
  minRate: MinRate;
  checkEveryMs: number;
  /** Called after a check with the number of connections that were refused since the previous check, if there were any. */
  onRefused: (count: number) => void;
}

export type Connections = ReturnType<typeof trackConnections>;

/** While a server stops. */
const CHECK_IDLE_EVERY_MS = 100;
/** How long a refused connection has for its one request and the response. */
const REFUSED_MS = 1_500;
/** One connection may be refused with a response for every four that are served; Node drops the others unanswered. */
const SERVED_PER_REFUSED = 4;
const MIN_REFUSED = 8;
const MAX_REFUSED = 256;

interface Connection {
  isRefused: boolean;
  turns: Turns;
  idleMs: number;
  sending?: Credit | undefined;
  reading?: Credit | undefined;
}

/**
 * Tracks the connections of a server and enforces its limits: how many connections there are, how long one may be idle,
 * and how slowly one may send and read. Node itself limits the time for headers and between two requests; this also closes
 * connections that only send line ends. Time is counted in checks, so that a suspended machine closes nothing.
 */
export function trackConnections(server: Server, limits: ConnectionLimits) {
  const {
    max,
    maxPerClient = Number.POSITIVE_INFINITY,
    networksOf = (address) => [address],
    checkEveryMs,
  } = limits;
  const connections = new Map<Socket, Connection>();
  const servedByNetwork = new Map<string, number>();
  let served = 0;
  let refused = 0;
  let isEnding = false;
  let { maxIdleMs } = limits;
  const maxRefused = Math.max(MIN_REFUSED, Math.floor(max / SERVED_PER_REFUSED));
  server.maxConnections = max + Math.min(maxRefused, MAX_REFUSED);

  server.on('connection', (socket: Socket) => {
    const networks = networksOf(socket.remoteAddress ?? '').filter((network) => network !== undefined);
    const isFull = (network: string, index: number) =>
      (servedByNetwork.get(network) ?? 0) >= maxPerClient * (index + 1);
    const isRefused = served >= max || networks.some(isFull);
    if (isRefused) refuse(socket);
    else countServed(networks, 1);
    connections.set(socket, { isRefused, turns: createTurns(socket), idleMs: 0 });
    socket.once('close', () => {
      connections.delete(socket);
      if (!isRefused) countServed(networks, -1);
    });
  });
  server.on('drop', () => {
    refused += 1;
  });
  let timer = setInterval(check, checkEveryMs, checkEveryMs).unref();
  server.once('close', () => clearInterval(timer));

  function refuse(socket: Socket): void {
    refused += 1;
    const destroyTimer = setTimeout(() => socket.destroy(), REFUSED_MS);
    socket.once('close', () => clearTimeout(destroyTimer));
  }

  function countServed(networks: readonly string[], change: 1 | -1): void {
    served += change;
    for (const network of networks) {
      const next = (servedByNetwork.get(network) ?? 0) + change;
      if (next === 0) servedByNetwork.delete(network);
      else servedByNetwork.set(network, next);
    }
  }

  function check(elapsedMs: number): void {
    for (const [socket, connection] of connections) {
      connection.idleMs = connection.turns.isBusy() ? 0 : connection.idleMs + elapsedMs;
      const isTooSlow = updateCredits(socket, connection, elapsedMs);
      if (isTooSlow || (connection.idleMs >= maxIdleMs && !connection.turns.isBusy())) socket.destroy();
    }
    if (refused > 0) limits.onRefused(refused);
    refused = 0;
  }

  /**
   * Returns whether a client has used up its time. Only time counts in which a body is read as it arrives, and in which bytes
   * of a response wait, so a slow storage costs no credit.
   */
  function updateCredits(socket: Socket, connection: Connection, elapsedMs: number): boolean {
    const { minRate } = limits;
    const { bytesRead, bytesWritten, writableLength } = socket;
    const sent = connection.turns.isReceiving() ? bytesRead : undefined;
    const taken = writableLength > 0 ? bytesWritten - writableLength : undefined;
    connection.sending = nextCredit(minRate, connection.sending, sent, elapsedMs);
    connection.reading = nextCredit(minRate, connection.reading, taken, elapsedMs, minRate.readStepBytes);
    return [connection.sending, connection.reading].some((credit) => credit && credit.ms < 0);
  }

  return {
    /** Whether a connection is beyond the limits, so that its request gets a 503. */
    isRefused: (socket: Socket): boolean => connections.get(socket)?.isRefused ?? false,
    /** Handles a request when it is its turn on its connection. */
    take(response: ServerResponse, handle: () => void): void {
      const connection = connections.get(response.req.socket);
      if (!connection) return;
      connection.idleMs = 0;
      if (isEnding) response.shouldKeepAlive = false;
      connection.turns.take(response, handle);
    },
    /** Refuses what could not be read as a request, when it is its turn. */
    refuse: (socket: Socket, handle: () => void) => connections.get(socket)?.turns.refuse(handle),
    /** From now on, every response whose headers are not sent yet ends its connection. */
    endWithNextResponse(): void {
      isEnding = true;
      for (const { turns } of connections.values()) turns.endWithNextResponse();
    },
    /** From now on, connections may be idle for so long only. */
    limitIdle(idleMs: number): void {
      maxIdleMs = idleMs;
      clearInterval(timer);
      timer = setInterval(check, CHECK_IDLE_EVERY_MS, CHECK_IDLE_EVERY_MS).unref();
      for (const connection of connections.values()) connection.idleMs = 0;
      check(0);
    },
  };
}
