import { describe, expect, onTestFinished, test } from 'vitest';
import { openHttpServer } from '../../support/http-server.ts';
import { eventually, openTestService, readJson } from '../../support/service.ts';
import type { Fault } from '../../support/source.ts';

/** The details of a service whose source answers the first pages of anime that are asked for like this. */
async function readDetails(answer: (...of: Parameters<Fault>) => void, count: number) {
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
const GONE = 8;

type Counts = { known: number; missing: number; failed: number };

describe('pages of anime that are not there', () => {
  const openElsewhere = (status: number) =>
    openHttpServer(onTestFinished, (_request, response) => {
      response.writeHead(status, { 'Content-Type': 'text/html' }).end('<html><title>x</title></html>');
    });

  test.each<[string, () => Promise<Fault>]>([
    ['answer 404', async () => (_request, response) => Boolean(response.writeHead(404).end('gone'))],
    ['answer 410', async () => (_request, response) => Boolean(response.writeHead(410).end('gone'))],
    [
      'are those of another site',
      async () => (_request, response) =>
        Boolean(response.writeHead(200, { 'Content-Type': 'text/html' }).end('<html>x</html>')),
    ],
    ...[200, 403, 404, 429, 503].map((status): [string, () => Promise<Fault>] => [
      `redirect to another host, which answers ${status}`,
      async () => {
        const elsewhere = await openElsewhere(status);
        return (_request, response) => Boolean(response.writeHead(302, { location: elsewhere }).end());
      },
    ]),
    [
      'redirect to another host, which does not answer',
      async () => (_request, response) =>
        Boolean(response.writeHead(301, { location: 'http://127.0.0.1:1/' }).end()),
    ],
  ])('%s: all others are read at once', async (_how, open) => {
    const { details } = await readDetails(await open(), GONE);
    const read = await eventually<Counts>(details, ({ known, failed }) => known + failed === ALL);
    expect(read.failed).toBe(GONE);
  });
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
