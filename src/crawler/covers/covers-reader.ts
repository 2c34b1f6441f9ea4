import { setTimeout as sleep } from 'node:timers/promises';
import { animeLink } from '../../domain/anime-record.ts';
import type { CoverCount } from '../../domain/cover.ts';
import { AppError, isUnreachable } from '../../domain/errors.ts';
import type { Report } from '../../domain/operational-event.ts';
import type { Snapshot } from '../../domain/snapshot.ts';
import { DAY_MS, HOUR_MS } from '../../domain/units.ts';
import { RedirectedError, type Source } from '../../source/source.ts';
import { createAlarm } from '../../store/alarm.ts';
import { startLeasedJob } from '../../store/leased-job.ts';
import type { SnapshotStore } from '../../store/snapshot-store.ts';
import type { Lease } from '../../store/store.ts';
import type { CoverStore } from './cover-store.ts';
import { type DecodedCover, type Decoder, DecoderAbsent, openDecoder } from './decoder.ts';
import {
  type CoverRecord,
  type CoverRecords,
  findDueCovers,
  hostOf,
  keepKnown,
  listWanted,
  pathOf,
  type WantedCover,
} from './due-covers.ts';
import { createHostPauses } from './host-pauses.ts';

/** How often it looks whether a cover is due, where the store does not change. */
const LOOK_EVERY_MS = 15_000;
const BUSY_POLL_MS = 100;
/** So many are read, then written at once: each write makes a new edition. */
const MAX_BATCH = 10;
/** What was read is written after this time, also where others are slow. */
const MAX_BATCH_MS = 10_000;
/** Where the process that decodes does not start, it is tried again after an hour; without its library, after a day. */
const START_PAUSE_MS = HOUR_MS;
const LIBRARY_PAUSE_MS = DAY_MS;

export interface CoversOptions {
  store: SnapshotStore;
  covers: CoverStore;
  /** Loads the modules that read the source when the first cover is due. */
  source: () => Promise<Source>;
  /** Whether this process reads the lists, or the pages of anime: they come first. */
  isBusy: () => boolean;
  timeZone: string;
  report: Report;
  /** Wall clock, ms since 1970. */
  now: () => number;
  /** By default a process of its own. */
  openDecoder?: () => Decoder;
}

/**
 * Reads covers in the background, one after the other, in one process of those that share a store. A failure affects
 * only the cover, and is no trouble of the source. Returns the function that aborts a reading under way and waits for
 * its end.
 */
export function startCoversReader(options: CoversOptions): () => Promise<void> {
  const { store, covers, report } = options;
  const readBatch = createCoverBatchReader(options);

  async function work(lease: Lease, signal: AbortSignal, noteStart: () => void): Promise<void> {
    const alarm = createAlarm(store, LOOK_EVERY_MS, signal);
    try {
      // The previous process may have written just before it released the lease.
      await Promise.all([store.readListing(), covers.load()]);
      while (!signal.aborted && (await lease.isHeld())) {
        const didRead = await readBatch(lease, signal);
        noteStart();
        if (!didRead) await alarm.wait();
      }
    } finally {
      alarm.stop();
    }
  }

  return startLeasedJob({ store, name: 'covers', doing: 'reading covers', work, report });
}

