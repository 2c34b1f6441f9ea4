import { AppError } from '../domain/errors.ts';
import type { Report } from '../domain/operational-event.ts';
import type { Source, Visit } from '../source/source.ts';

export interface MirrorOptions {
  source: Source;
  /** Goes first: the mirror that served last time, configured or redirected to from one that is. */
  preferred: string | null;
  report: Report;
  signal: AbortSignal;
}

/** Where the source was read, and what its page 1 was. */
export interface Served {
  /** The origin that was asked, and the one that served. */
  asked: string;
  mirror: string;
  /** Digest of page 1 as it was read last. */
  firstPage: string;
}

/** Reads the first mirror on which `read` succeeds. When none does, throws the error of the first of them. */
export async function readFirstGood<Result>(
  { source, preferred, report, signal }: MirrorOptions,
  read: (visit: Visit) => Promise<Result>,
): Promise<Result & { asked: string }> {
  const mirrors = [...new Set([...(preferred ? [preferred] : []), ...source.mirrors])];
  const visit = source.beginCrawl(signal);
  let firstError: unknown;
  for (const mirror of mirrors) {
    try {
      report({ type: 'refresh-started', mirror });
      return { asked: mirror, ...(await read(visit(mirror))) };
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof AppError)) throw error;
      if (mirrors.length > 1) report({ type: 'mirror-failed', mirror, error });
      firstError ??= error;
    }
  }
  throw firstError;
}
