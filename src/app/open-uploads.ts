import { randomBytes } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import type { DependencyChecks } from '../domain/dependency.ts';
import { driverFor } from '../domain/driver-url.ts';
import type { Report } from '../domain/operational-event.ts';
import { HOUR_MS } from '../domain/units.ts';
import { RESUME_LIMIT } from '../http/uploads/limit-rate.ts';
import { quotaBuckets } from '../uploads/buckets.ts';
import type { Limiter } from '../uploads/limiter.ts';
import { LIMITER_DRIVERS } from '../uploads/limiters/drivers.ts';
import { openMemoryLimiter } from '../uploads/limiters/memory.ts';
import { followModeration, type Moderation } from '../uploads/moderation/follow-moderation.ts';
import { createReports, type Reports } from '../uploads/moderation/reports.ts';
import type { Quota } from '../uploads/quota.ts';
import { QUOTA_DRIVERS } from '../uploads/quotas/drivers.ts';
import { createResumableUploads, type ResumableUploads } from '../uploads/resumable.ts';
import { SCANNER_DRIVERS } from '../uploads/scanners/drivers.ts';
import { createSteadyClock } from '../uploads/steady-clock.ts';
import { STORAGE_DRIVERS } from '../uploads/storage/drivers.ts';
import type { Storage } from '../uploads/storage.ts';
import { startSweeping } from '../uploads/sweep.ts';
import { createUploads, type Uploads } from '../uploads/uploads.ts';
import type { Config } from './config.ts';

/** The window in which the reports of an address are limited. */
const REPORT_WINDOW_MS = HOUR_MS;

/** The uploads with their limits and moderation. */
interface UploadJob {
  uploads: Uploads;
  resumable: ResumableUploads;
  limiter: Limiter;
  moderation: Moderation;
  reports: Reports;
  /** Limits how often an address may report files. */
  reportLimiter: Limiter;
  /** Limits how often an address may ask about its resumable uploads. It protects this process, which counts alone. */
  resumeLimiter: Limiter;
  /** What the gauges of the storage are read from. */
  usage: { stored: Quota['stored']; quotaBytes: number; freeBytes: Storage['freeBytes'] };
  /** One for each dependency that is configured. */
  checks: DependencyChecks;
  close(): Promise<void>;
}

export async function openUploadJob({ upload }: Config, report: Report): Promise<UploadJob> {
  const { storageUrl, limiterUrl, scannerUrl, maxBytes } = upload;
  const storage = await driverFor(storageUrl, STORAGE_DRIVERS)(storageUrl, { clock: Date.now, report });
  const limiter = await openLimiter(limiterUrl, upload.rateWindowMs, report);
  const reportLimiter = await openLimiter(limiterUrl, REPORT_WINDOW_MS, report);
  const scanner = scannerUrl
    ? await driverFor(scannerUrl, SCANNER_DRIVERS)(scannerUrl, { report })
    : undefined;
  const elapsedMs = () => performance.now();
  // Processes that share their limits share the quota too.
  const quota = await driverFor(limiterUrl, QUOTA_DRIVERS)(limiterUrl, {
    totalBytes: upload.quotaBytes,
    ownerBytes: upload.ownerBytes,
    bucketsOf: quotaBuckets,
    storage,
    elapsedMs,
    now: Date.now,
    report,
  });
  const now = createSteadyClock({ now: Date.now, elapsedMs, report });
  const stopSweeping = startSweeping({ storage, quota, report, now });
  const receiver = randomBytes(4).toString('hex');
  const moderation = followModeration({
    storage,
    report,
    startedAt: Date.now(),
    elapsedMs,
    onRemoved: ({ usage, removedAt, ...notice }) =>
      quota.forget(usage, { isOwn: notice.receiver === receiver, removedAt }),
  });
  const receiving = {
    storage,
    quota,
    maxBytes,
    scanner,
    now: Date.now,
    report,
    blocks: moderation.blocks,
    receiver,
  };
  return {
    uploads: createUploads(receiving),
    resumable: createResumableUploads({ ...receiving, resumeTtlMs: upload.resumeTtlMs, elapsedMs }),
    limiter,
    moderation,
    reports: createReports({ records: storage.records, now: Date.now, report }),
    reportLimiter,
    resumeLimiter: openMemoryLimiter({ windowMs: RESUME_LIMIT.windowMs, elapsedMs, maxArrivals: Infinity }),
    usage: { stored: quota.stored, quotaBytes: upload.quotaBytes, freeBytes: () => storage.freeBytes() },
    checks: {
      storage: storage.check,
      ...(limiter.check && { limiter: limiter.check }),
      ...(quota.check && { quota: quota.check }),
      ...(scanner && { scanner: scanner.check }),
    },
    async close() {
      await Promise.all([stopSweeping(), quota.close(), moderation.close()]);
      await Promise.all([limiter.close(), reportLimiter.close()]);
      await storage.close();
    },
  };
}

function openLimiter(url: string, windowMs: number, report: Report): Promise<Limiter> {
  const options = { windowMs, elapsedMs: () => performance.now(), report };
  return driverFor(url, LIMITER_DRIVERS)(url, options).catch((error: unknown) => {
    throw new Error('UPLOAD_LIMITER_URL cannot be used', { cause: error });
  });
}
