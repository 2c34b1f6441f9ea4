import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { inFolder } from '../support/folders.ts';
import { type Latencies, runClient, within } from '../support/load.ts';
import { quantile } from '../support/measure.ts';
import { type MeasuredServer, startBaseline, startService } from '../support/servers.ts';
import { openSource } from '../support/source.ts';
import type { Row } from '../support/table.ts';
import { watchLog } from '../support/watch-log.ts';

const CLIENT = path.resolve(import.meta.dirname, '../clients/streams.ts');
const STREAMS = 6_000;
const EVENTS = 7;
const EVERY_MS = 6_000;
const PER_SECOND = 200;
const FRAME = `id: e1-1\nevent: new-episode\ndata: ${'x'.repeat(300)}\n\n`;

interface Told {
  first: number;
  last: number;
  count: number;
}

/** 6,000 streams of events: their memory, the time to reach all of them, and the effect on readers. */
export function measureStreams(): Promise<Row[]> {
  return inFolder(async (folder) => {
    const source = await openSource();
    const service = await startService(folder, {
      SOURCE_URLS: source.origin,
      SOURCE_DELAY: '0',
      REFRESH_CRON: `*/${EVERY_MS / 1_000} * * * * *`,
      REFRESH_PEEK: 'off',
      REFRESH_DETAILS: 'off',
      SERVE: 'listing,uploads,refresh',
    });
    const log = watchLog(service);
    await log.next('snapshot-loaded');
    const ours = await measure(service, '/api/anime/events/stream', '/api/anime/home', async () => {
      source.change();
      await log.next('refresh-finished');
    });
    await service.stop();
    source.close();
    const bare = await startBaseline('stream', {});
    const theirs = await measure(bare, '/stream', '/', async () => {
      await fetch(bare.address, { method: 'POST', body: FRAME });
    });
    await bare.stop();
    return [
      { what: 'a stream: memory', values: [ours.bytes / 1_024], unit: 'KB', wanted: { atMost: 16 } },
      { what: 'a stream: memory, of a bare server', values: [theirs.bytes / 1_024], unit: 'KB' },
      {
        what: 'p99 of a page at an event, later than when nothing happens',
        values: ours.later,
        unit: 'ms',
        wanted: { atMost: 25 },
      },
      { what: 'the same of a bare server that tells all in one turn', values: theirs.later, unit: 'ms' },
      {
        what: 'from the first stream that is told to the last',
        values: ours.tookMs,
        unit: 'ms',
        wanted: { atMost: 2_000 },
      },
      { what: 'the same of a bare server', values: theirs.tookMs, unit: 'ms' },
      { what: 'streams not told', values: [ours.missed], wanted: { atMost: 0 } },
    ];
  });
}

async function measure(
  { address, usage }: MeasuredServer,
  stream: string,
  page: string,
  tell: () => Promise<void>,
) {
  const { residentBytes: before } = await usage();
  const client = fork(CLIENT, [JSON.stringify({ url: address + stream, count: STREAMS })]);
  await once(client, 'message');
  const { residentBytes: after } = await usage();
  const seconds = ((EVENTS + 1) * EVERY_MS) / 1_000;
  const asking = runClient<Latencies>('latency', { url: address + page, perSecond: PER_SECOND, seconds });
  const rounds: Told[] = [];
  for (let count = 0; count < EVENTS; count += 1) {
    await sleep(EVERY_MS / 2);
    await tell();
    await sleep(EVERY_MS / 3);
    rounds.push(await read(client));
  }
  const latencies = await asking;
  client.disconnect();
  const p99 = (from: number, to: number) => quantile(within(latencies, { from, to }), 0.99);
  return {
    bytes: (after - before) / STREAMS,
    later: rounds.map(({ first, last }) => p99(first - 20, last + 20) - p99(first - 2_000, first - 100)),
    tookMs: rounds.map(({ first, last }) => last - first),
    missed: rounds.reduce((sum, { count }) => sum + STREAMS - count, 0),
  };
}

async function read(client: ChildProcess): Promise<Told> {
  const answered = once(client, 'message');
  client.send('read');
  const [told] = await answered;
  return told;
}
