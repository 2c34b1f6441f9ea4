import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { AppError } from '../../domain/errors.ts';
import {
  type EventPosition,
  epochAt,
  eventsAfter,
  type RenderedEvents,
  sliceFrames,
} from '../../publishing/events.ts';

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

export type EventStream = ReturnType<typeof createEventStream>;

/**
 * Creates a stream of Server-Sent Events. All clients share the bytes of the events, and are written to in slices, between
 * which requests are served. A client that does not read is dropped, and misses nothing: it names the last event that it has
 * (`Last-Event-ID`) when it reconnects. Streams are written to their sockets, because a response takes half as much memory
 * again and three writes a message (docs/decisions/0046-streams-are-written-to-sockets.md).
 */
export function createEventStream({ heartbeatMs = HEARTBEAT_MS, maxClients = MAX_CLIENTS } = {}) {
  const clients = new Set<Socket>();
  let current: RenderedEvents | undefined;
  let isClosed = false;
  let sent = Promise.resolve();
  const heartbeat = setInterval(() => sendToAll(beat), heartbeatMs);

  /** Sends something to the clients of this moment, after what was to be sent before. */
  function sendToAll(send: (client: Socket) => void): void {
    const receivers = [...clients];
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
    /**
     * Responds with the events after a position, by default the last one, then with new ones as they come. Throws AppError
     * `overloaded` where there are too many clients.
     */
    attach({ req }: ServerResponse, since: EventPosition | undefined) {
      const { socket } = req;
      if (clients.size >= maxClients) {
        const message = 'too many clients are connected to this stream; try again in a moment';
        throw new AppError('overloaded', message);
      }
      socket.write(`${HEAD}Date: ${new Date().toUTCString()}\r\n\r\n`);
      if (req.method === 'HEAD') return socket.destroySoon();
      for (const bytes of firstMessages(current ?? NO_EVENTS, since)) socket.write(bytes);
      if (isClosed) return socket.destroySoon();
      clients.add(socket);
      socket.once('close', forget);
    },
    /**
     * Sends the events that the previous call did not have to all clients; `reset` where the numbering is another one. The
     * first call sends nothing.
     */
    publish(events: RenderedEvents) {
      const { from, to, isComplete } = eventsAfter(events, positionAtEnd(current ?? events));
      current = events;
      if (from === to && isComplete) return;
      const bytes = isComplete ? sliceFrames(events, from, to) : resetMessage(events);
      sendToAll((client) => write(client, bytes));
    },
    /** The number of connected clients. */
    get clients(): number {
      return clients.size;
    },
    /** Ends all streams, and from then on each new one after its first messages: the client connects again, elsewhere. */
    close() {
      isClosed = true;
      clearInterval(heartbeat);
      for (const client of clients) {
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
  'Access-Control-Allow-Origin: *',
  'Access-Control-Expose-Headers: ETag, Cache-Status',
  'Connection: close',
  '',
].join('\r\n');

/**
 * Returns the first bytes for a client. Each event has its own id, so that a client that loses the connection in between
 * can request the rest. Where there is no event to send, an id alone lets it reconnect without loss.
 */
function firstMessages(events: RenderedEvents, since: EventPosition | undefined): Uint8Array[] {
  const { epoch, number } = positionAtEnd(events);
  const { from, to, isComplete } = eventsAfter(events, since ?? { epoch, number });
  if (!isComplete || to - from > MAX_REPLAYED) return [RETRY, resetMessage(events)];
  if (from === to) return [RETRY, Buffer.from(`id: ${epoch}-${number}\n\n`)];
  return [RETRY, sliceFrames(events, from, to)];
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
