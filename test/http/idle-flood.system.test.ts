import { expect, onTestFinished, test } from 'vitest';
import { shareConnections } from '../../src/http/server/connection-shares.ts';
import { ask, connectFrom, GET } from '../support/clients.ts';
import { scrape } from '../support/metrics.ts';
import { startServe } from '../support/service.ts';

const DESCRIPTORS = 1_024;
const FLOODERS = ['127.0.0.2', '127.0.0.3', '127.0.0.4', '127.0.0.5'];
const shares = shareConnections(DESCRIPTORS);

test.each([
  ['uploads', shares.uploadsPerClient],
  ['listing', Math.ceil(shares.listing / FLOODERS.length)],
] as const)('four addresses with idle connections keep nobody from the %s', async (name, connections) => {
  const environment = { REFRESH_CRON: 'off', METRICS_PORT: '0' };
  const service = await startServe(environment, onTestFinished, ['prlimit', `--nofile=${DESCRIPTORS}`]);
  for (const address of FLOODERS) await connectFrom(service[name], address, connections);
  for (const address of ['127.0.0.6', '127.0.0.7', '127.0.0.8'])
    expect(await ask(service[name], address, GET.replace('/', '/robots.txt'))).toMatch(/^HTTP\/1\.1 200 /u);
  const countClosed = async () =>
    (await scrape(service.operations)).sample('tayang_connections_closed_total', {
      origin: name,
      reason: 'made-room',
    });
  await expect.poll(countClosed).toBeGreaterThan(0);
});
