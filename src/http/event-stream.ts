import type { ServerResponse } from 'node:http';
import type { Context } from 'koa';
import { AppError } from '../domain/errors.ts';
import type { AnimeEvent } from '../domain/event.ts';
import { eventsAfter, type News, presentEvent } from '../publishing/events.ts';

const HEARTBEAT_MS = 20_000;
/** What a client may have waiting here before it is dropped: it comes back, and says what it has. */
const MOST_WAITING_BYTES = 256 * 1_024;
/** Who has missed more is told to read the list anew. */
const MOST_REPLAYED = 1_000;
const MOST_CLIENTS = 20_000;
const RETRY_MS = 5_000;

const HEARTBEAT = Buffer.from(':\n\n');
const NOTHING: News = { events: [], last: 0 };

export interface EventStream {
  /** Answers with what came after the event numbered `since`, then with what comes. */
  attach(ctx: Context, since: number | undefined): void;
  /** Sends what is newer than the news before to everybody. The first news of all is none. */
  show(news: News): void;
  /** How many listen. */
  readonly clients: number;
  /** Ends all streams at once; from then on nobody is let in. */
  close(): void;
}

/**
 * Server-Sent Events. An event is rendered once, whatever the number of clients. A client that does not read is
 * dropped, and misses nothing: it names the last event it has (`Last-Event-ID`) when it comes back.
 */
export function createEventStream({
  heartbeatMs = HEARTBEAT_MS,
  mostClients = MOST_CLIENTS,
} = {}): EventStream {
  const clients = new Set<ServerResponse>();
  let current: News | undefined;
  let isClosed = false;
  const heartbeat = setInterval(beat, heartbeatMs);

  /** One that has not read for a whole heartbeat does not read. */
  function beat(): void {
    for (const client of clients) {
      if (client.writableNeedDrain) drop(client);
      else client.write(HEARTBEAT);
    }
  }

  function send(client: ServerResponse, bytes: Buffer): void {
    if (client.writableLength > MOST_WAITING_BYTES) drop(client);
    else client.write(bytes);
  }

  function drop(client: ServerResponse): void {
    clients.delete(client);
    client.destroy();
  }

  return {
    attach(ctx, since) {
      if (isClosed || clients.size >= mostClients) {
        throw new AppError('overloaded', 'too many listen already; try again in a moment');
      }
      const { req, res } = ctx;
      ctx.respond = false;
      res.writeHead(200, HEADERS);
      if (req.method === 'HEAD') return void res.end();
      res.write(greet(current ?? NOTHING, since));
      clients.add(res);
      res.on('close', () => clients.delete(res));
    },
    show(news) {
      const missed = current ? eventsAfter(news, current.last).missed : [];
      current = news;
      if (missed.length === 0) return;
      const bytes = Buffer.concat(missed.map(render));
      for (const client of clients) send(client, bytes);
    },
    get clients() {
      return clients.size;
    },
    close() {
      isClosed = true;
      clearInterval(heartbeat);
      for (const client of clients) {
        // What a client does not read would keep its stream from ending.
        if (client.writableNeedDrain) drop(client);
        else client.end();
      }
    },
  };
}

const HEADERS = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-store',
  // nginx would keep events until it has a few kilobytes of them.
  'X-Accel-Buffering': 'no',
  'X-Content-Type-Options': 'nosniff',
  'Access-Control-Allow-Origin': '*',
};

/** What a client is told first. An id of its own lets it come back without loss before it has seen any event. */
function greet(news: News, since: number | undefined): Buffer {
  const opening = Buffer.from(`retry: ${RETRY_MS}\nid: ${news.last}\n\n`);
  if (since === undefined) return opening;
  const { missed, isComplete } = eventsAfter(news, since);
  if (isComplete && missed.length <= MOST_REPLAYED) return Buffer.concat([opening, ...missed.map(render)]);
  return Buffer.concat([opening, Buffer.from(`event: reset\ndata: {"last":${news.last}}\n\n`)]);
}

const rendered = new WeakMap<AnimeEvent, Buffer>();

function render(event: AnimeEvent): Buffer {
  const known = rendered.get(event);
  if (known) return known;
  const data = JSON.stringify(presentEvent(event));
  const bytes = Buffer.from(`id: ${event.number}\nevent: ${event.type}\ndata: ${data}\n\n`);
  rendered.set(event, bytes);
  return bytes;
}
