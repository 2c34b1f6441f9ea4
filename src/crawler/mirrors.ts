import { AppError } from '../domain/errors.ts';
import type { Report } from '../domain/operational-event.ts';
import type { CrawlMemory, SelectorRepair, Source, Visit } from '../source/source.ts';
import { PendingReading } from './belief/pending.ts';
import { explainRepair } from './selector-repairs.ts';

export interface MirrorOptions {
  source: Source;
  /** The origins to try, in this order. */
  mirrors: readonly string[];
  /** What the selectors of the pages can be repaired from; undefined before the first snapshot. */
  repairMemory: CrawlMemory | undefined;
  /** Whether a page 1 of that time was built before the one that is believed. */
  isOlder: (builtAt: number | undefined) => boolean;
  report: Report;
  signal: AbortSignal;
}

/** The mirror that the source was read from, and its page 1. */
export interface MirrorResult {
  /** The origin that the requests went to, and the one that served: another one after a redirect. */
  askedMirror: string;
  mirror: string;
  /** Digest of page 1 as it was read last, and when the source built it. */
  firstPage: string;
  builtAt: number | undefined;
  /** The selectors that the pages were read by in place of the written ones. */
  repairs: SelectorRepair[];
  /** The origins that failed before, or have an older page 1 than what is believed. */
  failed: string[];
}

/**
 * Reads the first mirror on which `read` succeeds with a page 1 that is not older than what is believed; else the one with
 * the youngest. When none succeeds, throws a pending reading, else the error of the first mirror.
 */
export async function readFirstGood<Result extends Pick<MirrorResult, 'builtAt'>>(
  { source, mirrors, repairMemory, isOlder, report, signal }: MirrorOptions,
  read: (visit: Visit) => Promise<Result>,
): Promise<Result & Pick<MirrorResult, 'askedMirror' | 'repairs' | 'failed'>> {
  const begin = source.beginCrawl(signal, repairMemory);
  const errors: AppError[] = [];
  const failed: string[] = [];
  const older: (Result & Pick<MirrorResult, 'askedMirror' | 'repairs'>)[] = [];
  for (const mirror of mirrors) {
    let visit: Visit | undefined;
    try {
      report({ type: 'refresh-started', mirror });
      visit = begin(mirror);
      const found = await read(visit);
      const result = { ...found, askedMirror: mirror, repairs: visit.repaired().repairs };
      if (!isOlder(result.builtAt)) return { ...result, failed };
      older.push(result);
    } catch (cause) {
      signal.throwIfAborted();
      if (!(cause instanceof AppError)) throw cause;
      const isPending = cause instanceof PendingReading;
      const error = visit && !isPending ? explainRepair(cause, visit.repaired()) : cause;
      if (mirrors.length > 1) report({ type: 'mirror-failed', mirror, error });
      errors.push(error);
    }
    failed.push(mirror);
  }
  const [youngest] = older.toSorted((one, other) => (other.builtAt ?? 0) - (one.builtAt ?? 0));
  if (youngest) return { ...youngest, failed: failed.filter((one) => one !== youngest.askedMirror) };
  throw errors.find((error) => error instanceof PendingReading) ?? errors[0];
}
