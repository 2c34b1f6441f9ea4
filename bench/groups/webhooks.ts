import path from 'node:path';
import { createRandom } from '../../test/support/create-random.ts';
import { hasProgram } from '../../test/support/needs.ts';
import { openTestRedis } from '../../test/support/redis.ts';
import { inFolder } from '../support/folders.ts';
import { findFaults, killSenders } from '../support/kill-senders.ts';
import type { Row } from '../support/table.ts';

const EVENTS = 10_000;
const KILLS = 10;
const FAILING = 0.3;

/** What reaches a receiver that fails 30 % of the attempts, while the sender is killed ten times. */
export async function measureWebhooks(): Promise<Row[]> {
  const rows = await inFolder((folder) =>
    measureStore('SQLite', () => `sqlite:${path.join(folder, 'cache.sqlite')}`),
  );
  if (!hasProgram('redis-server')) return rows;
  return [...rows, ...(await measureStore('Redis', async (defer) => (await openTestRedis(defer)).url()))];
}

type Defer = (end: () => unknown) => void;

async function measureStore(name: string, open: (defer: Defer) => string | Promise<string>): Promise<Row[]> {
  const ends: (() => unknown)[] = [];
  const defer: Defer = (end) => void ends.push(end);
  try {
    const options = { events: EVENTS, kills: KILLS, failing: FAILING, random: createRandom(3) };
    const { accepted } = await killSenders({ ...options, storeUrl: await open(defer) }, defer);
    const { lost, disordered, repeated } = findFaults(accepted, EVENTS);
    return [
      { what: `${name}: events lost of ${EVENTS}`, values: [lost.length], wanted: { atMost: 0 } },
      { what: `${name}: events out of order`, values: [disordered.length], wanted: { atMost: 0 } },
      { what: `${name}: events sent twice`, values: [repeated], wanted: { atMost: KILLS } },
    ];
  } finally {
    for (const end of ends.reverse()) await end();
  }
}
