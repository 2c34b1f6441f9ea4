import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { Defer } from './defer.ts';
import { describeWith, hasProgram } from './needs.ts';
import { temporaryFolder } from './service.ts';

const SERVER = process.env.REDIS_SERVER ?? 'redis-server';

/** Tests that need a Redis of their own. */
export function describeWithRedis(name: string, tests: () => void): void {
  describeWith(hasProgram(SERVER), `${SERVER}: install Redis or Valkey, or set REDIS_SERVER`)(name, tests);
}

export interface TestRedis {
  port: number;
  /** An address with keys of its own. */
  url(): string;
  /** Ends the server: `SIGKILL` in the middle of things. */
  kill(signal?: NodeJS.Signals): Promise<void>;
  /** Starts it again, at the same port and with nothing in it. */
  start(): Promise<void>;
  /** Keeps it from answering, as a machine does that swaps or a network that drops packets. */
  pause(): void;
  resume(): void;
}

/** A real Redis, on a free port of the loopback and with nothing kept on disk; more options as on its command line. */
export async function openTestRedis(defer: Defer, options: string[] = []): Promise<TestRedis> {
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

  async function kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    if (server.exitCode !== null || server.signalCode !== null) return;
    const ended = once(server, 'exit');
    server.kill(signal);
    await ended;
  }

  await start();
  defer(() => kill());
  return {
    port,
    url: () => `redis://127.0.0.1:${port}?prefix=test-${randomUUID()}`,
    kill,
    start,
    pause: () => void server.kill('SIGSTOP'),
    resume: () => void server.kill('SIGCONT'),
  };
}

export async function findFreePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as { port: number };
  probe.close();
  await once(probe, 'close');
  return port;
}
