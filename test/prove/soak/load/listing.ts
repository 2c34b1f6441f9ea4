import { get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '../../../support/client.ts';
import type { Tally } from './tally.ts';

const PATHS = [
  ...['/', '/api/anime', '/api/anime/home', '/api/anime/home?page=2', '/api/anime/schedule'],
  ...['/api/anime/upcoming', '/api/anime/events', '/feeds/episodes.atom', '/feeds/schedule.ics'],
  ...['/readyz', '/openapi.json'],
];
const ENCODINGS = ['br', 'gzip', 'zstd', 'identity', 'br;q=0, gzip'];
const STREAMS = 12;

/** Reads of the listing, every second one conditional. */
export function startReaders(origin: string, tally: Tally): void {
  const ask = createClient(origin);
  const etags = new Map<string, string>();
  tally.every(40, 'read', async (turn) => {
    const path = PATHS[turn % PATHS.length]!;
    const encoding = ENCODINGS[turn % ENCODINGS.length]!;
    const etag = turn % 2 === 0 ? etags.get(`${path} ${encoding}`) : undefined;
    const headers = { 'Accept-Encoding': encoding, ...(etag ? { 'If-None-Match': etag } : {}) };
    const answer = await ask({ path, headers });
    tally.expect('read', answer.status, etag ? [200, 304] : [200]);
    if (answer.headers.etag) etags.set(`${path} ${encoding}`, answer.headers.etag);
  });
}

/** Clients of the event stream that come, stay for up to 25 s and go. */
export function startStreams(origin: string, tally: Tally): void {
  for (let client = 0; client < STREAMS; client += 1) void comeAndGo(client);

  async function comeAndGo(client: number): Promise<never> {
    for (let turn = client; ; turn += 1) {
      const since = turn % 3 === 0 ? '?since=0' : '';
      const request = get(`${origin}/api/anime/events/stream${since}`, { agent: false }, (response) => {
        tally.expect('stream', response.statusCode ?? 0, [200]);
        response.on('error', () => {}).resume();
      });
      request.on('error', (error: NodeJS.ErrnoException) => {
        // The client itself destroys it.
        if (!request.destroyed) tally.expect('stream', error.code ?? '', []);
      });
      await sleep(2_000 + (turn % 24) * 1_000);
      request.destroy();
    }
  }
}
