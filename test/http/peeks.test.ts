import { beforeEach, expect, test } from 'vitest';
import { renderOngoingPage } from '../../src/demo/pages.ts';
import { eventually, openReadyService, readJson } from '../support/service.ts';
import { rewriting, type TestSource } from '../support/source.ts';
import { openOnce } from '../support/until-end.ts';
import { send } from '../support/upload-client.ts';

/** The next crawl comes half an hour after the start. */
const UNTIL_CRAWL_S = 20 * 60;

const service = openOnce((defer) => openReadyService(defer, { REFRESH_PEEK: '1s' }));

const readSource = async () => (await readJson(fetch(`${service.address}/readyz`))).source;

beforeEach(async () => {
  service.source.fault = undefined;
  await expect.poll(readSource).toMatchObject({ state: 'ok' });
});

const readHome = () => readJson(fetch(`${service.address}/api/anime/home`));
const ttlOf = async (path: string) => {
  const { headers } = await fetch(`${service.address}${path}`);
  return Number(/ttl=(-?\d+)/u.exec(headers.get('cache-status') ?? '')?.[1]);
};

test('a new episode is served after a peek, which reads only page 1', async () => {
  const { catalogue, requests } = service.source;
  requests.length = 0;
  const [anime] = catalogue.anime.splice(30, 1);
  catalogue.anime.unshift({ ...anime!, episode: anime!.episode + 1 });
  const home = await eventually(readHome, ({ data }) => data.data[0].title === anime!.title);
  expect(home.data.data[0].episode).toBe(anime!.episode + 1);
  expect(new Set(requests)).toEqual(new Set(['/ongoing-anime/']));
});

test('Cache-Status counts to the next peek, and for the schedule to the next crawl', async () => {
  expect(await ttlOf('/api/anime/home')).toBeLessThanOrEqual(2);
  expect(await ttlOf('/api/anime/schedule')).toBeGreaterThan(UNTIL_CRAWL_S);
  const source = await readSource();
  expect(Date.parse(source.nextAttempt) - Date.now()).toBeLessThan(2_000);
});

test('Cache-Status is the same for a target in absolute form', async () => {
  const path = `${service.address}/api/anime/schedule`;
  const { status, headers } = await send(service.address, { path });
  expect(status).toBe(200);
  expect(Number(/ttl=(-?\d+)/u.exec(String(headers['cache-status']))?.[1])).toBeGreaterThan(UNTIL_CRAWL_S);
});

test('a failed peek changes the detail of Cache-Status, and not its ttl', async () => {
  service.source.fault = (_request, response) => {
    response.writeHead(403).end('<html>Forbidden</html>');
    return true;
  };
  await expect
    .poll(() => fetch(`${service.address}/api/anime/home`))
    .toSatisfy(({ headers }) => /ttl=-\d+; detail=blocked/u.test(headers.get('cache-status') ?? ''));
  expect(await ttlOf('/api/anime/schedule')).toBeGreaterThan(UNTIL_CRAWL_S);
});

/** Renames the class of the titles on every page of the list. */
function renameTitles({ origin, catalogue }: TestSource) {
  const render = (path: string) => {
    const match = /^\/ongoing-anime\/(?:page\/(\d+)\/)?$/u.exec(path);
    return match ? renderOngoingPage(origin, catalogue.anime, Number(match[1] ?? 1)) : undefined;
  };
  return rewriting(render, (html) => html.replaceAll('jdlflm', 'judul'));
}

test('/readyz names a repaired selector, and the listing stays current', async () => {
  const { source } = service;
  expect(await readSource()).toMatchObject({ repaired: [] });
  source.fault = renameTitles(source);
  const [anime] = source.catalogue.anime.splice(30, 1);
  source.catalogue.anime.unshift({ ...anime!, episode: anime!.episode + 1 });
  const { state, repaired } = await eventually(readSource, (found) => found.repaired.length > 0);
  expect(state).toBe('ok');
  expect(repaired).toEqual([
    {
      field: 'title',
      was: '.jdlflm',
      now: '.judul',
      agreement: 1,
      since: expect.stringMatching(/^\d{4}-.*Z$/u),
    },
  ]);
  const home = await readHome();
  expect(home.data.data[0]).toMatchObject({ title: anime!.title, episode: anime!.episode + 1 });
});
