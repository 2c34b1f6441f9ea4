import { expect, onTestFinished, test } from 'vitest';
import { openHttpServer } from '../../support/http-server.ts';
import { eventually, openTestService, readJson } from '../../support/service.ts';
import type { Fault } from '../../support/source.ts';

type Answer = (...of: Parameters<Fault>) => void;

/** The details of a service whose source answers the first pages of anime that are asked for like this. */
async function readDetails(answer: Answer, count: number) {
  const answered = new Set<string>();
  let asked = 0;
  const service = await openTestService(onTestFinished, { REFRESH_DETAILS: 'on' }, (request, response) => {
    const { url = '' } = request;
    if (!url.startsWith('/anime/')) return false;
    asked += 1;
    if (answered.size < count) answered.add(url);
    if (answered.has(url)) answer(request, response);
    return answered.has(url);
  });
  await service.ready();
  return {
    asked: () => asked,
    details: async () => (await readJson(fetch(`${service.listing}/readyz`))).source.details,
  };
}

const ALL = 132;

type Counts = { known: number; missing: number; failed: number };

const html = { 'Content-Type': 'text/html' };
const redirectTo =
  (location: string): Answer =>
  (_request, response) =>
    void response.writeHead(302, { location }).end();

test('pages of anime that are not there, in whichever way, keep no other one from being read', async () => {
  const elsewhere = await openHttpServer(onTestFinished, (request, response) => {
    response.writeHead(Number(request.url!.slice(1)), html).end('<html><title>x</title></html>');
  });
  const WAYS: Answer[] = [
    (_request, response) => void response.writeHead(404).end('gone'),
    (_request, response) => void response.writeHead(410).end('gone'),
    // The page of another site.
    (_request, response) => void response.writeHead(200, html).end('<html>x</html>'),
    ...[200, 403, 404, 429, 503].map((status) => redirectTo(`${elsewhere}/${status}`)),
    // A host that does not answer.
    redirectTo('http://127.0.0.1:1/'),
  ];
  // As many in the same way as would end the reading if the source refused them.
  const inTurn = WAYS.flatMap((way) => [way, way, way]);
  const wayOf = new Map<string, Answer>();
  const { details } = await readDetails((request, response) => {
    const { url = '' } = request;
    const way = wayOf.get(url) ?? inTurn[wayOf.size]!;
    wayOf.set(url, way);
    way(request, response);
  }, inTurn.length);
  const read = await eventually<Counts>(details, ({ known, failed }) => known + failed === ALL);
  expect(read.failed).toBe(inTurn.length);
});

test.each([403, 429, 503])(
  'a source that answers %d three times is asked for no further page',
  async (status) => {
    const { asked } = await readDetails((_request, response) => response.writeHead(status).end('no'), ALL);
    const first = await eventually(
      async () => asked(),
      (count) => count >= 3,
    );
    // Of 503, each page is tried three times.
    expect(first).toBeLessThanOrEqual(9);
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(asked()).toBeLessThanOrEqual(9);
  },
);
