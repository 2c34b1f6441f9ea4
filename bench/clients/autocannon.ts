import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Load } from '../support/load.ts';

/** Sends the loads that it receives over IPC, one after another. One process is reused, because its start is slow. */

const autocannon = createRequire(import.meta.url)('autocannon');

process.on('message', async (load: Load) => {
  const { url, paths, amount, connections = 16, headers, method = 'GET', bodyFile } = load;
  const body = bodyFile && (await readFile(bodyFile));
  // autocannon ends a load at a sample only.
  const requests = paths?.map((path) => ({ path }));
  const { statusCodeStats, errors } = await autocannon({
    url,
    requests,
    amount,
    connections,
    headers,
    method,
    body,
    sampleInt: 20,
  });
  process.send?.({ statusCodeStats, errors });
});
