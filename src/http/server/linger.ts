import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type MinRate, nextCredit } from './min-rate.ts';

const MB = 1024 * 1024;
const CHECK_EVERY_MS = 250;

/** How much more of a refused body is read before its connection ends. */
export interface LingerLimits extends Pick<MinRate, 'bytesPerSecond' | 'graceMs'> {
  /** For a body that does not declare its length, or a longer one than `maxBytes`. */
  maxMs: number;
  maxBytes: number;
  /** How many bodies of one client are read to their end at the same time. */
  maxPerClient: number;
  /** How long the further bodies of that client are read. */
  othersMs: number;
}

const LIMITS: LingerLimits = {
  bytesPerSecond: MB,
  graceMs: 3_000,
  maxMs: 60_000,
  // A gigabyte, and the rest of a form beside its file.
  maxBytes: 1_025 * MB,
  maxPerClient: 2,
  othersMs: 1_500,
};

/**
 * Reads and drops the rest of refused bodies. Most clients send a whole body before they read the response; if the connection
 * closed at once, they would get a broken pipe instead.
 */
export interface Lingering {
  /** Ends a response whose body is written, once the request has arrived, or has taken too long or come too slowly. */
  endAfterRequest(response: ServerResponse, client: string): void;
  /** Reads a connection that sends no valid HTTP until its client ends it, and destroys it otherwise. */
  destroyAfterRest(socket: Socket, client: string): void;
}

export function createLingering(limits: LingerLimits = LIMITS): Lingering {
  const underWay = new Map<string, number>();

  function count(client: string, change: 1 | -1): void {
    const next = (underWay.get(client) ?? 0) + change;
    if (next === 0) underWay.delete(client);
    else underWay.set(client, next);
  }

  /** Calls back once the client has used up its time. Returns a function that stops the watch. */
  function watch(socket: Socket, client: string, declaredBytes: number, onOver: () => void): () => void {
    const hasPlace = (underWay.get(client) ?? 0) < limits.maxPerClient;
    if (hasPlace) count(client, 1);
    const isBounded = declaredBytes <= limits.maxBytes;
    const longestMs = isBounded ? Number.POSITIVE_INFINITY : limits.maxMs;
    const maxMs = hasPlace ? longestMs : limits.othersMs;
    const bytesBefore = socket.bytesRead;
    let elapsedMs = 0;
    let credit = nextCredit(limits, undefined, 0, 0);

    const timer = setInterval(() => {
      // Time is counted in checks, so that a suspended or busy machine cuts nobody off.
      elapsedMs += CHECK_EVERY_MS;
      const bytes = socket.bytesRead - bytesBefore;
      credit = nextCredit(limits, credit, bytes, CHECK_EVERY_MS);
      const isTooSlow = credit !== undefined && credit.ms < 0;
      if (isTooSlow || elapsedMs >= maxMs || bytes >= limits.maxBytes) onOver();
    }, CHECK_EVERY_MS).unref();

    return () => {
      clearInterval(timer);
      if (hasPlace) count(client, -1);
    };
  }

  return {
    endAfterRequest(response, client) {
      const { req } = response;
      const declared = req.headers['content-length'];
      const declaredBytes = declared === undefined ? Number.POSITIVE_INFINITY : Number(declared);
      let isOver = false;
      const stop = watch(req.socket, client, declaredBytes, end);
      req.resume().once('end', end).once('close', end);
      whenEnded(req.socket, end);

      function end(): void {
        if (isOver) return;
        isOver = true;
        stop();
        response.end();
      }
    },
    destroyAfterRest(socket, client) {
      const stop = watch(socket, client, Number.POSITIVE_INFINITY, () => socket.destroy());
      socket.once('close', stop).resume();
      whenEnded(socket, () => socket.destroySoon());
    },
  };
}

/** Calls back once a client has closed its side, so that nothing more comes. */
function whenEnded(socket: Socket, onEnded: () => void): void {
  if (socket.readableEnded) onEnded();
  else socket.once('end', onEnded);
}
