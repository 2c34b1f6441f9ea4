import { get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Ask } from '../../../support/client.ts';
import { every } from './every.ts';
import type { Tally } from './tally.ts';

const FIXED_PATHS = [
  ...['/api/anime/home', '/api/anime/schedule', '/', '/api/anime', '/api/anime/home?page=2'],
  ...[
    '/api/anime/upcoming',
    '/api/anime/events',
    '/feeds/episodes.atom',
    '/feeds/schedule.ics',
    '/readyz',
    '/openapi.json',
  ],
];
const ENCODINGS = ['br', 'gzip', 'zstd', 'identity', 'br;q=0, gzip'];
const STREAMS = 12;

/** Reads of the listing, every second one conditional. */
export function startReaders(ask: Ask, tally: Tally): void {
  const etags = new Map<string, string>();
  let animePaths: string[] = [];

  every(40, 'read', tally, async (turn) => {
    const paths = [...FIXED_PATHS, ...animePaths];
    const path = paths[turn % paths.length] ?? '/';
    const encoding = ENCODINGS[turn % ENCODINGS.length] ?? 'br';
    const etag = turn % 2 === 0 ? etags.get(`${path} ${encoding}`) : undefined;
    const headers = { 'Accept-Encoding': encoding, ...(etag ? { 'If-None-Match': etag } : {}) };
    const answer = await ask({ path, headers });
    tally.expect('read', answer.status, etag ? [200, 304] : [200]);
    if (answer.headers.etag) etags.set(`${path} ${encoding}`, answer.headers.etag);
  });

  every(30_000, 'slugs', tally, async () => {
    const { body } = await ask({ path: '/api/anime/home' });
    const { data } = JSON.parse(body.toString()) as { data: { data: { slug: string }[] } };
    animePaths = data.data.slice(0, 6).flatMap(({ slug }) => [`/api/anime/${slug}`, `/anime/${slug}`]);
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
        response.on('error', () => {});
        response.resume();
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
