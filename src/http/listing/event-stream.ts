import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { AppError } from '../../domain/errors.ts';
import { coalesce } from '../../domain/serial.ts';
import {
  type EventPosition,
  epochAt,
  type RenderedEvents,
  rangeAfter,
  sliceFrames,
} from '../../publishing/events.ts';
import { corsHeaders } from '../middleware/response-headers.ts';
import { LISTING_CORS } from './cors.ts';
import type { ReadStore } from './read-store.ts';

const HEARTBEAT_MS = 20_000;
/** A client with more bytes waiting is dropped. It then reconnects and names the last event that it has. */
const MAX_WAITING_BYTES = 256 * 1_024;
/** A client that has missed more events gets a `reset`, and must read the list anew. */
const MAX_REPLAYED = 1_000;
const MAX_CLIENTS = 20_000;
const RETRY_MS = 5_000;
/** How long clients are written to until requests are served again. */
const SLICE_MS = 2;

const HEARTBEAT = Buffer.from(':\n\n');
const RETRY = Buffer.from(`retry: ${RETRY_MS}\n\n`);

const NO_EVENTS: RenderedEvents = {
  changedAt: 0,
  epoch: '0',
  last: 0,
  oldest: 1,
  names: [],
  frames: Buffer.alloc(0),
  starts: [0],
};

/** A stream of Server-Sent Events to many clients. */
export interface EventStream {
  /**
   * Responds with the events after a position, by default the last one, then with new ones as they come. Throws AppError
   * `overloaded` where there are too many clients.
   */
  attach(response: ServerResponse, since: EventPosition | undefined): void;
  /**
   * Sends all clients the events that are new since the previous call. If the log does not continue from there, they wait
   * until the store was read. The first call sends nothing.
   */
  publish(events: RenderedEvents): void;
  /** The number of connected clients. */
  readonly clients: number;
  /** Ends all streams, and from then on each new one after its first messages: the client connects again, elsewhere. */
  close(): void;
}

interface EventStreamOptions {
  readStore: ReadStore;
  heartbeatMs?: number;
  maxClients?: number;
}

/**
 * Creates a stream of Server-Sent Events. All clients share the bytes of the events, and are written to in slices, between
 * which requests are served. A client that does not read is dropped, and misses nothing: it names the last event that it has
 * (`Last-Event-ID`) when it reconnects. Streams are written to their sockets, because a response takes half as much memory
 * again and three writes a message (docs/decisions/0046-streams-are-written-to-sockets.md).
 *
 * A client whose position is not in the log waits, without a message: its last process may be ahead of this one. It gets the
 * later events once the log has its position, or a `reset` once the store was read and does not have it either.
 */
