import { performance } from 'node:perf_hooks';
import { driverFor } from '../domain/driver-url.ts';
import type { Report } from '../domain/operational-event.ts';
import { countStored } from '../uploads/count-stored.ts';
import type { Limiter } from '../uploads/limiter.ts';
import { quotaBuckets } from '../uploads/limiter-keys.ts';
import { LIMITER_DRIVERS } from '../uploads/limiters/drivers.ts';
import { createQuota, type Quota } from '../uploads/quota.ts';
import { createResumableUploads, type ResumableUploads } from '../uploads/resumable.ts';
import { createSteadyClock } from '../uploads/steady-clock.ts';
import { STORAGE_DRIVERS } from '../uploads/storage/drivers.ts';
import type { Storage } from '../uploads/storage.ts';
import { startSweeping } from '../uploads/sweep.ts';
import { createUploads, type Uploads } from '../uploads/uploads.ts';
import type { Config } from './config.ts';

/** The uploads, wired. */
interface UploadJob {
  uploads: Uploads;
  resumable: ResumableUploads;
  limiter: Limiter;
  /** What the gauges of the storage are read from. */
  usage: { stored: Quota['stored']; quotaBytes: number; freeBytes: Storage['freeBytes'] };
  close(): Promise<void>;
}

export async function openUploadJob({ upload }: Config, report: Report): Promise<UploadJob> {
  const { storageUrl, limiterUrl, rateWindowMs: windowMs, maxBytes } = upload;
  const storage = await driverFor(storageUrl, STORAGE_DRIVERS)(storageUrl, { clock: Date.now, report });
  const limiter = await driverFor(limiterUrl, LIMITER_DRIVERS)(limiterUrl, {
    windowMs,
    now: () => performance.now(),
    report,
  }).catch((error: unknown) => {
    throw new Error('UPLOAD_LIMITER_URL cannot be used', { cause: error });
  });
  const quota = createQuota({
    totalBytes: upload.quotaBytes,
    ownerBytes: upload.ownerBytes,
    bucketsOf: quotaBuckets,
  });
  const now = createSteadyClock({ now: Date.now, elapsedMs: () => performance.now(), report });
  const stopSweeping = startSweeping({ storage, quota, report, now });
  const stopCounting = countStored({ storage, quota, report, before: Date.now() });

  const receiving = { storage, quota, maxBytes, now: Date.now, report };
  const elapsedMs = () => performance.now();
  return {
    uploads: createUploads(receiving),
    resumable: createResumableUploads({ ...receiving, resumeTtlMs: upload.resumeTtlMs, elapsedMs }),
    limiter,
    usage: { stored: quota.stored, quotaBytes: upload.quotaBytes, freeBytes: () => storage.freeBytes() },
    async close() {
      await Promise.all([stopSweeping(), stopCounting()]);
      await limiter.close();
      await storage.close();
    },
  };
}
