import { setTimeout as sleep } from 'node:timers/promises';
import { createClient, type RedisClientType } from '@redis/client';
import { describeError } from '../domain/errors.ts';
import { parseRedisUrl } from './address.ts';
import type { Script } from './script.ts';

const CONNECT_TIMEOUT_MS = 5_000;
const MAX_RECONNECT_DELAY_MS = 1_000;
/** How many times as long a server may take that accepts the first connection. */
const SLOW_START = 4;
/** Without an answer to a ping for this long, the client reconnects: another server may have taken the address. */
const PING_TIMEOUT_MS = 2_000;
const PING_INTERVAL_MS = 1_000;

/** A connection that reconnects by itself. Commands are not queued while it is down but fail at once. */
export interface RedisConnection {
  /** The address for logs, without credentials. */
  place: string;
  /** The prefix of every key and channel, with its colon. */
  prefix: string;
  /** The client. Throws an Error with the reason while disconnected. No command takes much longer than 3 seconds. */
  client(): RedisClientType;
  /** Runs a script in one round trip; rejects when no reply comes within `replyTimeoutMs`. */
  run(script: Script, keys: string[], args: string[]): Promise<unknown>;
  /** Calls back whenever the connection is restored, is lost or cannot be made. */
  onChange(listener: () => void): void;
  /** Resolves once connected; rejects when that takes longer than `timeoutMs`. */
  whenReady(timeoutMs: number): Promise<void>;
  /** Disconnects; commands in flight are rejected. */
  close(): void;
}

interface RedisConnectionOptions {
  /** The time limit of a script, the round trip included. */
  replyTimeoutMs: number;
}

/** Starts to connect, and keeps trying. Throws an Error when the URL is invalid. */
export function connectRedis(redisUrl: string, { replyTimeoutMs }: RedisConnectionOptions): RedisConnection {
  const { url, place, prefix } = parseRedisUrl(redisUrl);
  const client: RedisClientType = createClient({
    url,
    disableOfflineQueue: true,
    maintNotifications: 'disabled',
    // Needs a right of its own, of a command that Redis has from 7.2 on.
    disableClientInfo: true,
    socket: {
      connectTimeout: CONNECT_TIMEOUT_MS,
      reconnectStrategy: (retries) => Math.min(50 * 2 ** retries, MAX_RECONNECT_DELAY_MS),
    },
  });
  let lastError: unknown = new Error('it has not connected yet');
  let isClosed = false;
  /** Whether the first attempt has not failed so far. */
  let isStarting = true;
  // Without a listener an error would end the process; `ready` reports it to callers.
  client.on('error', (error) => {
    isStarting = false;
    if (!isClosed) lastError = error;
  });
  const connecting = connect();
  void pingRegularly();

  function connect(): Promise<unknown> {
    return client.connect().catch(() => {});
  }

  /** Pings the server: the client has no timeout of its own, and TCP gives up only after a quarter of an hour. */
  async function pingRegularly(): Promise<void> {
    while (!isClosed) {
      await sleep(PING_INTERVAL_MS, undefined, { ref: false });
      if (isReady()) await withTimeout(PING_TIMEOUT_MS, client.ping()).catch(reconnect);
    }
  }

  /** A client that is closed while it connects is ready afterwards. */
  function isReady(): boolean {
    return client.isReady && !isClosed;
  }

  function reconnect(error: unknown): void {
    if (!isReady()) return;
    lastError = error;
    client.destroy();
    void connect();
  }

  function ready(): RedisClientType {
    if (isReady()) return client;
    throw new Error(`${place} cannot be reached: ${describeError(lastError)}`);
  }

  return {
    place,
    prefix,
    client: ready,
    run: async (script, keys, args) => withTimeout(replyTimeoutMs, script.run(ready(), keys, args)),
    onChange(listener) {
      client.on('ready', listener);
      client.on('error', listener);
    },
    async whenReady(timeoutMs) {
      await withTimeout(timeoutMs, connecting).catch(() => {});
      // A server that has refused nothing may only be slow, as on a machine that is full.
      if (!isReady() && isStarting) await withTimeout(SLOW_START * timeoutMs, connecting).catch(() => {});
      ready();
    },
    close() {
      isClosed = true;
      lastError = new Error('it was closed');
      if (client.isOpen) client.destroy();
    },
  };
}

function withTimeout<Answer>(timeoutMs: number, answer: Promise<Answer>): Promise<Answer> {
  const { promise: timeout, reject } = Promise.withResolvers<never>();
  const expire = () => reject(new Error(`no answer within ${timeoutMs} ms`));
  // Where this thread got no CPU time, the answer may be there and not be read yet: that comes before an immediate.
  const timer = setTimeout(() => setImmediate(expire), timeoutMs);
  return Promise.race([answer, timeout]).finally(() => clearTimeout(timer));
}
