import { expiryOf } from '../../domain/upload.ts';
import type { QuotaLimits, Usage } from '../quota.ts';
import { createExpirySchedule } from './expiry-schedule.ts';
import { createSums, type Sums } from './sums.ts';

/** How many removed files are remembered, so that removing one of them again releases nothing. */
const MAX_RELEASED = 1_000;

/** A file as it is counted. */
export type CountedFile = Pick<Usage, 'id' | 'owner' | 'size'>;

interface Tally {
  sums: Sums;
  schedule: ReturnType<typeof createExpirySchedule>;
}

/** The state of a recount. It has an entry for each file. */
interface Recount extends Tally {
  counted: Set<string>;
  removed: Set<string>;
}

export type StoredFiles = ReturnType<typeof createStoredFiles>;

/** What is stored, as this process knows it. A recount replaces that, and misses nothing that happens meanwhile. */
export function createStoredFiles(limits: QuotaLimits) {
  const createTally = (): Tally => ({ sums: createSums(limits), schedule: createExpirySchedule() });
  let known = createTally();
  let recount: Recount | undefined;
  /** The files that were removed last: the sender and the operator may remove one at the same time. */
  const released = new Set<string>();

  /** Returns false when the release of this file has been noted before. */
  function noteRelease(id: string): boolean {
    if (released.has(id)) return false;
    released.add(id);
    const [oldest = ''] = released;
    if (released.size > MAX_RELEASED) released.delete(oldest);
    return true;
  }

  /** Files that count already, and that a listing may miss because they are not visible yet. */
  const publishing = new Set<CountedFile>();

  function countAnew(file: CountedFile): void {
    if (!recount || recount.counted.has(file.id) || recount.removed.has(file.id)) return;
    recount.counted.add(file.id);
    addTo(recount, file);
  }

  function add(file: CountedFile): void {
    released.delete(file.id);
    addTo(known, file);
    countAnew(file);
  }

  /** Does nothing for a file that was removed before. `isKnown`: whether `known` includes it; a recount has its own list. */
  function remove(file: CountedFile, isKnown = true): void {
    if (!noteRelease(file.id)) return;
    if (isKnown) removeFrom(known, file);
    if (recount?.counted.delete(file.id)) removeFrom(recount, file);
    recount?.removed.add(file.id);
  }

  return {
    sums: () => known.sums,
    files: () => known.schedule.files(),
    add,
    remove,
    /** Counts a file and publishes it. Counts nothing when `makeVisible` rejects. */
    async publish(file: CountedFile, makeVisible: () => Promise<void>): Promise<void> {
      publishing.add(file);
      add(file);
      try {
        await makeVisible();
      } catch (error) {
        remove(file);
        throw error;
      } finally {
        publishing.delete(file);
      }
    },
    /** Releases the space of files that have expired. */
    expire(now: number): void {
      for (const { sums, schedule } of recount ? [known, recount] : [known])
        for (const [owner, bytes] of schedule.takeExpired(now)) sums.add(owner, -bytes);
    },
    /** Counts all files anew; what is known so far holds until the last one has been counted. */
    async recount(files: AsyncIterable<CountedFile>): Promise<void> {
      recount = { ...createTally(), counted: new Set(), removed: new Set() };
      try {
        for (const file of publishing) countAnew(file);
        for await (const file of files) countAnew(file);
        known = { sums: recount.sums, schedule: recount.schedule };
      } finally {
        recount = undefined;
      }
    },
  };
}

function addTo({ sums, schedule }: Tally, { id, owner, size }: CountedFile): void {
  sums.add(owner, size);
  schedule.add(owner, size, expiryOf(id) ?? 0);
}

function removeFrom({ sums, schedule }: Tally, { id, owner, size }: CountedFile): void {
  if (schedule.remove(owner, size, expiryOf(id) ?? 0)) sums.add(owner, -size);
}
