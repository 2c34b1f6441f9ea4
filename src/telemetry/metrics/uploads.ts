import { Counter, Gauge, type Registry } from 'prom-client';
import type { OperationalEvent } from '../../domain/operational-event.ts';

/** What came in, and what the limits turned away. */
export function measureUploads(registry: Registry) {
  const registers = [registry];
  const uploads = new Counter({ name: 'tayang_uploads_total', help: 'Files received.', registers });
  const bytes = new Counter({
    name: 'tayang_upload_bytes_total',
    help: 'Bytes of the files received.',
    registers,
  });
  const refused = new Counter({
    name: 'tayang_limiter_refusals_total',
    help: 'Uploads refused because their address sent too many, in a window or at once.',
    labelNames: ['limit'] as const,
    registers,
  });
  for (const limit of ['rate', 'concurrency']) refused.inc({ limit }, 0);

  return {
    report(event: OperationalEvent): void {
      if (event.type === 'limiter-refused') refused.inc({ limit: event.limit });
      if (event.type !== 'upload-received') return;
      uploads.inc();
      bytes.inc(event.bytes);
    },
  };
}

/** How full the store of the uploads is. */
export interface WatchedStorage {
  stored(): { bytes: number; files: number };
  quotaBytes: number;
  /** Infinity where nobody can tell. */
  freeBytes(): Promise<number>;
}

export function measureStorage(registry: Registry, { stored, quotaBytes, freeBytes }: WatchedStorage): void {
  const gauge = (name: string, help: string, read: () => number | Promise<number>) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        // A store that fails must not hide everything else that is measured.
        this.set(await Promise.resolve(read()).catch(() => Number.NaN));
      },
    });
  gauge('tayang_stored_bytes', 'Bytes of uploads stored and on their way.', () => stored().bytes);
  gauge('tayang_stored_files', 'Uploads stored.', () => stored().files);
  gauge('tayang_quota_bytes', 'The most bytes that all uploads may have.', () => quotaBytes);
  gauge('tayang_free_bytes', 'Room left where the uploads are stored.', freeBytes);
}
