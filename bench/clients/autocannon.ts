import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Load } from '../support/load.ts';

/** Sends what it is told to over IPC, one load after another; it stays, for starting takes longer than many a load. */

const autocannon = createRequire(import.meta.url)('autocannon');

process.on('message', async ({ url, amount, connections = 16, headers, method = 'GET', bodyFile }: Load) => {
  const body = bodyFile && (await readFile(bodyFile));
  // It ends at its next sample only.
  const load = { url, amount, connections, headers, method, body, sampleInt: 20 };
  const { statusCodeStats, errors } = await autocannon(load);
  process.send?.({ statusCodeStats, errors });
});
