import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { get, type IncomingMessage } from 'node:http';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Defer } from '../../support/defer.ts';
import { endProcess } from '../../support/end-process.ts';
import { openHttpServer } from '../../support/http-server.ts';
import { type EventKey, type EventLike, keyOf } from './changing-source.ts';
import type { ClientLog } from './client-log.ts';

const SAMPLE = new URL('../../../src/http/openapi/samples/events.mjs', import.meta.url);
/** How often the program polls here; on the page it is a minute. */
const POLL_MS = 1_000;
const RECONNECT_MS = 1_000;
const READ_PAUSE_MS = 150;

/** The position of a client when the service said that it may have missed something. */
export interface Position {
  epoch: string;
  number: number;
  at: number;
}

/** What one follower of the events received, in order. */
export interface Follower {
  received: EventKey[];
  /** `complete: false` or `reset`, with the position that the client had. */
  incomplete: Position[];
  /** How often the stream was opened. */
  connections: number;
  /** The number of the last event that it has. */
  last(): number;
}

/**
 * The program of `/docs` unchanged, except that it polls more often. A proxy reads its requests and responses, and its output
 * shows what it announces: `title episode 3: link`.
 */
export async function openPoller(
  defer: Defer,
  folder: string,
  listing: string,
  clients: ClientLog,
): Promise<Follower> {
  const follower: Follower = { received: [], incomplete: [], connections: 0, last: () => last };
  let last = 0;
  const between = await openHttpServer(defer, async (request, response) => {
    const from = Date.now();
    try {
      const answer = await fetch(listing + request.url);
      const text = await answer.text();
      clients.note({ origin: 'listing', what: 'poll', status: answer.status, from });
      if (answer.status === 200) noteAnswer(new URL(`http://x${request.url}`), JSON.parse(text).data);
      response.writeHead(answer.status, { 'Content-Type': 'application/json' }).end(text);
    } catch (error) {
      clients.note({ origin: 'listing', what: 'poll', error, from });
      response.destroy();
    }
  });

  function noteAnswer(
    { searchParams }: URL,
    { complete, last: number }: { complete: boolean; last: number },
  ) {
    const epoch = searchParams.get('epoch') ?? '';
    if (!complete)
      follower.incomplete.push({ epoch, number: Number(searchParams.get('since')), at: Date.now() });
    last = number;
  }

  const code = (await readFile(SAMPLE, 'utf8'))
    .replace('{listing}', between)
    .replace('60_000', String(POLL_MS));
  const file = path.join(folder, 'poller.mjs');
  await writeFile(file, code);
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', process.execPath, file], {
    stdio: ['ignore', 'pipe', 'ignore'],
    cwd: folder,
  });
  defer(() => endProcess(child));
  createInterface(child.stdout).on('line', (line) => {
    const [, episode, slug] = /episode (\d+): .*\/anime\/([^/]+)$/u.exec(line) ?? [];
    follower.received.push(`${slug} ${episode}`);
  });
  return follower;
}

/** A client of the stream that connects again with the last id that it has, as a browser does. */
export function openStreamClient(
  defer: Defer,
  listing: string,
  clients: ClientLog,
  signal: AbortSignal,
): Follower {
  const follower: Follower = { received: [], incomplete: [], connections: 0, last: () => numberOf(lastId) };
  let lastId = '';

  function take(message: string): void {
    const fields = new Map(
      message.split('\n').map((line) => {
        const colon = line.indexOf(': ');
        return [line.slice(0, colon), line.slice(colon + 2)];
      }),
    );
    const id = fields.get('id');
    if (fields.get('event') === 'reset') follower.incomplete.push({ ...positionOf(lastId), at: Date.now() });
    else if (fields.has('data')) follower.received.push(keyOf(JSON.parse(fields.get('data')!) as EventLike));
    lastId = id ?? lastId;
  }

  async function connect(): Promise<void> {
    const from = Date.now();
    const headers = lastId ? { 'Last-Event-ID': lastId } : {};
    const request = get(`${listing}/api/anime/events/stream`, { agent: false, headers, signal });
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    clients.note({ origin: 'listing', what: 'stream', status: response.statusCode!, from });
    if (response.statusCode !== 200) return void response.destroy();
    follower.connections += 1;
    let text = '';
    for await (const chunk of response.setEncoding('utf8')) {
      const messages = (text + chunk).split('\n\n');
      text = messages.pop()!;
      for (const message of messages) take(message);
    }
  }

  async function run(): Promise<void> {
    while (!signal.aborted) {
      await connect().catch(() => {});
      await sleep(RECONNECT_MS, undefined, { signal }).catch(() => {});
    }
  }

  const running = run();
  defer(() => running);
  return follower;
}

const numberOf = (id: string) => Number(id.slice(id.lastIndexOf('-') + 1));

function positionOf(id: string): Omit<Position, 'at'> {
  return { epoch: id.slice(0, id.lastIndexOf('-')), number: numberOf(id) };
}

/** Reads pages and documents of the listing one after the other. */
export async function readListing(listing: string, clients: ClientLog, signal: AbortSignal): Promise<void> {
  const paths = ['/', '/api/anime', '/api/anime/home', '/api/anime/releases', '/feeds/episodes.atom'];
  for (let turn = 0; !signal.aborted; turn += 1) {
    const from = Date.now();
    try {
      const { status, body } = await fetch(listing + paths[turn % paths.length], { signal });
      await body?.pipeTo(new WritableStream());
      clients.note({ origin: 'listing', what: 'read', status, from });
    } catch (error) {
      if (!signal.aborted) clients.note({ origin: 'listing', what: 'read', error, from });
    }
    await sleep(READ_PAUSE_MS);
  }
}
