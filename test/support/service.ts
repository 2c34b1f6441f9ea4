import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readConfig } from '../../src/app/config.ts';
import { startService } from '../../src/app/service.ts';
import { type StartJob, superviseThread } from '../../src/app/threads/supervisor.ts';
import type { OperationalEvent } from '../../src/domain/operational-event.ts';
import type { Defer } from './defer.ts';
import { startInThisThread } from './jobs-in-this-thread.ts';
import { type Fault, openTestSource } from './source.ts';

/** The file that a user's command runs. */
export const START = path.resolve(import.meta.dirname, '../../src/start.js');

/** Creates a folder, which is removed after the test. */
export async function temporaryFolder(defer: Defer): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'tayang-test-'));
  // What is removed at the same time makes a folder not empty for a moment.
  defer(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }));
  return folder;
}

/** REFRESH_CRON for one crawl an hour, the first half an hour from now: no test meets it, whenever it runs. */
function crawlLater(): string {
  return `${(new Date().getMinutes() + 30) % 60} * * * *`;
}

/** Events that are logged as errors. No request of a client may cause one. */
const FAILURES = new Set<OperationalEvent['type']>([
  'request-failed',
  'store-failed',
  'render-failed',
  'thread-failed',
]);

/** Starts the whole service in this thread, on free ports, with a sample source site. */
export function openTestService(
  defer: Defer,
  environment: Record<string, string> = {},
  fault?: Fault,
  sampleAt?: Date,
) {
  return openService(defer, environment, fault, startInThisThread, sampleAt);
}

/** Starts it, and waits for its first snapshot. */
export async function openReadyService(...of: Parameters<typeof openTestService>) {
  const service = await openTestService(...of);
  await service.ready();
  return service;
}

/** Starts the same service with a thread for each job, as in production. */
export function openThreadedService(
  defer: Defer,
  environment: Record<string, string> = {},
  startJob: StartJob = superviseThread,
) {
  return openService(defer, environment, undefined, startJob);
}

async function openService(
  defer: Defer,
  environment: Record<string, string>,
  fault: Fault | undefined,
  startJob: StartJob,
  sampleAt?: Date,
) {
  const source = await openTestSource(defer, sampleAt);
  source.fault = fault;
  const config = readConfig(
    {
      PORT: '0',
      UPLOAD_PORT: '0',
      SOURCE_URLS: source.origin,
      SOURCE_DELAY: '0',
      REFRESH_CRON: crawlLater(),
      REFRESH_DETAILS: 'off',
      COVERS: 'off',
      // A slow machine must not be mistaken for a slow source.
      SOURCE_TIMEOUT: '15s',
      DATA_DIR: await temporaryFolder(defer),
      ...environment,
    },
    '0.0.0',
  );
  const failures: OperationalEvent[] = [];
  const note = (event: OperationalEvent) => {
    if (FAILURES.has(event.type)) failures.push(event);
  };
  // No test waits for what its own idle connections might still send.
  const shutdown = { ...config.shutdown, idleMs: 0 };
  const service = await startService({ ...config, shutdown }, note, startJob);
  defer(() => service.stop());
  const ready = () =>
    eventually(
      () => fetch(`${service.listing}/readyz`),
      (response) => response.status === 200,
    );
  const [listing, uploads] = [service.listing!, service.uploads!];
  return { ...service, listing, uploads, source, address: listing, ready, failures };
}

/** The JSON body of a response, of any type. */
// biome-ignore lint/suspicious/noExplicitAny: each test states the type that it expects
export async function readJson(response: Response | Promise<Response>): Promise<any> {
  return (await response).json();
}

export type RunningCommand = ReturnType<typeof runCommand>;

/** Runs a command of Tayang as a user does: in a process of its own, with an environment; `before`: what runs it. */
export function runCommand(
  command: string[],
  environment: Record<string, string>,
  defer: Defer,
  before: string[] = [],
) {
  const [program = '', ...args] = [...before, process.execPath, START, ...command];
  const child = spawn(program, args, {
    env: {
      PATH: process.env.PATH,
      SOURCE_DELAY: '0',
      SOURCE_TIMEOUT: '1s',
      REFRESH_CRON: crawlLater(),
      REFRESH_DETAILS: 'off',
      COVERS: 'off',
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
    /** The output so far, of both streams. */
    output: () => output,
    /** Resolves with the exit code, or the signal that ended it. */
    ended,
    kill: (signal: NodeJS.Signals) => void child.kill(signal),
    /** Resolves with the match as soon as the output has one; rejects when the process ends without one. */
    printed(pattern: RegExp): Promise<RegExpExecArray> {
      const { promise, resolve, reject } = Promise.withResolvers<RegExpExecArray>();
      const look = () => {
        const match = pattern.exec(output);
        if (!match) return;
        listeners.delete(look);
        resolve(match);
      };
      listeners.add(look);
      look();
      void ended.then(() => reject(new Error(`ended without printing ${pattern}:\n${output}`)));
      return promise;
    },
  };
}

/**
 * Starts `serve`. Resolves once all of it listens, with the addresses of its servers, empty for what it does not serve.
 * `address` belongs to the listing, or to the uploads if there is no listing. Its data are in a folder of its own,
 * unless one is named.
 */
export async function startServe(environment: Record<string, string>, defer: Defer, before: string[] = []) {
  const DATA_DIR = environment.DATA_DIR ?? (await temporaryFolder(defer));
  const serve = runCommand(['serve'], { ...environment, DATA_DIR }, defer, before);
  const { SERVE = 'listing,uploads,refresh', METRICS_PORT } = environment;
  const addressIn = async (line: string, isThere = true) =>
    (isThere && (await serve.printed(new RegExp(`${line} (http://[\\w.:[\\]]+)`, 'u')))[1]) || '';
  const listing = await addressIn('listing listening on', SERVE.includes('listing'));
  const uploads = await addressIn('uploads listening on', SERVE.includes('uploads'));
  const operations = await addressIn('metrics and health at', METRICS_PORT !== undefined);
  return { ...serve, listing, uploads, operations, address: listing || uploads };
}

const MAX_SHOWN = 500;

/** On a busy machine a second's work may take many seconds. */
const MAX_WAIT_MS = 30_000;

/** Calls `ask` until `accept` is true for its result; rejects after half a minute. */
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
