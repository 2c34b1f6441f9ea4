import { expiryOf } from '../../domain/upload.ts';
import type { QuotaLimits, Usage } from '../quota.ts';
import { createExpirySchedule } from './expiry-schedule.ts';
import { createSums, type Sums } from './sums.ts';

/** A file as it is counted. */
export type CountedFile = Pick<Usage, 'id' | 'owner' | 'size'>;

interface Tally {
  sums: Sums;
  schedule: ReturnType<typeof createExpirySchedule>;
}

/** State while files are counted anew: it has an entry for each of them. */
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

  function countAnew(file: CountedFile): void {
    if (!recount || recount.counted.has(file.id) || recount.removed.has(file.id)) return;
    recount.counted.add(file.id);
    addTo(recount, file);
  }

  return {
    sums: () => known.sums,
    files: () => known.schedule.files(),
    add(file: CountedFile): void {
      addTo(known, file);
      countAnew(file);
    },
    /** `isKnown`: whether this process counts the file; a recount knows by itself. */
    remove(file: CountedFile, isKnown = true): void {
      if (isKnown) removeFrom(known, file);
      if (recount?.counted.delete(file.id)) removeFrom(recount, file);
      recount?.removed.add(file.id);
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
