import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';

const REPORT_USAGE = path.resolve(import.meta.dirname, 'report-usage.js');
const START = path.resolve(import.meta.dirname, '../../src/start.js');
const BASELINES = path.resolve(import.meta.dirname, '../baselines');

/** The CPU time (utime + stime) of all threads so far, and the current memory. */
export interface Usage {
  cpuSeconds: number;
  residentBytes: number;
  /** The main thread's heap and the buffers outside it. Without `--expose-gc` this includes garbage. */
  aliveBytes: number;
}

/** A server in a process of its own, which reports its usage. */
export interface MeasuredServer {
  pid: number;
  /** The server's address; the service's uploads have their own. */
  address: string;
  uploads: string;
  usage(): Promise<Usage>;
  /** Sends a message to the process; resolves with the reply. */
  ask(message: string): Promise<unknown>;
  /** Calls back with each further line that the server prints. Returns the function that stops this. */
  onLine(listener: (line: string) => void): () => void;
  stop(): Promise<void>;
}

/** Starts Tayang as a user does. By default there is no scheduled refresh, and uploads have practically no quota. */
export function startService(
  folder: string,
  environment: Record<string, string> = {},
  nodeOptions: string[] = [],
): Promise<MeasuredServer> {
  const env = {
    PATH: process.env.PATH,
    DATA_DIR: folder,
    PORT: '0',
    UPLOAD_PORT: '0',
    REFRESH_CRON: 'off',
    UPLOAD_QUOTA: '10000 GB',
    UPLOAD_ADDRESS_QUOTA: '10000 GB',
    UPLOAD_MAX_SIZE: '1 GB',
    // The limiter runs, but allows every request.
    UPLOAD_RATE_LIMIT: '10000',
    UPLOAD_RATE_WINDOW: '1ms',
    ...environment,
  };
  return start(START, ['serve'], { env, cwd: folder, nodeOptions, addresses: 2 });
}

/** Starts the service with threads that can be ended: `restart` resolves once the thread runs again. */
export async function startKillable(folder: string) {
  const env = { PATH: process.env.PATH, DATA_DIR: folder, PORT: '0', UPLOAD_PORT: '0', REFRESH_CRON: 'off' };
  const file = path.resolve(import.meta.dirname, 'killable-service.ts');
  const service = await start(file, [], { env, cwd: folder, addresses: 2 });
  return { ...service, restart: (thread: string) => service.ask(thread) };
}

/** Starts a bare server of bench/baselines, with which the service is compared. */
export function startBaseline(name: string, options: object): Promise<MeasuredServer> {
  const file = path.join(BASELINES, `${name}.ts`);
  return start(file, [JSON.stringify(options)], { env: process.env, addresses: 1 });
}

interface StartOptions {
  env: NodeJS.ProcessEnv;
  cwd?: string;
  nodeOptions?: string[];
  /** The number of addresses that the server prints. */
  addresses: number;
}

async function start(file: string, args: string[], options: StartOptions): Promise<MeasuredServer> {
  const { env, cwd = process.cwd(), nodeOptions = [], addresses } = options;
  const execArgv = ['--import', REPORT_USAGE, ...nodeOptions];
  const child = fork(file, args, { env, cwd, execArgv, stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
  const lines = createInterface({ input: child.stdout! });
  const [address = '', uploads = ''] = await readAddresses(child, lines, addresses);

  async function ask(message: string): Promise<unknown> {
    const received = once(child, 'message');
    child.send(message);
    const [answer] = await received;
    return answer;
  }

  return {
    pid: child.pid!,
    address,
    uploads,
    ask,
    usage: async () => (await ask('usage')) as Usage,
    onLine(listener) {
      lines.on('line', listener);
      return () => lines.off('line', listener);
    },
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    },
  };
}

async function readAddresses(
  child: ChildProcess,
  lines: NodeJS.EventEmitter,
  count: number,
): Promise<string[]> {
  const { promise, resolve, reject } = Promise.withResolvers<string[]>();
  const found: string[] = [];
  let output = '';
  const look = (line: string) => {
    output += `${line}\n`;
    const address = /listening on (http:\/\/[\d.:]+)/u.exec(line)?.[1];
    if (address && found.push(address) === count) resolve(found);
  };
  lines.on('line', look);
  child.once('exit', () => reject(new Error(`the server did not start:\n${output}`)));
  return promise.finally(() => lines.off('line', look));
}
