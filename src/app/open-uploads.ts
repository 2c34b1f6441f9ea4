import { once } from 'node:events';
import { performance } from 'node:perf_hooks';
import type { Report } from '../domain/operational-event.ts';
import { untilSuccess } from '../domain/serial.ts';
import { driverFor } from '../domain/setting-url.ts';
import { HOUR_MS } from '../domain/units.ts';
import { RESUME_LIMIT } from '../http/uploads/limit-rate.ts';
import { openMemoryWindow } from '../network/memory-window.ts';
import { createCollections } from '../uploads/collections/collections.ts';
import { removeStorageCopyMark } from '../uploads/copy/copy-mark.ts';
import type { LedgerOptions } from '../uploads/ledger.ts';
import { LIMITER_DRIVERS, type Limits } from '../uploads/limiters/drivers.ts';
import { followModeration } from '../uploads/moderation/follow-moderation.ts';
import { createReporting } from '../uploads/moderation/reports.ts';
import { createQuota } from '../uploads/quota.ts';
import { createResumableUploads } from '../uploads/resumable/resumable-uploads.ts';
import { SCANNER_DRIVERS } from '../uploads/scanners/drivers.ts';
import { createSteadyClock } from '../uploads/steady-clock.ts';
import { STORAGE_DRIVERS } from '../uploads/storage/drivers.ts';
import type { Storage } from '../uploads/storage.ts';
import { startSweeping } from '../uploads/sweep.ts';
import { createUploads } from '../uploads/uploads.ts';
import type { Config } from './config.ts';
import { CHECK_TIMEOUT_MS } from './dependency-check.ts';

/** How soon a mark that could not be removed is tried again. */
const COPY_MARK_RETRY_MS = 5_000;
/** The window in which the reports of an address are limited. */
const REPORT_WINDOW_MS = HOUR_MS;

/** Opens the uploads with their limits and moderation. */
export async function openUploadJob({ upload }: Config, report: Report) {
  const { storageUrl, limiterUrl, scannerUrl, maxBytes } = upload;
  const elapsedMs = () => performance.now();
  const steadyNow = createSteadyClock(Date.now, elapsedMs, report);
  const storage = await driverFor(storageUrl, STORAGE_DRIVERS)(storageUrl);
  await prepareStorage(storage);
  const stopRemovingMark = untilSuccess(() => removeStorageCopyMark(storage.records), COPY_MARK_RETRY_MS);
  const scanner = scannerUrl
    ? await driverFor(scannerUrl, SCANNER_DRIVERS)(scannerUrl, { report })
    : undefined;
  const limits = await openLimits(limiterUrl, { storage, elapsedMs, report });
  const { quotaBytes, ownerBytes } = upload;
  const quota = createQuota({ ledger: limits.ledger, storage, totalBytes: quotaBytes, ownerBytes });
  const sweeping = startSweeping({ storage, quota, report, now: steadyNow });
  const moderation = followModeration({ storage, elapsedMs, report, onRemoved: quota.release });
  const receiving = {
    storage,
    quota,
    maxBytes,
    scanner,
    now: Date.now,
    steadyNow,
    report,
    blocks: moderation.blocks,
  };
  const uploads = createUploads(receiving);
  return {
    uploads,
    collections: createCollections({ ...receiving, uploads }),
    resumable: createResumableUploads({ ...receiving, resumeTtlMs: upload.resumeTtlMs, elapsedMs }),
    limiter: limits.openWindow(upload.rateWindowMs),
    /** Counts the uploads under way. */
    slots: limits.ledger,
    moderation,
    reportFile: createReporting(storage.records, Date.now, report),
    /** Limits how often an address may report files. */
    reportLimiter: limits.openWindow(REPORT_WINDOW_MS),
    /** Limits how often an address may ask about its resumable uploads. It protects this process, which counts alone. */
    resumeLimiter: openMemoryWindow({ windowMs: RESUME_LIMIT.windowMs, elapsedMs }),
    /** What the metrics measure. */
    measured: {
      stored: quota.stored,
      quotaBytes,
      free: storage.free,
      unswept: sweeping.failing,
      reports: sweeping.waitingReports,
    },
    /** One for each dependency that is configured. */
    checks: { storage: storage.check, ...limits.checks, ...(scanner && { scanner: scanner.check }) },
    async close(): Promise<void> {
      stopRemovingMark();
      await Promise.all([sweeping.stop(), limits.close(), moderation.close()]);
      await storage.close();
    },
  };
}

/**
 * Checks the storage once, which creates the folders of a disk at the first start; a folder that is missing later is a failure.
 * If the storage does not work, the regular checks report it, so this waits no longer than they do.
 */
async function prepareStorage(storage: Storage): Promise<void> {
  const timeout = AbortSignal.timeout(CHECK_TIMEOUT_MS);
  await Promise.race([storage.check(timeout).catch(() => {}), once(timeout, 'abort')]);
}

function openLimits(url: string, options: LedgerOptions): Promise<Limits> {
  return driverFor(url, LIMITER_DRIVERS)(url, options).catch((error: unknown) => {
    throw new Error('UPLOAD_LIMITER_URL cannot be used', { cause: error });
  });
}
