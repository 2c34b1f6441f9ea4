import { randomBytes, randomInt } from 'node:crypto';
import { Upload } from 'tus-js-client';
import { expect, onTestFinished, test } from 'vitest';
import { openCuttingProxy } from '../../../support/cutting-proxy.ts';
import { MORE } from '../../../support/more-runs.ts';
import { startServe, temporaryFolder } from '../../../support/service.ts';
import { MB, send } from '../../../support/upload-client.ts';
import { sha256 } from '../../../support/uploads.ts';

/** By default a tenth of what TEST_RUNS=10 does: 100 MB, a hundred cuts and ten kills. */
const MEGABYTES = 10 * MORE;
const CUTS = 10 * MORE;
const KILLS = MORE;
const MAX_MS = 60_000 * MORE;
const RETRY_DELAYS = Array.from({ length: 1_000 }, (_, attempt) => Math.min(attempt * 100, 1_000));

/** A service that can be killed and started again, with the same files. */
async function startKillable(url: string) {
  const dataDir = await temporaryFolder(onTestFinished);
  const environment = { DATA_DIR: dataDir, SERVE: 'uploads', UPLOAD_URL: url, LOG_LEVEL: 'warn' };
  let serve = await startServe(environment, onTestFinished);
  return {
    address: () => serve.address,
    async kill() {
      serve.kill('SIGKILL');
      await serve.ended;
    },
    async start() {
      serve = await startServe(environment, onTestFinished);
    },
  };
}

interface Troubles {
  cuts: number;
  kills: number;
}

/** Uploads a file over a proxy that cuts connections, to a service that is killed. Resolves with how much came twice. */
async function uploadThrough({ cuts, kills }: Troubles): Promise<number> {
  const maxBytes = (MEGABYTES * MB) / (cuts + kills);
  const proxy = await openCuttingProxy(onTestFinished, {
    target: () => service.address(),
    nextCut: (before) => (before < cuts ? randomInt(1_000, Math.floor(maxBytes)) : Number.POSITIVE_INFINITY),
    bytesPerSecond: 4 * MB,
  });
  const service = await startKillable(proxy.origin);
  const bytes = randomBytes(MEGABYTES * MB);
  const killAt = Array.from({ length: kills }, (_, i) => ((i + 0.5) / kills) * bytes.length);
  let killing = Promise.resolve();
  /** Sent to a process that had been killed and whose connections the kernel had not closed yet. */
  let lostBytes = 0;

  async function killAndStart(): Promise<void> {
    const before = proxy.counts.sentBytes;
    await service.kill();
    lostBytes += proxy.counts.sentBytes - before;
    await service.start();
  }

  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const upload = new Upload(bytes, {
    endpoint: `${proxy.origin}/files`,
    metadata: { filename: 'a.bin' },
    retryDelays: RETRY_DELAYS,
    onProgress(sent) {
      if (sent < (killAt[0] ?? Number.POSITIVE_INFINITY)) return;
      killAt.shift();
      killing = killing.then(() => killAndStart());
    },
    onSuccess: () => resolve(),
    onError: reject,
  });
  upload.start();
  await promise;
  await killing;

  const path = new URL(upload.url ?? '').pathname;
  const { result } = (await send(service.address(), { path })).json();
  const file = await send(service.address(), { path: new URL(result.url_file).pathname });
  expect(sha256(file.body)).toBe(sha256(bytes));
  expect([proxy.counts.cuts, killAt.length]).toEqual([cuts, 0]);
  const repeated = (proxy.counts.sentBytes - lostBytes) / bytes.length - 1;
  if (MORE > 1) console.info({ cuts, kills, repeated, lostBytes, megabytes: MEGABYTES });
  return repeated;
}

test(
  'connections that break make the client send less than a hundredth twice',
  async () => {
    const repeated = await uploadThrough({ cuts: CUTS, kills: 0 });
    expect(repeated).toBeLessThan(0.01);
  },
  MAX_MS,
);

test(
  'a service that is killed during the upload stores the same file',
  async () => {
    await uploadThrough({ cuts: CUTS, kills: KILLS });
  },
  MAX_MS,
);
