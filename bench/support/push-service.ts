import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What a push service has accepted since it was last read; times in ms since 1970. */
export interface Delivered {
  messages: number;
  /** To how many endpoints. */
  endpoints: number;
  first: number;
  last: number;
}

/** A push service in a process of its own, which answers after the time that a distant one takes. */
export async function startPushService(answerMs: number) {
  const child = fork(import.meta.filename, [String(answerMs)]);
  const ask = async (message: string) => {
    const received = once(child, 'message');
    child.send(message);
    const [answer] = await received;
    return answer;
  };
  const origin: string = await ask('origin');
  return {
    endpoint: (index: number) => `${origin}/send/${index}`,
    /** Reads without clearing. */
    peek: (): Promise<Delivered> => ask('peek'),
    read: (): Promise<Delivered> => ask('read'),
    stop: () => (child as ChildProcess).kill('SIGKILL'),
  };
}

async function serve(answerMs: number): Promise<void> {
  let paths: string[] = [];
  let times: number[] = [];
  const server = createServer((request, response) => {
    request.resume();
    setTimeout(() => {
      paths.push(request.url ?? '');
      times.push(Date.now());
      response.writeHead(201).end();
    }, answerMs);
  });
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;

  process.on('message', (message) => {
    if (message === 'origin') return void process.send?.(`http://127.0.0.1:${port}`);
    const [first = 0, last = 0] = [times[0], times.at(-1)];
    process.send?.({ messages: paths.length, endpoints: new Set(paths).size, first, last });
    if (message === 'read') [paths, times] = [[], []];
  });
}

if (process.send && process.argv[1] === import.meta.filename) await serve(Number(process.argv[2]));
