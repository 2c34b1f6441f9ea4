import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { CountedRequest } from './counted-request.ts';

/** A connection with more requests that wait is closed. */
const MAX_WAITING = 64;

/** The requests of one connection, which are handled one at a time, in their order. */
export interface Turns {
  /** Handles a request once the responses before it have been sent, unless one of these ends the connection. */
  take(response: ServerResponse<CountedRequest>, handle: () => void): void;
  /**
   * Refuses what could not be read as a request, in place of a request whose body it is in. Nothing is handled after it, and
   * a response that has begun is finished first.
   */
  refuse(handle: () => void): void;
  /** Lets the next response whose headers are sent end the connection. */
  endWithNextResponse(): void;
  /** Whether a request is being handled, or waits. */
  isBusy(): boolean;
  /** The request that is handled, while its body is read and has not all arrived. */
  receiving(): CountedRequest | undefined;
}

interface Turn {
  /** Undefined for a refusal without a request. */
  response?: ServerResponse<CountedRequest>;
  handle: () => void;
}

/**
 * Keeps requests that are pipelined waiting. Node emits neither `close` nor `drain` on a response that is queued behind
 * another, and keeps all that is written to it in memory: a handler that had begun would not notice that its client is gone.
 * `onOverflow` is called when too many wait.
 */
export function createTurns(socket: Socket, onOverflow: () => void): Turns {
  const waiting: Turn[] = [];
  let current: ServerResponse<CountedRequest> | undefined;
  /** Nothing more is accepted. */
  let isOver = false;

  const isBusy = () => waiting.length > 0 || (current !== undefined && !current.writableFinished);
  /** After a response that ends the connection no request may be carried out (RFC 9112, 9.6). */
  const isEnded = () => socket.destroyed || current?.shouldKeepAlive === false;

  function add(turn: Turn): void {
    if (isOver) return;
    if (isBusy()) wait(turn);
    else if (!isEnded()) begin(turn);
  }

  function wait(turn: Turn): void {
    if (waiting.length === MAX_WAITING) return void onOverflow();
    if (waiting.push(turn) === 1) current?.once('close', next);
  }

  function next(): void {
    if (isEnded()) waiting.length = 0;
    const turn = waiting.shift();
    if (turn) begin(turn);
    if (waiting.length > 0) current?.once('close', next);
  }

  function begin({ response, handle }: Turn): void {
    current = response ?? current;
    handle();
  }

  return {
    take: (response, handle) => add({ response, handle }),
    refuse(handle) {
      const last = waiting.at(-1)?.response ?? current;
      const isInBody = last !== undefined && !last.writableFinished && !last.req.complete;
      if (isInBody && last !== current) waiting.pop();
      if (!isInBody || last !== current) add({ handle });
      else if (last.headersSent) last.once('close', () => socket.destroySoon());
      else handle();
      isOver = true;
    },
    endWithNextResponse() {
      for (const response of [current, ...waiting.map((turn) => turn.response)]) {
        if (response && !response.headersSent) response.shouldKeepAlive = false;
      }
    },
    isBusy,
    receiving() {
      const request = current?.req;
      return request?.readableFlowing && !request.complete ? request : undefined;
    },
  };
}
