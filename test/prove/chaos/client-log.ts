import { errorCode } from '../../../src/domain/errors.ts';
import { type FaultKind, type Journal, PROCESS_FAULTS, REDIS_FAULTS, S3_FAULTS } from './journal.ts';

/** An answer, or how a request failed without one. */
interface Noted {
  origin: 'listing' | 'uploads';
  /** What was done: `poll`, `whole`, `tus`, … */
  what: string;
  status?: number;
  error?: unknown;
  /** When the request began, ms since 1970. */
  from: number;
  detail?: string;
}

export interface ClientLog {
  /** Successful requests, by what was done. */
  good: Record<string, number>;
  /** Failures that a fault explains, and failures that none explains, by what was done and how it failed. */
  explained: Record<string, number>;
  unexplained: Record<string, number>;
  note(noted: Noted): void;
}

/** The listing is answered from memory: neither Redis nor S3 explains an error of it. */
function causesOf({ origin, status }: Noted): FaultKind[] {
  if (status !== undefined && ![502, 503, 504].includes(status)) return [];
  if (origin === 'uploads' && status === 503) return [...PROCESS_FAULTS, ...REDIS_FAULTS, ...S3_FAULTS];
  return PROCESS_FAULTS;
}

/** Sorts the results of requests. Every request is valid, so each status from 400 on needs a fault that explains it. */
export function openClientLog(journal: Journal): ClientLog {
  const log: ClientLog = { good: {}, explained: {}, unexplained: {}, note };

  function note(noted: Noted): void {
    const { origin, what, status, error, from, detail } = noted;
    const add = (to: Record<string, number>, key: string) => {
      to[key] = (to[key] ?? 0) + 1;
    };
    if (status !== undefined && status < 400) {
      add(log.good, `${origin} ${what}`);
      return;
    }
    const to = Date.now();
    // Another request of the same upload may still be writing, so the client has to try again later.
    const isAskedToWait = status === 423 && what.startsWith('tus');
    const isExplained = isAskedToWait || journal.explains(causesOf(noted), from, to);
    const how = status ?? errorCode(error) ?? String(error);
    add(isExplained ? log.explained : log.unexplained, `${origin} ${what}: ${how}`);
    journal.write('clients', { origin, what, how, tookMs: to - from, isExplained, detail });
  }

  return log;
}
