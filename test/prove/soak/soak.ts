import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fire, runClient, stopLoadProcess } from '../../../bench/support/load.ts';
import type { Defer } from '../../support/defer.ts';
import { findFreePort } from '../../support/redis.ts';
import { eventually, startServe, temporaryFolder } from '../../support/service.ts';
import { withCleanups } from '../cleanups.ts';
import { judgeSoak, WARM_UP_MINUTES } from './judge.ts';
import { type Sample, takeSample } from './sample.ts';
import { openFaultySite } from './source.ts';

const MINUTE_MS = 60_000;

/** Everything that recurs does so within minutes: crawls, peeks, expiry, sweeps. */
const ENVIRONMENT = {
  REFRESH_CRON: '* * * * *',
  REFRESH_PEEK: '10s',
  SOURCE_DELAY: '20ms',
  SOURCE_TIMEOUT: '2s',
  UPLOAD_TTL: '3m',
};

const PATHS = [
  ...['/', '/api/anime', '/api/anime/home?page=2', '/api/anime/schedule', '/api/anime/upcoming'],
  ...['/api/anime/events', '/feeds/episodes.atom', '/feeds/schedule.ics', '/readyz', '/openapi.json'],
];
const ENCODINGS = ['br', 'gzip', 'zstd', 'identity'];

const samplesIn = (folder: string) => path.join(folder, 'soak.json');

/** `soak [minutes] [folder]` */
export async function proveSoak([minutes = '120', folder = 'soak-result']: string[]): Promise<boolean> {
  const isLongEnough = Number.isInteger(Number(minutes)) && Number(minutes) >= WARM_UP_MINUTES + 2;
  if (!isLongEnough)
    throw new Error(`The minutes must be a whole number of at least ${WARM_UP_MINUTES + 2}.`);
  await mkdir(folder, { recursive: true });
  const samples = await withCleanups((defer) => soak(Number(minutes), folder, defer));
  return judgeSoak(samples, console.log);
}

/** `soak-result [folder]`: judges the samples of a run that was ended early. */
export async function proveSoakResult([folder = 'soak-result']: string[]): Promise<boolean> {
  return judgeSoak(JSON.parse(await readFile(samplesIn(folder), 'utf8')), console.log);
}

/**
 * Runs the service under load for so many minutes. Each minute it takes a sample, prints it, and writes all of them into
 * `folder`, so that a run that is ended early has its results too.
 */
async function soak(minutes: number, folder: string, defer: Defer): Promise<Sample[]> {
  const DATA_DIR = await temporaryFolder(defer);
  const site = await openFaultySite(defer);
  const METRICS_PORT = String(await findFreePort());
  const service = await startServe(
    { ...ENVIRONMENT, DATA_DIR, METRICS_PORT, SOURCE_URLS: site.origin },
    defer,
  );
  const [, uploads = ''] = await service.printed(/uploads listening on (http:[^"\s]+)/u);
  await eventually(
    () => fetch(`${service.address}/readyz`),
    ({ ok }) => ok,
  );
  const load = startLoad(service.address, uploads);
  defer(load.stop);
  const serviceEnded = service.ended.then((code) =>
    Promise.reject(new Error(`the service ended with ${code}`)),
  );
  serviceEnded.catch(() => {});
  const samples: Sample[] = [];
  const startedAt = Date.now();
  for (let minute = 1; minute <= minutes; minute += 1) {
    const nextAt = startedAt + minute * MINUTE_MS;
    await Promise.race([sleep(nextAt - Date.now()), serviceEnded, load.failed]);
    const operations = `http://127.0.0.1:${METRICS_PORT}`;
    const sample = await takeSample(minute, operations, DATA_DIR);
    console.log(JSON.stringify(sample));
    samples.push(sample);
    await writeFile(samplesIn(folder), `${JSON.stringify(samples, null, 1)}\n`);
  }
  return samples;
}

/** Reads every kind of document, follows the events and uploads until it is stopped. `failed` rejects at a wrong answer. */
function startLoad(listing: string, uploads: string) {
  const ending = new AbortController();
  const { signal } = ending;
  const again = async (act: (turn: number) => Promise<unknown>) => {
    for (let turn = 0; !signal.aborted; turn += 1) await act(turn);
  };
  const read = async (turn: number) => {
    const encoding = ENCODINGS[turn % ENCODINGS.length]!;
    const url = listing + PATHS[turn % PATHS.length]!;
    await fire({ url, amount: 100, headers: { 'Accept-Encoding': encoding } });
    await sleep(1_000);
  };
  const upload = () =>
    runClient('upload', { url: `${uploads}/upload?expires=1m`, uploads: 2, megabytes: 10, mbPerSecond: 1 });
  const follow = async (seconds: number) => {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(seconds * 1_000)]);
    const stream = await fetch(`${listing}/api/anime/events/stream`, { signal: limit });
    await stream.text().catch(() => {});
  };
  const streams = [3, 7, 25].map((seconds) => again(() => follow(seconds)));
  const failed = Promise.race([again(read), again(upload), ...streams]);
  failed.catch(() => {});
  return {
    failed,
    stop() {
      ending.abort();
      stopLoadProcess();
    },
  };
}
