import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { text } from 'node:stream/consumers';

const CLIENTS = path.resolve(import.meta.dirname, '../clients');

export interface Load {
  url: string;
  /** Paths that each connection asks for in turn, instead of the path in `url`. */
  paths?: string[];
  /** The number of requests, and the number of keep-alive connections that send them. */
  amount: number;
  connections?: number;
  headers?: Record<string, string>;
  method?: string;
  /** The path of a file that contains the body. */
  bodyFile?: string;
  /** The expected status; any other is an error of the measurement. */
  status?: number;
}

let autocannon: ChildProcess | undefined;

/** Sends requests from a separate process, as fast as they are answered. Resolves with their number. */
export async function fire(load: Load): Promise<number> {
  const { amount, status = 200 } = load;
  autocannon ??= fork(path.join(CLIENTS, 'autocannon.ts'));
  const finished = once(autocannon, 'message');
  autocannon.send(load);
  const [{ statusCodeStats, errors }] = await finished;
  const answered = statusCodeStats[status]?.count ?? 0;
  if (answered === amount && errors === 0) return answered;
  throw new Error(`${answered} of ${amount} answers were ${status}: ${JSON.stringify(statusCodeStats)}`);
}

/** Ends the process that `fire` uses. */
export function stopLoadProcess(): void {
  autocannon?.disconnect();
  autocannon = undefined;
}

/** Starts a client of bench/clients that runs until it is stopped. */
export function startClient(name: string, options: object): { stop(): Promise<void> } {
  const child = spawn(process.execPath, [path.join(CLIENTS, `${name}.ts`), JSON.stringify(options)], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const ended = once(child, 'close');
  return {
    async stop() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** Runs a client of bench/clients in a process of its own; resolves with its output. */
export async function runClient<Output>(name: string, options: object): Promise<Output> {
  const file = path.join(CLIENTS, `${name}.ts`);
  const child = spawn(process.execPath, [file, JSON.stringify(options)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'close');
  const output = await text(child.stdout);
  const [code] = await ended;
  if (code !== 0) throw new Error(`the client ${name} ended with ${code}`);
  return JSON.parse(output);
}

/** The output of bench/clients/latency.ts. */
export interface Latencies {
  sent: number[];
  took: number[];
}

/** How long the responses took to requests that were sent in a window, in ms. */
export function within({ sent, took }: Latencies, { from, to }: { from: number; to: number }): number[] {
  return took.filter((_, index) => sent[index]! >= from && sent[index]! < to);
}
