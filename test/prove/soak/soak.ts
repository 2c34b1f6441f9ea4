import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { LoadReport } from './load/tally.ts';
import { writeResults } from './results.ts';
import { type Sample, takeSample } from './sample.ts';
import { startService } from './service.ts';
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

/**
 * Runs the service under load for so many minutes. Each minute it takes a sample, and writes all of them and their chart
 * into `folder`, so that a run that is ended early has its results too.
 */
export async function soak(
  minutes: number,
  folder: string,
  onSample: (sample: Sample) => void,
): Promise<Sample[]> {
  await mkdir(folder, { recursive: true });
  const dataDir = await mkdtemp(path.join(tmpdir(), 'tayang-soak-'));
  const site = await openFaultySite();
  const service = await startService(dataDir, { ...ENVIRONMENT, SOURCE_URLS: site.origin });
  await untilReady(service.listing);
  const load = startLoad(service.listing, service.uploads);
  const samples: Sample[] = [];
  const startedAt = Date.now();
  try {
    for (let minute = 1; minute <= minutes; minute += 1) {
      const nextAt = startedAt + minute * MINUTE_MS;
      await Promise.race([sleep(nextAt - Date.now()), service.ended, load.ended]);
      samples.push(await takeSample(minute, service.operations, dataDir, await load.report()));
      onSample(samples.at(-1)!);
      await writeResults(folder, samples);
    }
    return samples;
  } finally {
    load.stop();
    await service.stop();
    await site.close();
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function untilReady(listing: string): Promise<void> {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const { ok } = await fetch(`${listing}/readyz`);
    if (ok) return;
    await sleep(200);
  }
  throw new Error('the service has no snapshot');
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
