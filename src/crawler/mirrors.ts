import { AppError } from '../domain/errors.ts';
import type { Report } from '../domain/operational-event.ts';
import type { CrawlMemory, SelectorRepair, Source, Visit } from '../source/source.ts';
import { explainRepair } from './selector-repairs.ts';

export interface MirrorOptions {
  source: Source;
  /** The mirror to try first: the one that served last, configured or redirected to from a configured one. */
  preferred: string | null;
  /** What the selectors of the pages can be repaired from; undefined before the first snapshot. */
  memory: CrawlMemory | undefined;
  report: Report;
  signal: AbortSignal;
}

/** The mirror that the source was read from, and its page 1. */
export interface MirrorResult {
  /** The origin that the requests went to, and the one that served: another one after a redirect. */
  askedMirror: string;
  mirror: string;
  /** Digest of page 1 as it was read last. */
  firstPage: string;
  /** The selectors that the pages were read by in place of the written ones. */
  repairs: SelectorRepair[];
}

/** Reads the first mirror on which `read` succeeds. When none does, throws the error of the first mirror. */
export async function readFirstGood<Result>(
  { source, preferred, memory, report, signal }: MirrorOptions,
  read: (visit: Visit) => Promise<Result>,
): Promise<Result & Pick<MirrorResult, 'askedMirror' | 'repairs'>> {
  const mirrors = [...new Set([...(preferred ? [preferred] : []), ...source.mirrors])];
  const begin = source.beginCrawl(signal, memory);
  let firstError: unknown;
  for (const mirror of mirrors) {
    let visit: Visit | undefined;
    try {
      report({ type: 'refresh-started', mirror });
      visit = begin(mirror);
      const result = await read(visit);
      return { askedMirror: mirror, repairs: visit.repaired().repairs, ...result };
    } catch (cause) {
      signal.throwIfAborted();
      if (!(cause instanceof AppError)) throw cause;
      const error = visit ? explainRepair(cause, visit.repaired()) : cause;
      if (mirrors.length > 1) report({ type: 'mirror-failed', mirror, error });
      firstError ??= error;
    }
  }
  throw firstError;
}
