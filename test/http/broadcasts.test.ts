import type { RequestListener, ServerResponse } from 'node:http';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Defer } from '../support/defer.ts';
import { openHttpServer } from '../support/http-server.ts';
import { eventually, openReadyService, readJson, temporaryFolder } from '../support/service.ts';
import { openTestSource } from '../support/source.ts';
import { openOnce } from '../support/until-end.ts';

type Service = Awaited<ReturnType<typeof openReadyService>>;

/** A calendar in which each anime of the sample site has its next episode tomorrow. */
async function makeCalendar(defer: Defer): Promise<string> {
  const { catalogue } = await openTestSource(defer);
  const airingAt = Math.trunc(Date.now() / 1_000) + 24 * 3_600;
  const airingSchedules = catalogue.anime.map(({ title, episode }, index) => ({
    ...{ episode: episode + 1, airingAt },
    media: {
      id: index + 1,
      idMal: 1_000 + index,
      synonyms: [],
      title: { romaji: title, english: `Title ${index}` },
    },
  }));
  return JSON.stringify({ data: { Page: { pageInfo: { hasNextPage: false }, airingSchedules } } });
}

const readBroadcasts = async (service: Service) =>
  (await readJson(fetch(`${service.listing}/readyz`))).broadcasts;

/** A service that has read its calendar, or tried to. */
async function openWitnessed(defer: Defer, answer: RequestListener) {
  const service = await openReadyService(defer, { BROADCASTS_URL: await openHttpServer(defer, answer) });
  await eventually(
    () => readBroadcasts(service),
    ({ state }) => state !== 'absent',
  );
  return service;
}

describe('with a calendar of broadcasts', () => {
  const service = openOnce(async (defer) => {
    const calendar = await makeCalendar(defer);
    const opened = await openWitnessed(defer, (_, response) => response.end(calendar));
    await eventually(
      async () => (await readJson(fetch(`${opened.listing}/api/anime`))).data.ongoing[0].ids,
      (ids) => ids !== null,
    );
    return opened;
  });
  const get = (address: string) => readJson(fetch(service.listing + address));

  test('an anime has its ids, and an hour that its source does not tell', async () => {
    const { slug, episode } = service.source.catalogue.anime[0]!;
    const { data } = await get(`/api/anime/${slug}`);
    expect(data).toMatchObject({
      ids: { anilist: 1, mal: 1_000 },
      next: { episode: episode + 1, basis: 'broadcast', late: false },
    });
    const { data: releases } = await get('/api/anime/releases');
    expect(releases).toContainEqual(
      expect.objectContaining({
        slug,
        episode: episode + 1,
        state: 'expected',
        expectedAt: data.next.expectedAt,
      }),
    );
  });

  test('the items of the whole list have them, those of a page do not', async () => {
    const { data } = await get('/api/anime');
    expect(data.ongoing[1].ids).toEqual({ anilist: 2, mal: 1_001 });
    const home = await get('/api/anime/home');
    expect(home.data.data[1]).not.toHaveProperty('ids');
  });

  test('the pages name AniList where its word is shown, and an English title is found', async () => {
    const { slug } = service.source.catalogue.anime[0]!;
    const page = await (await fetch(`${service.listing}/anime/${slug}?lang=en`)).text();
    expect(page).toContain('From the broadcast time in Japan: <a href="https://anilist.co/anime/1"');
    expect(page).toContain('<dt>English title</dt><dd>Title 0</dd>');
    const front = await (await fetch(`${service.listing}/?lang=en`)).text();
    expect(front).toContain('<a href="https://anilist.co"');
    expect(front).toMatch(/data-also="Title \d+"/u);
  });

  test('it is read, and no source of anime or events', async () => {
    expect(await get('/readyz')).toMatchObject({
      broadcasts: { state: 'ok', readAt: expect.stringMatching(/Z$/u) },
      source: { state: 'ok' },
      snapshot: { anime: service.source.catalogue.anime.length },
    });
    expect((await get('/api/anime/events')).data.events).toEqual([]);
  });
});

describe('costs nothing but itself: a calendar', () => {
  test.each<[string, RequestListener, state?: string]>([
    ['that is not there', (_, response) => response.writeHead(404).end()],
    ['that asks to wait', (_, response) => response.writeHead(429, { 'Retry-After': '60' }).end()],
    ['that has moved', (_, response) => response.writeHead(302, { Location: 'http://127.0.0.1:9' }).end()],
    ['that is a page', (_, response) => response.end('<html></html>')],
    ['without end', (_, response) => endlessly(response)],
    ['that breaks off', (request) => request.destroy()],
    ['that does not answer', () => {}, 'absent'],
  ])('%s', async (_, answer, state = 'down') => {
    const BROADCASTS_URL = await openHttpServer(onTestFinished, answer);
    const service = await openReadyService(onTestFinished, { BROADCASTS_URL, SERVE: 'listing,refresh' });
    await eventually(
      () => readBroadcasts(service),
      (broadcasts) => broadcasts.state === state,
    );
    const { slug } = service.source.catalogue.anime[0]!;
    expect(await readJson(fetch(`${service.listing}/readyz`))).toMatchObject({
      status: true,
      source: { state: 'ok', reason: null },
    });
    const { data } = await readJson(fetch(`${service.listing}/api/anime/${slug}`));
    expect(data).toMatchObject({ ids: null, next: null });
    expect(service.failures).toEqual([]);
  });
});

test('a calendar is not asked again because the service starts again', async () => {
  let requests = 0;
  const BROADCASTS_URL = await openHttpServer(onTestFinished, (_, response) => {
    requests += 1;
    response.writeHead(500).end();
  });
  const [DATA_DIR, SERVE] = [await temporaryFolder(onTestFinished), 'listing,refresh'];
  for (let starts = 0; starts < 3; starts += 1) {
    const service = await openReadyService(onTestFinished, { BROADCASTS_URL, DATA_DIR, SERVE });
    await eventually(
      () => readBroadcasts(service),
      ({ state }) => state === 'down',
    );
    await service.stop();
  }
  expect(requests).toBe(1);
});

/** Sends 100 MB, unless the other side has closed the connection before. */
function endlessly(response: ServerResponse): void {
  const megabyte = Buffer.alloc(1024 ** 2, ' ');
  for (let sent = 0; sent < 100; sent += 1) response.write(megabyte);
  response.end();
}
