import { randomBytes } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { driverFor } from '../domain/driver-url.ts';
import type { Report } from '../domain/operational-event.ts';
import { countStored } from '../uploads/count-stored.ts';
import type { Limiter } from '../uploads/limiter.ts';
import { quotaBuckets } from '../uploads/limiter-keys.ts';
import { LIMITER_DRIVERS } from '../uploads/limiters/drivers.ts';
import { followModeration, type Moderation } from '../uploads/moderation/follow-moderation.ts';
import { isCountedBy } from '../uploads/moderation/removal-notice.ts';
import { createReports, type Reports } from '../uploads/moderation/reports.ts';
import { createQuota, type Quota } from '../uploads/quota.ts';
import { createSteadyClock } from '../uploads/steady-clock.ts';
import { STORAGE_DRIVERS } from '../uploads/storage/drivers.ts';
import type { Storage } from '../uploads/storage.ts';
import { startSweeping } from '../uploads/sweep.ts';
import { createUploads, type Uploads } from '../uploads/uploads.ts';
import type { Config } from './config.ts';

/** Reports of files are limited by the hour. */
const REPORT_WINDOW_MS = 3_600_000;

/** The uploads, wired. */
interface UploadJob {
  uploads: Uploads;
  limiter: Limiter;
  moderation: Moderation;
  reports: Reports;
  /** Limits how often an address may report files. */
  reportLimiter: Limiter;
  /** What the gauges of the storage are read from. */
  usage: { stored: Quota['stored']; quotaBytes: number; freeBytes: Storage['freeBytes'] };
  close(): Promise<void>;
}

export async function openUploadJob({ upload }: Config, report: Report): Promise<UploadJob> {
  const { storageUrl, maxBytes } = upload;
  const storage = await driverFor(storageUrl, STORAGE_DRIVERS)(storageUrl, { clock: Date.now, report });
  const limiter = await openLimiter(upload.limiterUrl, upload.rateWindowMs, report);
  const reportLimiter = await openLimiter(upload.limiterUrl, REPORT_WINDOW_MS, report);
  const quota = createQuota({
    totalBytes: upload.quotaBytes,
    ownerBytes: upload.ownerBytes,
    bucketsOf: quotaBuckets,
  });
  const elapsedMs = () => performance.now();
  const now = createSteadyClock({ now: Date.now, elapsedMs, report });
  const stopSweeping = startSweeping({ storage, quota, report, now });
  const startedAt = Date.now();
  const receiver = randomBytes(4).toString('hex');
  const moderation = followModeration({
    ...{ storage, report, startedAt, elapsedMs },
    onRemoved: (notice) => {
      if (isCountedBy(notice, { receiver, startedAt })) quota.forget(notice.usage);
    },
  });
  const stopCounting = countStored({ storage, quota, report, before: startedAt });
  const received = { maxBytes, blocks: moderation.blocks, receiver };

  return {
    uploads: createUploads({ storage, quota, ...received, now: Date.now, report }),
    limiter,
    moderation,
    reports: createReports({ records: storage.records, now: Date.now, report }),
    reportLimiter,
    usage: { stored: quota.stored, quotaBytes: upload.quotaBytes, freeBytes: () => storage.freeBytes() },
    async close() {
      await Promise.all([stopSweeping(), stopCounting(), moderation.close()]);
      await Promise.all([limiter.close(), reportLimiter.close()]);
      await storage.close();
    },
  };
}

function openLimiter(url: string, windowMs: number, report: Report): Promise<Limiter> {
  const options = { windowMs, now: () => performance.now(), report };
  return driverFor(url, LIMITER_DRIVERS)(url, options).catch((error: unknown) => {
    throw new Error('UPLOAD_LIMITER_URL cannot be used', { cause: error });
  });
}