/** Returns a function that reads some of the covers that are due and writes them; it resolves with whether it has tried any. */
export function createCoverBatchReader(
  options: CoversOptions,
): (lease: Lease, signal: AbortSignal) => Promise<boolean> {
  const { store, covers, source, isBusy, timeZone, report, now } = options;
  const pauses = createHostPauses(now);
  let rereads: number[] = [];
  let absentUntil = 0;

  function listDue(snapshot: Snapshot, records: CoverRecords): WantedCover[] {
    if (now() < absentUntil) return [];
    const wanted = listWanted(snapshot, timeZone, now());
    pauses.keepOnly(wanted.map(({ address }) => hostOf(address)));
    return findDueCovers(wanted, records, { rereads, isPaused: pauses.isPaused }, now());
  }

  async function readOne(
    { slug, address }: WantedCover,
    mirror: string,
    decoder: Decoder,
    signal: AbortSignal,
  ): Promise<DecodedCover | undefined> {
    try {
      const { readPicture } = await source();
      const bytes = await readPicture(address, animeLink(mirror, slug), signal);
      pauses.noteAnswer(hostOf(address));
      return await decoder.decode(bytes);
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof AppError)) throw error;
      if (isOfHost(error)) pauses.noteFailure(hostOf(address), error.retryAfterMs);
      report({ type: 'cover-failed', slug, error });
      return undefined;
    }
  }

  /** Reads the given covers, as far as there is time. Adds the result of each to `records`. */
  async function readSome(
    due: readonly WantedCover[],
    records: Record<string, CoverRecord>,
    mirror: string,
    signal: AbortSignal,
  ): Promise<DecodedCover[]> {
    const decoder = (options.openDecoder ?? openDecoder)();
    const pictures: DecodedCover[] = [];
    const startedAt = now();
    try {
      for (const one of due) {
        while (isBusy()) await sleep(BUSY_POLL_MS, undefined, { signal });
        if (pauses.isPaused(hostOf(one.address))) continue;
        const before = records[one.slug];
        if (before) rereads = [...rereads.filter((at) => at > now() - DAY_MS), now()];
        const picture = await readOne(one, mirror, decoder, signal);
        if (picture) pictures.push(picture);
        records[one.slug] = recordOf(one, before, picture, now());
        if (now() - startedAt > MAX_BATCH_MS) break;
      }
    } catch (error) {
      if (!(error instanceof DecoderAbsent)) throw error;
      absentUntil = now() + (error.isLasting ? LIBRARY_PAUSE_MS : START_PAUSE_MS);
      report({ type: 'covers-absent', error });
    } finally {
      decoder.close();
    }
    return pictures;
  }

  return async (lease, signal) => {
    const snapshot = store.known().listing?.snapshot;
    if (!snapshot) return false;
    const stored = covers.records();
    const records: Record<string, CoverRecord> = { ...keepKnown(stored, snapshot, now()) };
    const hasForgotten = Object.keys(stored).some((slug) => !records[slug]);
    const { health, mirrors } = await store.readStatus();
    const { mirror } = mirrors;
    // While the lists cannot be read, neither can these.
    const due = health.state === 'ok' && mirror ? listDue(snapshot, records).slice(0, MAX_BATCH) : [];
    if (due.length === 0 && !hasForgotten) return false;
    await store.requireWritable();
    const pictures = due.length > 0 ? await readSome(due, records, mirror ?? '', signal) : [];
    await covers.write(lease, records, pictures);
    if (pictures.length > 0) report({ type: 'covers-read', count: pictures.length });
    return due.length > 0;
  };
}

/** The record of a cover after a try. If it failed, the last copy stays. */
function recordOf(
  { address }: WantedCover,
  before: CoverRecord | undefined,
  picture: DecodedCover | undefined,
  now: number,
): CoverRecord {
  const path = pathOf(address);
  const kept = before?.kept;
  if (!picture) {
    const failures = before?.path === path ? before.failures + 1 : 1;
    return { ...(kept && { kept }), path, triedAt: now, failures };
  }
  const { hash, small, large } = picture;
  const fresh = {
    hash,
    small: { width: small.width, height: small.height },
    large: { width: large.width, height: large.height },
    keptAt: now,
  };
  return { kept: kept?.hash === hash ? kept : fresh, path, triedAt: now, failures: 0 };
}

/** Whether the host refuses or is away. A picture that is not there says nothing of the next one. */
function isOfHost(error: AppError): boolean {
  return isUnreachable(error) && !(error instanceof RedirectedError);
}

/** How many covers of the anime that are listed or remembered are kept. */
export function countCovers(
  records: CoverRecords,
  snapshot: Snapshot,
  timeZone: string,
  now: number,
): CoverCount {
  const wanted = listWanted(snapshot, timeZone, now).map(({ slug }) => records[slug]);
  return {
    known: wanted.filter((record) => record?.kept).length,
    missing: wanted.filter((record) => !record).length,
    failed: wanted.filter((record) => record && record.failures > 0).length,
  };
}
