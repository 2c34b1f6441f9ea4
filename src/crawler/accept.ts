import { renameInSnapshot } from '../belief/renames.ts';
import type { Change } from '../domain/event.ts';
import { UNKNOWN_TIME } from '../domain/ledger.ts';
import { changedAt, type Snapshot } from '../domain/snapshot.ts';
import type { DueTimes, LastReading, Status, UsedMirrors } from '../store/source-status.ts';
import type { Attempt } from './attempt.ts';
import type { MirrorResult } from './mirrors.ts';
import { nextListing } from './next-listing.ts';
import { dateReading } from './reading-time.ts';
import { noteMirrors } from './used-mirrors.ts';

/** What a good crawl and a good peek both update. */
export interface GoodRead {
  reading: LastReading;
  mirrors: UsedMirrors;
  due: DueTimes;
  changedAt: number;
}

/**
 * Writes the believed part of a reading, and in the same step the status from `toStatus`. Reports omitted cards, unless
 * the reading is pending.
 */
export async function accept(
  attempt: Attempt,
  result: Omit<MirrorResult, 'repairs'>,
  toStatus: (good: GoodRead) => Status,
): Promise<{ snapshot: Snapshot; changes: Change[] }> {
  const { store, lease, known, status, times, report, now } = attempt;
  const { verdict, asked = [], renames = [], mirror } = result;
  if (verdict) status.belief = verdict.memory;
  if (verdict && !verdict.pending)
    for (const omission of verdict.omissions) report({ type: 'card-omitted', ...omission });

  const lastRead = dateReading(status, result, now());
  const reading = {
    at: now(),
    shownAt: lastRead.readAt ?? undefined,
    after: lastReadAt(status),
    silent: verdict?.silent,
    unnumbered: verdict?.unnumbered,
  };
  const base =
    known && renames.length > 0
      ? { ...known, snapshot: renameInSnapshot(known.snapshot, renames, now()) }
      : known;
  const { stored, changes } = nextListing(
    { listing: verdict?.listing, reading, pages: asked, renames, mirror },
    base,
  );
  if (!stored) throw new Error('a reading that is not pending has a listing');

  const { snapshot } = stored;
  const next = toStatus({
    reading: lastRead,
    mirrors: noteMirrors(attempt, result),
    due: { ...status.due, peekDueAt: times.nextPeek(snapshot) },
    changedAt: changedAt(snapshot),
  });
  const isNew = snapshot !== known?.snapshot;
  await store.write(lease, { status: next, listing: isNew ? stored : undefined });
  const { mirror: before } = status.mirrors;
  const { mirror: after } = next.mirrors;
  if (before && after && before !== after) report({ type: 'mirror-changed', from: before, to: after });
  return { snapshot, changes };
}

/** A clock that is behind does not say how long ago the last good reading was. Undefined before the first one. */
function lastReadAt({ clock, reading }: Status): number | undefined {
  return clock.behindSince === null ? (reading.readAt ?? undefined) : UNKNOWN_TIME;
}
