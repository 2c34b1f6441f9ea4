import { Agent, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { filePart, MULTIPART, multipart } from '../support/upload-body.ts';

/** The number of responses by status, and of failures by error. */
type Outcomes = Record<string, number>;

/** Between two requests of a client: the processes that start have the cores to themselves meanwhile. */
const PAUSE_MS = 50;
/** A response that takes longer counts as a failure. It is long enough for a busy machine. */
const TIMEOUT_MS = 30_000;
const UPLOAD = multipart(filePart('a.txt', 'x'.repeat(10_000)));

/**
 * Sends downloads and uploads with hardly a pause: half of the clients keep one connection, half use a new one for each
 * request. No request is retried.
 */
export function startLoad(listing: string, uploads: string, readers: number) {
  const outcomes: Outcomes = {};
  let isOver = false;

  async function repeat(kind: string, ask: (agent: Agent | false) => Promise<number>, agent: Agent | false) {
    while (!isOver) {
      const outcome = await ask(agent).catch((error: NodeJS.ErrnoException) => `${kind} ${error.code}`);
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
      await sleep(PAUSE_MS);
    }
    if (agent) agent.destroy();
  }

  const visitors = Array.from({ length: readers }, (_, index) => {
    const keepsConnection = index % 2 === 0;
    const sends = index % 4 < 2;
    const agent = keepsConnection && new Agent({ keepAlive: true, maxSockets: 1 });
    const kind = `${sends ? 'upload' : 'read'} over a ${keepsConnection ? 'kept' : 'new'} connection:`;
    const ask = (by: Agent | false) => (sends ? send(uploads, by) : read(listing, by));
    return repeat(kind, ask, agent);
  });

  return {
    async stop(): Promise<Outcomes> {
      isOver = true;
      await Promise.all(visitors);
      return outcomes;
    },
  };
}

function read(listing: string, agent: Agent | false): Promise<number> {
  return answerTo(request(`${listing}/api/anime/home`, { agent }).end());
}

function send(uploads: string, agent: Agent | false): Promise<number> {
  const headers = { 'Content-Type': MULTIPART, 'Content-Length': UPLOAD.length };
  return answerTo(request(`${uploads}/upload`, { method: 'POST', headers, agent }).end(UPLOAD));
}

async function answerTo(sending: ReturnType<typeof request>): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  sending.on('error', reject);
  sending.setTimeout(TIMEOUT_MS, () => {
    sending.destroy(Object.assign(new Error('no answer'), { code: 'no answer' }));
  });
  sending.on('response', (response) => {
    buffer(response).then(() => resolve(response.statusCode ?? 0), reject);
  });
  return promise;
}
