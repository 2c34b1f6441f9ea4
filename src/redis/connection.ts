import { setTimeout as sleep } from 'node:timers/promises';
import { createClient, type RedisClientType } from '@redis/client';
import { describeError } from '../domain/errors.ts';
import { parseRedisUrl } from './address.ts';
import type { Script } from './script.ts';

const CONNECT_LIMIT_MS = 2_000;
const MAX_RECONNECT_MS = 1_000;
/** A server that says nothing for so long is given up, and connected to anew: perhaps another one took its address. */
const SILENCE_MS = 2_000;
const PING_EVERY_MS = 1_000;

/** One connection, which comes back by itself. Nothing is queued while it is gone: what is asked then fails at once. */
export interface RedisConnection {
  /** For people: without what is secret. */
  place: string;
  /** What every key and channel begins with, the colon included. */
  prefix: string;
  /** Throws at once while there is no connection, and says why. No command waits much longer than 3 seconds. */
  client(): RedisClientType;
  /** Runs a script in one round trip, and rejects when there is no answer within the limit. */
  run(script: Script, keys: string[], args: string[]): Promise<unknown>;
  /** Calls back whenever the connection is there again, is lost, or could not be made. */
  onChange(listener: () => void): void;
  /** Resolves with the first connection; rejects when there is none so far. */
  whenReady(limitMs: number): Promise<void>;
  /** What is under way is rejected. */
  close(): void;
}

export interface RedisConnectionOptions {
  /** How long a script may take, the way there and back included. */
  answerLimitMs: number;
}

/** Begins to connect, and keeps at it. Throws an Error when the URL cannot be used. */
export function connectRedis(text: string, { answerLimitMs }: RedisConnectionOptions): RedisConnection {
  const { url, place, prefix } = parseRedisUrl(text);
  // RESP 3 has notices and values on one connection.
  const client: RedisClientType = createClient({
    url,
    RESP: 3,
    disableOfflineQueue: true,
    maintNotifications: 'disabled',
    socket: {
      connectTimeout: CONNECT_LIMIT_MS,
      reconnectStrategy: (retries) => Math.min(50 * 2 ** retries, MAX_RECONNECT_MS),
    },
  }) as never;
  let trouble: unknown = new Error('not connected so far');
  // Who asks meanwhile is told; and without a listener it would end the process.
  client.on('error', (error) => {
    trouble = error;
  });
  const connecting = connect();
  const listening = new AbortController();
  void listen();

  function connect(): Promise<unknown> {
    return client.connect().catch(() => {});
  }

  /** The client itself waits for an answer for ever, and TCP for a quarter of an hour. */
  async function listen(): Promise<void> {
    while (!listening.signal.aborted) {
      await sleep(PING_EVERY_MS, undefined, { ref: false });
      if (client.isReady) await within(SILENCE_MS, client.ping()).catch(giveUp);
    }
  }

  function giveUp(error: unknown): void {
    if (!client.isReady) return;
    trouble = error;
    client.destroy();
    void connect();
  }

  function ready(): RedisClientType {
    if (client.isReady) return client;
    throw new Error(`${place} cannot be reached: ${describeError(trouble)}`);
  }

  return {
    place,
    prefix,
    client: ready,
    run: async (script, keys, args) => within(answerLimitMs, script.run(ready(), keys, args)),
    onChange(listener) {
      client.on('ready', listener);
      client.on('error', listener);
    },
    async whenReady(limitMs) {
      await within(limitMs, connecting).catch(() => {});
      ready();
    },
    close() {
      listening.abort();
      trouble = new Error('it was closed');
      if (client.isOpen) client.destroy();
    },
  };
}

function within<Answer>(limitMs: number, answer: Promise<Answer>): Promise<Answer> {
  const { promise: silence, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`no answer within ${limitMs} ms`)), limitMs);
  return Promise.race([answer, silence]).finally(() => clearTimeout(timer));
}
