import { get, type IncomingMessage, request as openRequest } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '../support/client.ts';
import type { Origins } from '../support/proxies.ts';
import { OFFSET_STREAM, TUS } from '../support/resumable.ts';
import { filePart, MULTIPART, multipart } from '../support/upload-body.ts';

/** The number of good answers of each kind, and of failures by what went wrong. */
interface Outcomes {
  good: Record<string, number>;
  failed: Record<string, number>;
}

/** Between two requests of a client: the processes that start have the cores to themselves meanwhile. */
const PAUSE_MS = 50;
const FILE = Buffer.alloc(10_000, 'x');
const UPLOAD = {
  ...{ method: 'POST', path: '/upload', headers: { 'Content-Type': MULTIPART } },
  body: multipart(filePart('a.txt', FILE)),
};

/**
 * Reads, uploads whole and in parts, quickly and slowly, and follows streams, over connections that are kept and new ones.
 * No request is tried again; a stream that has ended is opened again, as a browser does. Each kind is done by `each` clients.
 */
export function startLoad({ listing, uploads }: Origins, each = 1) {
  const outcomes: Outcomes = { good: {}, failed: {} };
  const over = new AbortController();
  const { signal } = over;

  function note(kind: keyof Outcomes, what: string): void {
    outcomes[kind][what] = (outcomes[kind][what] ?? 0) + 1;
  }

  async function repeat(kind: string, act: () => Promise<unknown>): Promise<void> {
    while (!signal.aborted) {
      await act().then(
        () => note('good', kind),
        (error: NodeJS.ErrnoException) => note('failed', `${kind}: ${error.code ?? error.message}`),
      );
      await sleep(PAUSE_MS);
    }
  }

  const clients: Record<string, () => () => Promise<unknown>> = {
    'read over a kept connection': () => read(createClient(listing)),
    'read over a new connection': () => read(createClient(listing, false)),
    'upload over a kept connection': () => upload(createClient(uploads)),
    'upload over a new connection': () => upload(createClient(uploads, false)),
    'resumable upload': () => uploadInParts(createClient(uploads)),
    'slow upload': () => () => uploadSlowly(uploads),
    stream: () => () => follow(listing, signal),
  };
  const visitors = Object.entries(clients).flatMap(([kind, open]) =>
    Array.from({ length: each }, () => repeat(kind, open())),
  );

  return {
    async stop(): Promise<Outcomes> {
      over.abort();
      await Promise.all(visitors);
      return outcomes;
    },
  };
}

type Client = ReturnType<typeof createClient>;

const read = (ask: Client) => async () => expectStatus(200, await ask({ path: '/api/anime/home' }));
const upload = (ask: Client) => async () => expectStatus(200, await ask(UPLOAD));

const uploadInParts = (ask: Client) => async () => {
  const create = { ...TUS, 'Upload-Length': String(FILE.length) };
  const created = await ask({ method: 'POST', path: '/files', headers: create });
  expectStatus(201, created);
  const { pathname: path } = new URL(String(created.headers.location));
  for (const [from, to] of [
    [0, 4_000],
    [4_000, FILE.length],
  ]) {
    const headers = { ...OFFSET_STREAM, 'Upload-Offset': String(from) };
    expectStatus(204, await ask({ method: 'PATCH', path, headers, body: FILE.subarray(from, to) }));
    await sleep(PAUSE_MS);
  }
  expectStatus(200, await ask({ path }));
};

/** Takes a second, so that many of these are under way when a process is told to stop. */
async function uploadSlowly(origin: string): Promise<void> {
  const { body, path, ...options } = UPLOAD;
  const headers = { ...options.headers, 'Content-Length': body.length };
  const request = openRequest(origin + path, { ...options, headers, agent: false });
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    request.on('response', resolve).on('error', reject);
  });
  answered.catch(() => {});
  for (let from = 0; from < body.length; from += 1_000) {
    request.write(body.subarray(from, from + 1_000));
    await sleep(2 * PAUSE_MS);
  }
  request.end();
  const response = await answered;
  response.resume();
  expectStatus(200, { status: response.statusCode ?? 0 });
}

/** Reads a stream of events to its end, which must be an orderly one. */
async function follow(origin: string, signal: AbortSignal): Promise<void> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    get(`${origin}/api/anime/events/stream`, { agent: false }, resolve).on('error', reject);
  });
  signal.addEventListener('abort', () => response.destroy());
  expectStatus(200, { status: response.statusCode ?? 0 });
  await response
    .resume()
    .toArray()
    .catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
}

function expectStatus(expected: number, { status }: { status: number }): void {
  if (status !== expected) throw new Error(String(status));
}
