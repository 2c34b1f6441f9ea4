import { performance } from 'node:perf_hooks';
import { driverFor } from '../domain/driver-url.ts';
import type { Report } from '../domain/operational-event.ts';
import type { Limiter } from '../uploads/limiter.ts';
import { quotaBuckets } from '../uploads/limiter-keys.ts';
import { LIMITER_DRIVERS } from '../uploads/limiters/drivers.ts';
import type { Quota } from '../uploads/quota.ts';
import { QUOTA_DRIVERS } from '../uploads/quotas/drivers.ts';
import { SCANNER_DRIVERS } from '../uploads/scanners/drivers.ts';
import { createSteadyClock } from '../uploads/steady-clock.ts';
import { STORAGE_DRIVERS } from '../uploads/storage/drivers.ts';
import type { Storage } from '../uploads/storage.ts';
import { startSweeping } from '../uploads/sweep.ts';
import { createUploads, type Uploads } from '../uploads/uploads.ts';
import type { Config } from './config.ts';

/** The uploads, wired. */
interface UploadJob {
  uploads: Uploads;
  limiter: Limiter;
  /** What the gauges of the storage are read from. */
  usage: { stored: Quota['stored']; quotaBytes: number; freeBytes: Storage['freeBytes'] };
  close(): Promise<void>;
}

export async function openUploadJob({ upload }: Config, report: Report): Promise<UploadJob> {
  const { storageUrl, limiterUrl, scannerUrl, rateWindowMs: windowMs, maxBytes } = upload;
  const storage = await driverFor(storageUrl, STORAGE_DRIVERS)(storageUrl, { clock: Date.now, report });
  const limiter = await driverFor(limiterUrl, LIMITER_DRIVERS)(limiterUrl, {
    windowMs,
    now: () => performance.now(),
    report,
  }).catch((error: unknown) => {
    throw new Error('UPLOAD_LIMITER_URL cannot be used', { cause: error });
  });
  const scanner = scannerUrl
    ? await driverFor(scannerUrl, SCANNER_DRIVERS)(scannerUrl, { report })
    : undefined;
  const elapsedMs = () => performance.now();
  // Processes that share their limits share the quota too.
  const quota = await driverFor(limiterUrl, QUOTA_DRIVERS)(limiterUrl, {
    ...{ totalBytes: upload.quotaBytes, ownerBytes: upload.ownerBytes, bucketsOf: quotaBuckets },
    ...{ storage, elapsedMs, now: Date.now, report },
  });
  const now = createSteadyClock({ now: Date.now, elapsedMs, report });
  const stopSweeping = startSweeping({ storage, quota, report, now });

  return {
    uploads: createUploads({ storage, quota, maxBytes, now: Date.now, report, scanner }),
    limiter,
    usage: { stored: quota.stored, quotaBytes: upload.quotaBytes, freeBytes: () => storage.freeBytes() },
    async close() {
      await Promise.all([stopSweeping(), quota.close()]);
      await limiter.close();
      await storage.close();
    },
  };
}
