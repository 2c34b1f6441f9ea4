import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { eventually, openTestService, readJson } from '../support/service.ts';
import { send } from '../support/upload-client.ts';

type Service = Awaited<ReturnType<typeof openTestService>>;
let service: Service;
/** The next crawl comes half an hour after the start. */
const UNTIL_CRAWL_S = 20 * 60;

beforeEach(async () => {
  service = await openTestService(onTestFinished, { REFRESH_PEEK: '1s' });
  await service.ready();
  await eventually(
    () => readJson(fetch(`${service.address}/readyz`)),
    ({ source }) => source.state === 'ok',
  );
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
  const { source } = await readJson(fetch(`${service.address}/readyz`));
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
  await eventually(
    () => fetch(`${service.address}/api/anime/home`),
    ({ headers }) => /ttl=-\d+; detail=blocked/u.test(headers.get('cache-status') ?? ''),
  );
  expect(await ttlOf('/api/anime/schedule')).toBeGreaterThan(UNTIL_CRAWL_S);
});
