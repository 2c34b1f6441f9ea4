import { Counter, type Registry } from 'prom-client';
import { REPORT_REASONS } from '../../domain/file-report.ts';
import type { OperationalEvent } from '../../domain/operational-event.ts';
import { addGauge } from './gauge.ts';

/** Returns a function that counts received uploads, those that a limit refused, and scans. */
export function countUploads(registry: Registry) {
  const registers = [registry];
  const uploads = new Counter({ name: 'tayang_uploads_total', help: 'Files received.', registers });
  const bytes = new Counter({
    name: 'tayang_upload_bytes_total',
    help: 'Bytes of the files received.',
    registers,
  });
  const refused = new Counter({
    name: 'tayang_limiter_refusals_total',
    help: 'Uploads refused because their address sent too many, within the window or at once.',
    labelNames: ['limit'] as const,
    registers,
  });
  for (const limit of ['rate', 'concurrency']) refused.inc({ limit }, 0);
  const scans = new Counter({
    name: 'tayang_scans_total',
    help: 'Uploads passed to the malware scanner, by how that ended.',
    labelNames: ['outcome'] as const,
    registers,
  });
  for (const outcome of ['clean', 'found', 'failed']) scans.inc({ outcome }, 0);

  return (event: OperationalEvent): void => {
    if (event.type === 'limiter-refused') refused.inc({ limit: event.limit });
    if (event.type === 'upload-scanned') scans.inc({ outcome: event.outcome });
    if (event.type !== 'upload-received') return;
    uploads.inc();
    bytes.inc(event.size);
  };
}

/** Returns a function that counts reports of files, and uploads refused because their bytes or their sender are blocked. */
export function countModeration(registry: Registry) {
  const registers = [registry];
  const reports = new Counter({
    name: 'tayang_reports_total',
    help: 'Reports of files.',
    labelNames: ['reason'] as const,
    registers,
  });
  const blocked = new Counter({
    name: 'tayang_blocked_uploads_total',
    help: 'Uploads refused because their bytes or their address are blocked.',
    labelNames: ['by'] as const,
    registers,
  });
  for (const reason of REPORT_REASONS) reports.inc({ reason }, 0);
  for (const by of ['sha256', 'address']) blocked.inc({ by }, 0);

  return (event: OperationalEvent): void => {
    if (event.type === 'file-reported') reports.inc({ reason: event.reason });
    if (event.type === 'upload-blocked') blocked.inc({ by: event.by });
  };
}

/** What the gauges of the upload storage are read from. */
export interface StorageGauges {
  stored(): { bytes: number; files: number };
  quotaBytes: number;
  /** Infinity for a storage that does not report it. */
  freeBytes(): Promise<number>;
}

export function measureStorage(registry: Registry, { stored, quotaBytes, freeBytes }: StorageGauges): void {
  addGauge(
    registry,
    'tayang_stored_bytes',
    'Bytes of uploads that are stored or staged.',
    () => stored().bytes,
  );
  addGauge(registry, 'tayang_stored_files', 'Uploads stored.', () => stored().files);
  addGauge(registry, 'tayang_quota_bytes', 'Bytes that all uploads together may have.', () => quotaBytes);
  addGauge(registry, 'tayang_free_bytes', 'Bytes that are free where the uploads are stored.', freeBytes);
}
