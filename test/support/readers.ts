import { request as openRequest } from 'node:http';
import { createClient } from './client.ts';
import { createRandom } from './create-random.ts';
import type { Defer } from './defer.ts';
import { openHttpServer } from './http-server.ts';

const LANGUAGES = ['id-ID,id;q=0.9,en-US;q=0.8,en;q=0.7', 'id', 'en-US,en;q=0.5', 'en-GB', 'ja,en;q=0.7'];
const ENCODINGS = ['gzip, deflate, br, zstd', 'gzip, deflate, br', 'gzip', 'gzip, deflate, zstd'];
const CLIENTS = 16;

/**
 * Many readers with browsers and bots of several kinds: most of them at the front page, some at pages of anime, the API, feeds
 * and events, every fifth with a copy. Resolves with the number of answers that were neither 200 nor 304.
 */
export async function readAsMany(origin: string, slugs: readonly string[], amount: number): Promise<number> {
  const random = createRandom(1);
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)]!;
  const paths = () => [
    ...['/', '/', '/', `/anime/${pick(slugs)}`, '/feeds/episodes.atom', '/feeds/schedule.ics'],
    ...['/api/anime', '/api/anime/schedule', '/api/anime/home', '/api/anime/home?page=2'],
    ...['/api/anime/releases', `/api/anime/${pick(slugs)}`, '/api/anime/events', '/api/anime/events?since=1'],
  ];
  const tags = new Map<string, string>();
  let wrong = 0;
  let sent = 0;

  async function read(ask: ReturnType<typeof createClient>): Promise<void> {
    while (sent < amount) {
      sent += 1;
      const path = pick(paths());
      const tag = tags.get(path);
      const headers = {
        'Accept-Language': pick(LANGUAGES),
        'Accept-Encoding': pick(ENCODINGS),
        ...(tag && random() < 0.2 ? { 'If-None-Match': tag } : {}),
      };
      const { status, headers: answered } = await ask({ path, headers });
      if (status !== 200 && status !== 304) wrong += 1;
      if (answered.etag) tags.set(path, answered.etag);
    }
  }

  await Promise.all(Array.from({ length: CLIENTS }, () => read(createClient(origin))));
  return wrong;
}

/** Stands between a cache and a service: counts requests, makes copies fresh for another time, and breaks down. */
export async function openOrigin(behind: string, defer: Defer) {
  const origin = { address: '', requests: 0, isDown: false, maxAgeSeconds: 60 };
  origin.address = await openHttpServer(defer, (request, response) => {
    origin.requests += 1;
    if (origin.isDown) return void request.socket.destroy();
    const { method, url, headers } = request;
    const forwarded = openRequest(behind + url, { method, headers, agent: false }, (answer) => {
      const control = answer.headers['cache-control']?.replace(
        'max-age=60',
        `max-age=${origin.maxAgeSeconds}`,
      );
      response.writeHead(answer.statusCode ?? 0, { ...answer.headers, 'cache-control': control ?? '' });
      answer.pipe(response);
    });
    forwarded.on('error', () => response.destroy());
    request.pipe(forwarded);
  });
  return origin;
}
