import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Defer } from '../../support/defer.ts';
import { START } from '../../support/service.ts';
import type { Journal } from './journal.ts';
import { resetPriority } from './priority.ts';

/** As long as systemd waits before it starts a service again. */
const RESTART_MS = 1_000;
const POLL_MS = 200;
const ANSWER_MS = 2_000;

export interface SupervisedProcess {
  index: number;
  listing: string;
  uploads: string;
  operations: string;
  logFile: string;
  /** How often it ended by itself before it was ready, and after that. */
  failedStarts: number;
  ownExits: number;
  isRunning(): boolean;
  /** Sends a signal, if it runs. */
  signal(name: NodeJS.Signals): void;
  /** Ends it by a signal, and starts it again after a while. Resolves once it is ready again, or the run is over. */
  restart(name: 'SIGKILL' | 'SIGTERM', afterMs: number): Promise<void>;
  /** Resolves once it is ready, or the run is over. */
  whenReady(): Promise<void>;
}

interface Options {
  index: number;
  ports: { listing: number; uploads: number; operations: number };
  environment: Record<string, string>;
  logFile: string;
  journal: Journal;
  signal: AbortSignal;
}

/** Keeps one process of Tayang running, as a supervisor does, and writes its output into one file. */
export function superviseProcess(defer: Defer, options: Options): SupervisedProcess {
  const { index, ports, environment, logFile, journal, signal } = options;
  let child: ChildProcess | undefined;
  let isExpected = false;
  let restartMs = RESTART_MS;
  let isReady = false;
  const origin = (port: number) => `http://127.0.0.1:${port}`;

  function start(): ChildProcess {
    const log = openSync(logFile, 'a');
    // It ends with this program, however that ends.
    const command = ['--pdeathsig', 'KILL', process.execPath, START, 'serve'];
    const started = spawn('setpriv', command, {
      stdio: ['ignore', log, log],
      env: { PATH: process.env.PATH, ...environment },
      cwd: environment.DATA_DIR,
    });
    closeSync(log);
    resetPriority(started);
    return started;
  }

  async function run(): Promise<void> {
    while (!signal.aborted) {
      [isExpected, isReady] = [false, false];
      child = start();
      const [code, name] = await once(child, 'exit');
      if (!isExpected && !signal.aborted) {
        journal.write('faults', { exited: index, code, name, wasReady: isReady });
        if (isReady) supervised.ownExits += 1;
        else supervised.failedStarts += 1;
      }
      await sleep(restartMs, undefined, { signal }).catch(() => {});
      restartMs = RESTART_MS;
    }
  }

  async function whenReady(): Promise<void> {
    const current = child;
    while (!signal.aborted) {
      const answers = [origin(ports.listing), origin(ports.uploads)].map((one) =>
        fetch(`${one}/readyz`, { signal: AbortSignal.timeout(ANSWER_MS) }).then(
          async ({ status, body }) => {
            await body?.cancel();
            return status === 200;
          },
          () => false,
        ),
      );
      if ((await Promise.all(answers)).every(Boolean)) break;
      await sleep(POLL_MS);
    }
    if (current === child) isReady = true;
  }

  const running = run();
  const supervised: SupervisedProcess = {
    index,
    listing: origin(ports.listing),
    uploads: origin(ports.uploads),
    operations: origin(ports.operations),
    logFile,
    failedStarts: 0,
    ownExits: 0,
    isRunning: () => child?.exitCode === null && child.signalCode === null,
    signal: (name) => void child?.kill(name),
    async restart(name, afterMs) {
      const old = child;
      [isExpected, restartMs] = [true, afterMs];
      if (old?.exitCode === null && old.signalCode === null) {
        old.kill(name);
        await once(old, 'exit');
      }
      while (child === old && !signal.aborted) await sleep(POLL_MS);
      await whenReady();
    },
    whenReady,
  };
  defer(async () => {
    child?.kill('SIGKILL');
    await running;
  });
  return supervised;
}