export function createEventStream({
  readStore,
  heartbeatMs = HEARTBEAT_MS,
  maxClients = MAX_CLIENTS,
}: EventStreamOptions): EventStream {
  /** Each client with the position it waits for; undefined for clients that have been sent all events so far. */
  const clients = new Map<Socket, EventPosition | undefined>();
  let current: RenderedEvents | undefined;
  let isClosed = false;
  let sent = Promise.resolve();
  const heartbeat = setInterval(() => sendTo([...clients.keys()], beat), heartbeatMs);
  /** Reads the store for the waiting clients until none is left. */
  const settleWaiting = coalesce(async () => {
    for (let waiting = findWaiting(); waiting.length > 0; waiting = findWaiting()) {
      const hasAll = await readStore();
      sendTo(waiting, (client) => settle(client, hasAll));
      await sent;
    }
  });

  function findWaiting(): Socket[] {
    return [...clients.keys()].filter((client) => clients.get(client) !== undefined);
  }

  /** Sends something to these clients, in order. */
  function sendTo(receivers: Socket[], send: (client: Socket) => void): void {
    sent = sent.then(() => sendInSlices(receivers, send));
  }

  async function sendInSlices(receivers: Socket[], send: (client: Socket) => void): Promise<void> {
    let sliceEnd = performance.now() + SLICE_MS;
    for (const client of receivers) {
      if (clients.has(client)) send(client);
      if (performance.now() < sliceEnd) continue;
      await nextTurn();
      sliceEnd = performance.now() + SLICE_MS;
    }
  }

  /** Ends the wait of a client if the log has its position, or has everything that the store has. */
  function settle(client: Socket, hasAll: boolean): void {
    const log = current ?? NO_EVENTS;
    const position = clients.get(client);
    if (!position || !(hasAll || rangeAfter(log, position).isKnown)) return;
    clients.set(client, undefined);
    write(client, firstMessage(log, position));
  }

  /** Drops clients that have not read since the heartbeat before. */
  function beat(client: Socket): void {
    if (client.writableNeedDrain) client.destroy();
    else client.write(HEARTBEAT);
  }

  function write(client: Socket, bytes: Uint8Array): void {
    if (client.writableLength > MAX_WAITING_BYTES) client.destroy();
    else client.write(bytes);
  }

  function forget(this: Socket): void {
    clients.delete(this);
  }

  return {
    attach({ req }, since) {
      const { socket } = req;
      if (clients.size >= maxClients) {
        const message = 'too many clients are connected to this stream; try again in a moment';
        throw new AppError('overloaded', message);
      }
      socket.write(`${HEAD}Date: ${new Date().toUTCString()}\r\n\r\n`);
      if (req.method === 'HEAD') return socket.destroySoon();
      socket.write(RETRY);
      const log = current ?? NO_EVENTS;
      const position = since ?? positionAtEnd(log);
      const { isKnown } = rangeAfter(log, position);
      if (isKnown) socket.write(firstMessage(log, position));
      // A client that has closed its side gets the current events. Otherwise it would take a place until the next write.
      if (isClosed || socket.readableEnded) return socket.destroySoon();
      socket.once('end', socket.destroySoon);
      clients.set(socket, isKnown ? undefined : position);
      socket.once('close', forget);
      if (!isKnown) void settleWaiting();
    },
    publish(events) {
      const end = positionAtEnd(current ?? events);
      const { from, to, isKnown } = rangeAfter(events, end);
      const followers = [...clients.keys()].filter((client) => clients.get(client) === undefined);
      const waiting = findWaiting();
      current = events;
      if (!isKnown) {
        for (const client of followers) clients.set(client, end);
      } else if (from < to) {
        const bytes = sliceFrames(events, from, to);
        sendTo(followers, (client) => write(client, bytes));
      }
      sendTo(waiting, (client) => settle(client, false));
      void settleWaiting();
    },
    get clients() {
      return clients.size;
    },
    close() {
      isClosed = true;
      clearInterval(heartbeat);
      for (const client of clients.keys()) {
        // It would wait for a client that does not read.
        if (client.writableNeedDrain) client.destroy();
        else client.destroySoon();
      }
      clients.clear();
    },
  };
}

const HEAD = [
  'HTTP/1.1 200 OK',
  'Content-Type: text/event-stream; charset=utf-8',
  'Cache-Control: no-store',
  // Without this, nginx buffers events until it has a few kilobytes of them.
  'X-Accel-Buffering: no',
  'X-Content-Type-Options: nosniff',
  ...Object.entries(corsHeaders(LISTING_CORS)).map(([name, value]) => `${name}: ${value}`),
  'Connection: close',
  '',
].join('\r\n');

/**
 * Returns the events after a client's position. Each has its own id, so that a client that loses the connection in between
 * can request the rest. Where there is no event to send, an id alone lets it reconnect without loss.
 */
function firstMessage(events: RenderedEvents, since: EventPosition): Uint8Array {
  const { epoch, number } = positionAtEnd(events);
  const { from, to, isComplete } = rangeAfter(events, since);
  if (!isComplete || to - from > MAX_REPLAYED) return resetMessage(events);
  return from === to ? Buffer.from(`id: ${epoch}-${number}\n\n`) : sliceFrames(events, from, to);
}

/** Tells a client that it may have missed events, and must read the list anew. */
function resetMessage(events: RenderedEvents): Uint8Array {
  const { epoch, number: last } = positionAtEnd(events);
  const data = JSON.stringify({ epoch, last });
  return Buffer.from(`id: ${epoch}-${last}\nevent: reset\ndata: ${data}\n\n`);
}

function positionAtEnd(events: RenderedEvents) {
  return { epoch: epochAt(events, events.last), number: events.last };
}
