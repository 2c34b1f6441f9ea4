import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '../support/client.ts';
import { filePart, MULTIPART, multipart } from '../support/upload-body.ts';

/** The number of responses by status, and of failures by error. */
type Outcomes = Record<string, number>;

/** Between two requests of a client: the processes that start have the cores to themselves meanwhile. */
const PAUSE_MS = 50;
const READ = { path: '/api/anime/home' };
const UPLOAD = {
  ...{ method: 'POST', path: '/upload', headers: { 'Content-Type': MULTIPART } },
  body: multipart(filePart('a.txt', 'x'.repeat(10_000))),
};

/**
 * Sends downloads and uploads with hardly a pause: half of the clients keep one connection, half use a new one for each
 * request. No request is retried.
 */
export function startLoad(listing: string, uploads: string, readers: number) {
  const outcomes: Outcomes = {};
  let isOver = false;

  async function repeat(index: number) {
    const keepsConnection = index % 2 === 0;
    const sends = index % 4 < 2;
    const ask = createClient(sends ? uploads : listing, keepsConnection);
    const kind = `${sends ? 'upload' : 'read'} over a ${keepsConnection ? 'kept' : 'new'} connection:`;
    while (!isOver) {
      const outcome = await ask(sends ? UPLOAD : READ).then(
        ({ status }) => status,
        (error: NodeJS.ErrnoException) => `${kind} ${error.code}`,
      );
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
      await sleep(PAUSE_MS);
    }
  }

  const visitors = Array.from({ length: readers }, (_, index) => repeat(index));

  return {
    async stop(): Promise<Outcomes> {
      isOver = true;
      await Promise.all(visitors);
      return outcomes;
    },
  };
}
