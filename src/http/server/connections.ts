import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { CloseReason } from '../../domain/operational-event.ts';
import { createConnectionPlaces, type RefusalReason } from './connection-places.ts';
import type { CountedRequest } from './counted-request.ts';
import type { MinRate } from './min-rate.ts';
import { createTransferRates, type TransferRates } from './transfer-rates.ts';
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
  onRefused: (reason: RefusalReason, count: number) => void;
  /** Called after a check for each reason for which connections were closed without a response since the previous check. */
  onClosed: (reason: CloseReason, count: number) => void;
}

/**
 * The connections of a server, within its limits: how many there are, how long one may be idle, and how slowly one may send and
 * read.
 */
export interface Connections {
  /** Whether a connection is beyond the limits, so that its request gets a 503. */
  isRefused(socket: Socket): boolean;
  /** The client that a connection counts for. */
  clientOf(socket: Socket): string;
  /** Handles a request when it is its turn on its connection. */
  take(response: ServerResponse<CountedRequest>, handle: () => void): void;
  /** Refuses what could not be read as a request, when it is its turn. */
  refuse(socket: Socket, handle: () => void): void;
  /** From now on, every response whose headers are not sent yet ends its connection. */
  endWithNextResponse(): void;
  /** From now on, connections may be idle for so long only. */
  limitIdle(idleMs: number): void;
  /** Closes all that are still open. */
  closeAll(): void;
}

/** While a server stops. */
const CHECK_IDLE_EVERY_MS = 100;
/** How long a refused connection has to send its one request. */
const REFUSED_MS = 1_500;
/** One connection may be refused with a response for every four that are served. */
const SERVED_PER_REFUSED = 4;
const MIN_REFUSED = 8;
const MAX_REFUSED = 256;
/** Node drops connections beyond its limit unanswered, so its limit is above the number that may be open for a moment. */
const SPARE_CONNECTIONS = 16;

interface Connection {
  socket: Socket;
  networks: readonly string[];
  isRefused: boolean;
  turns: Turns;
  rates: TransferRates;
  usedAt: number;
  idleMs: number;
  isIdle(): boolean;
  makeRoom(): void;
}

/**
 * Node itself limits the time for headers and between two requests; this also closes connections that only send line ends. Time
 * is counted in checks, so that a suspended machine closes nothing.
 */
export function trackConnections(
  server: Pick<Server, 'on' | 'once' | 'maxConnections'>,
  limits: ConnectionLimits,
): Connections {
  const { max, maxPerClient = Number.POSITIVE_INFINITY, checkEveryMs } = limits;
  const networksOf = limits.networksOf ?? ((address: string) => [address] as const);
  const maxRefused = Math.min(Math.max(MIN_REFUSED, Math.floor(max / SERVED_PER_REFUSED)), MAX_REFUSED);
  const places = createConnectionPlaces<Connection>({ max, maxPerClient, maxRefused });
  const connections = new Map<Socket, Connection>();
  /** How many were closed since the last check. */
  const closed = new Map<CloseReason, number>();
  const refused = new Map<RefusalReason, number>();
  let isEnding = false;
  let { maxIdleMs } = limits;
  server.maxConnections = max + maxRefused + SPARE_CONNECTIONS;

  server.on('connection', (socket: Socket) => {
    const turns = createTurns(socket, () => close(socket, 'pipelined'));
    const connection: Connection = {
      socket,
      networks: networksOf(socket.remoteAddress ?? '').filter((network) => network !== undefined),
      isRefused: false,
      turns,
      rates: createTransferRates(socket, limits.minRate),
      usedAt: performance.now(),
      idleMs: 0,
      isIdle: () => !turns.isBusy(),
      makeRoom: () => close(socket, 'made-room'),
    };
    connections.set(socket, connection);
    const refusal = places.enter(connection);
    connection.isRefused = refusal !== undefined;
    if (refusal) limitRefused(connection, refusal);
    socket.once('close', () => {
      connections.delete(socket);
      places.leave(connection);
    });
  });
  // Only who opens more than it may have gets so far: who finds all places taken is answered first.
  server.on('drop', () => countRefused('client-share'));
  let timer = setInterval(check, checkEveryMs, checkEveryMs).unref();
  server.once('close', () => {
    clearInterval(timer);
    reportCounts();
  });

  /** Ends a refused connection that sends no request. If it sends a request, the response ends it. */
  function limitRefused({ socket, turns }: Connection, reason: RefusalReason): void {
    countRefused(reason);
    const destroyTimer = setTimeout(() => turns.isBusy() || socket.destroy(), REFUSED_MS);
    socket.once('close', () => clearTimeout(destroyTimer));
  }

  function countRefused(reason: RefusalReason): void {
    refused.set(reason, (refused.get(reason) ?? 0) + 1);
  }

  /** Closes a connection without a response, and counts why. */
  function close(socket: Socket, reason: CloseReason): void {
    closed.set(reason, (closed.get(reason) ?? 0) + 1);
    socket.destroy();
  }

  function check(elapsedMs: number): void {
    for (const connection of connections.values()) {
      const { socket } = connection;
      connection.idleMs = connection.isIdle() ? connection.idleMs + elapsedMs : 0;
      const reason = connection.rates.check(connection.turns.receiving(), elapsedMs);
      if (reason) close(socket, reason);
      else if (connection.idleMs >= maxIdleMs && connection.isIdle()) close(socket, 'idle');
    }
    reportCounts();
  }

  function reportCounts(): void {
    for (const [reason, count] of refused) limits.onRefused(reason, count);
    refused.clear();
    for (const [reason, count] of closed) limits.onClosed(reason, count);
    closed.clear();
  }

  return {
    isRefused: (socket) => connections.get(socket)?.isRefused ?? false,
    clientOf: (socket) => connections.get(socket)?.networks[0] ?? '',
    take(response, handle) {
      const connection = connections.get(response.req.socket);
      if (!connection) return;
      connection.idleMs = 0;
      connection.usedAt = performance.now();
      if (isEnding) response.shouldKeepAlive = false;
      connection.turns.take(response, handle);
    },
    refuse: (socket, handle) => connections.get(socket)?.turns.refuse(handle),
    endWithNextResponse() {
      isEnding = true;
      for (const { turns } of connections.values()) turns.endWithNextResponse();
    },
    limitIdle(idleMs) {
      maxIdleMs = idleMs;
      clearInterval(timer);
      timer = setInterval(check, CHECK_IDLE_EVERY_MS, CHECK_IDLE_EVERY_MS).unref();
      for (const connection of connections.values()) connection.idleMs = 0;
      check(0);
    },
    closeAll() {
      for (const { socket, isIdle } of connections.values()) close(socket, isIdle() ? 'idle' : 'stopping');
    },
  };
}
