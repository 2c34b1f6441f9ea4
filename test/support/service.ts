import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readConfig } from '../../src/app/config.ts';
import { startService } from '../../src/app/service.ts';
import type { OperationalEvent } from '../../src/domain/operational-event.ts';
import type { Defer } from './defer.ts';
import { type Fault, openTestSource } from './source.ts';

const START = path.resolve(import.meta.dirname, '../../src/start.js');

/** A folder that is gone after the test. */
export async function temporaryFolder(defer: Defer): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'tayang-test-'));
  defer(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** What the log would call an error: nothing that a client does may lead to it. */
const FAILURES = new Set<OperationalEvent['type']>([
  'request-failed',
  'store-failed',
  'render-failed',
  'day-failed',
  'thread-failed',
]);

/** The whole service in this process, on free ports, against a sample source site. */
export async function openTestService(defer: Defer, environment: Record<string, string> = {}, fault?: Fault) {
  const source = await openTestSource(defer);
  source.fault = fault;
  const config = readConfig(
    {
      PORT: '0',
      UPLOAD_PORT: '0',
      SOURCE_URLS: source.origin,
      SOURCE_DELAY: '0',
      SOURCE_TIMEOUT: '1s',
      DATA_DIR: await temporaryFolder(defer),
      ...environment,
    },
    '0.0.0',
  );
  const failures: OperationalEvent[] = [];
  const service = await startService(config, (event) => {
    if (FAILURES.has(event.type)) failures.push(event);
  });
  defer(() => service.stop());
  const ready = () =>
    eventually(
      () => fetch(`${service.listing}/readyz`),
      (response) => response.status === 200,
    );
  const [listing, uploads] = [service.listing!, service.uploads!];
  return { ...service, listing, uploads, source, address: listing, ready, failures };
}

/** The body of an answer, of whatever shape: the test says of which. */
// biome-ignore lint/suspicious/noExplicitAny: that is what JSON from outside is
export async function readJson(response: Response | Promise<Response>): Promise<any> {
  return (await response).json();
}

export interface RunningCommand {
  pid: number;
  /** What it has printed so far, both streams. */
  output(): string;
  /** Resolves with the match as soon as its output has one; rejects when it ends without. */
  printed(pattern: RegExp): Promise<RegExpExecArray>;
  /** Resolves with the exit code, or the signal that ended it. */
  ended: Promise<number | string>;
  kill(signal: NodeJS.Signals): void;
}

/** Runs a command of Tayang's as its user would: a process of its own, with an environment. */
export function runCommand(
  command: string[],
  environment: Record<string, string>,
  defer: Defer,
): RunningCommand {
  const child = spawn(process.execPath, [START, ...command], {
    env: {
      PATH: process.env.PATH,
      SOURCE_DELAY: '0',
      SOURCE_TIMEOUT: '1s',
      PORT: '0',
      UPLOAD_PORT: '0',
      ...environment,
    },
    cwd: environment.DATA_DIR,
  });
  let output = '';
  const listeners = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      for (const listener of listeners) listener();
    });
  }
  const ended = new Promise<number | string>((resolve) => {
    child.on('close', (code, signal) => resolve(code ?? signal ?? 'unknown'));
  });
  defer(async () => {
    child.kill('SIGKILL');
    await ended;
  });

  return {
    pid: child.pid ?? 0,
    output: () => output,
    ended,
    kill: (signal) => void child.kill(signal),
    printed(pattern) {
      const { promise, resolve, reject } = Promise.withResolvers<RegExpExecArray>();
      const look = () => {
        const match = pattern.exec(output);
        if (match) resolve(match);
      };
      listeners.add(look);
      look();
      void ended.then(() => reject(new Error(`ended without printing ${pattern}:\n${output}`)));
      return promise;
    },
  };
}

/** Starts `serve` and resolves with the address of its listing. */
export async function startServe(
  environment: Record<string, string>,
  defer: Defer,
): Promise<RunningCommand & { address: string }> {
  const serve = runCommand(['serve'], environment, defer);
  const [, address = ''] = await serve.printed(/listening on (http:\/\/[\w.:[\]]+)/u);
  await serve.printed(/uploads listening on/u);
  return { ...serve, address };
}

const MAX_SHOWN = 500;

/** On a machine that is busy, what takes a second may take many. */
const MAX_WAIT_MS = 30_000;

/** Asks until `accept` is content with what comes; rejects after half a minute. */
export async function eventually<Value>(
  ask: () => Promise<Value>,
  accept: (value: Value) => boolean,
): Promise<Value> {
  const deadline = performance.now() + MAX_WAIT_MS;
  for (;;) {
    const value = await ask();
    if (accept(value)) return value;
    if (performance.now() > deadline) {
      throw new Error(
        `still not so after ${MAX_WAIT_MS / 1_000} s: ${JSON.stringify(value)?.slice(0, MAX_SHOWN)}`,
      );
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
