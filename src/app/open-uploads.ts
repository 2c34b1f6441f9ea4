import { performance } from 'node:perf_hooks';
import { adapterFor } from '../domain/adapter-url.ts';
import type { Report } from '../domain/report.ts';
import { countStored } from '../uploads/count-stored.ts';
import type { Limiter } from '../uploads/limiter.ts';
import { ownerShares } from '../uploads/limiter-keys.ts';
import { LIMITER_SCHEMES } from '../uploads/limiters/schemes.ts';
import { createQuota, type Quota } from '../uploads/quota.ts';
import { createUploads, type Uploads } from '../uploads/receive.ts';
import { createSteadyClock } from '../uploads/steady-clock.ts';
import { STORAGE_SCHEMES } from '../uploads/storage/schemes.ts';
import type { Storage } from '../uploads/storage.ts';
import { startSweeping } from '../uploads/sweep.ts';
import type { Config } from './config.ts';

/** The job of the uploads, wired. */
export interface UploadJob {
  uploads: Uploads;
  limiter: Limiter;
  /** How full the store is. */
  usage: { stored: Quota['stored']; quotaBytes: number; freeBytes: Storage['freeBytes'] };
  close(): Promise<void>;
}

export async function openUploadJob({ upload }: Config, report: Report): Promise<UploadJob> {
  const { storageUrl, limiterUrl, rateWindowMs: windowMs, maxBytes } = upload;
  const storage = await adapterFor(storageUrl, STORAGE_SCHEMES)(storageUrl, { clock: Date.now, report });
  const limiter = await adapterFor(limiterUrl, LIMITER_SCHEMES)(limiterUrl, {
    windowMs,
    now: () => performance.now(),
    report,
  }).catch((error: unknown) => {
    throw new Error('UPLOAD_LIMITER_URL cannot be used', { cause: error });
  });
  const quota = createQuota({
    totalBytes: upload.quotaBytes,
    ownerBytes: upload.ownerBytes,
    sharesOf: ownerShares,
  });
  const now = createSteadyClock({ now: Date.now, elapsedMs: () => performance.now(), report });
  const stopSweeping = startSweeping({ storage, quota, report, now });
  const stopCounting = countStored({ storage, quota, report, before: Date.now() });

  return {
    uploads: createUploads({ storage, quota, maxBytes, now: Date.now, report }),
    limiter,
    usage: { stored: quota.stored, quotaBytes: upload.quotaBytes, freeBytes: () => storage.freeBytes() },
    async close() {
      await Promise.all([stopSweeping(), stopCounting()]);
      await limiter.close();
      await storage.close();
    },
  };
}
