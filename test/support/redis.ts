import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { createClient } from '@redis/client';
import { onTestFinished } from 'vitest';
import { connectRedis } from '../../src/redis/connection.ts';
import type { Defer } from './defer.ts';
import { endProcess } from './end-process.ts';
import { describeWith, hasProgram } from './needs.ts';
import { temporaryFolder } from './service.ts';

const SERVER = process.env.REDIS_SERVER ?? 'redis-server';

/** `describe` for tests that need a Redis server. */
export function describeWithRedis(name: string, tests: () => void): void {
  describeWith(hasProgram(SERVER), `${SERVER}: install Redis or Valkey, or set REDIS_SERVER`)(name, tests);
}

export type TestRedis = Awaited<ReturnType<typeof openTestRedis>>;

/** Starts a Redis server on a free port of the loopback, without data on disk; `options` are for its command line. */
export async function openTestRedis(defer: Defer, options: string[] = []) {
  const folder = await temporaryFolder(defer);
  const port = await findFreePort();
  const settings = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--save', ''];
  let server: ChildProcess;

  async function start(): Promise<void> {
    server = spawn(SERVER, [...settings, '--appendonly', 'no', ...options], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let printed = '';
    for await (const text of server.stdout!.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
      printed += text;
      if (printed.includes('eady to accept connections')) break;
    }
    server.stdout!.resume();
  }

  await start();
  defer(() => endProcess(server));
  return {
    port,
    /** An address with a new prefix each time. */
    url: () => `redis://127.0.0.1:${port}?prefix=test-${randomUUID()}`,
    kill: (signal?: NodeJS.Signals) => endProcess(server, signal),
    /** Starts the server again at the same port, without data. */
    start,
    /** Stops the server from answering, like a machine that swaps or a network that drops packets. */
    pause: () => void server.kill('SIGSTOP'),
    resume: () => void server.kill('SIGCONT'),
  };
}

/** Connects to Redis as a service does, until the end of the test. */
export async function connectTestRedis(url: string) {
  const redis = connectRedis(url, { replyTimeoutMs: 2_000 });
  onTestFinished(redis.close);
  await redis.whenReady(2_000);
  return redis;
}

/** Sends one command to the Redis at a port. */
export async function redisCommand(port: number, ...args: string[]): Promise<string> {
  const client = createClient({ url: `redis://127.0.0.1:${port}` });
  await client.connect();
  const reply = String(await client.sendCommand(args));
  client.destroy();
  return reply;
}

export async function findFreePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as { port: number };
  probe.close();
  await once(probe, 'close');
  return port;
}
