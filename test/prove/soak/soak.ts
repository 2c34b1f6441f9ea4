import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Defer } from '../../support/defer.ts';
import { findFreePort } from '../../support/redis.ts';
import { eventually, startServe, temporaryFolder } from '../../support/service.ts';
import { withCleanups } from '../cleanups.ts';
import { judgeSoak, WARM_UP_MINUTES } from './judge.ts';
import type { LoadReport } from './load/tally.ts';
import { type Sample, takeSample } from './sample.ts';
import { openFaultySite } from './source.ts';

const MINUTE_MS = 60_000;
const LOAD = path.resolve(import.meta.dirname, 'load.ts');

/** Everything that recurs does so within minutes: crawls, peeks, expiry, sweeps. */
const ENVIRONMENT = {
  REFRESH_CRON: '* * * * *',
  REFRESH_PEEK: '10s',
  SOURCE_DELAY: '20ms',
  SOURCE_TIMEOUT: '2s',
  UPLOAD_TTL: '3m',
  UPLOAD_RESUME_TTL: '2m',
  TRUST_PROXY: '1',
};

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
    await Promise.race([sleep(nextAt - Date.now()), serviceEnded, load.ended]);
    const operations = `http://127.0.0.1:${METRICS_PORT}`;
    const sample = await takeSample(minute, operations, DATA_DIR, await load.report());
    console.log(JSON.stringify(sample));
    samples.push(sample);
    await writeFile(samplesIn(folder), `${JSON.stringify(samples, null, 1)}\n`);
  }
  return samples;
}

function startLoad(listing: string, uploads: string) {
  const child = fork(LOAD, [listing, uploads], { env: { PATH: process.env.PATH } });
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`the load ended with ${code}`);
  });
  ended.catch(() => {});
  return {
    ended,
    async report(): Promise<LoadReport> {
      const received = once(child, 'message');
      child.send('report');
      const [report] = await Promise.race([received, ended]);
      return report;
    },
    stop: () => void child.disconnect(),
  };
}
