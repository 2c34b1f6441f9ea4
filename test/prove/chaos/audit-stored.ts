import { setTimeout as sleep } from 'node:timers/promises';
import { openS3Storage } from '../../../src/uploads/storage/s3.ts';
import { scrape } from '../../support/metrics.ts';
import type { SupervisedProcess } from './supervised-process.ts';

/** Files stored or removed while Redis was away are counted correctly within a minute; files that expire take one more. */
const MAX_MS = 120_000;
const POLL_MS = 3_000;

interface Sum {
  files: number;
  bytes: number;
}

/** Compares what the processes count with what is in the bucket. Resolves with the differences that last. */
export async function auditStored(
  bucket: string,
  processes: readonly SupervisedProcess[],
): Promise<string[]> {
  const storage = await openS3Storage(bucket);

  async function sumBucket(): Promise<Sum> {
    const sizes = new Map<string, number>();
    for (const usages of [storage.usage(), storage.resumable.usage()])
      for await (const { id, size } of usages) sizes.set(id, (sizes.get(id) ?? 0) + size);
    return { files: sizes.size, bytes: [...sizes.values()].reduce((sum, size) => sum + size, 0) };
  }

  async function countedBy({ operations }: SupervisedProcess): Promise<Sum> {
    const { sample } = await scrape(operations);
    return { files: sample('tayang_stored_files') ?? -1, bytes: sample('tayang_stored_bytes') ?? -1 };
  }

  async function findMiscounts(): Promise<string[]> {
    const real = await sumBucket();
    const counted = await Promise.all(processes.map(countedBy));
    return counted.flatMap(({ files, bytes }, index) =>
      files === real.files && bytes === real.bytes
        ? []
        : [`process ${index + 1}: ${files} files, ${bytes} bytes of ${real.files}, ${real.bytes}`],
    );
  }

  try {
    const until = Date.now() + MAX_MS;
    let wrong = await findMiscounts();
    while (wrong.length > 0 && Date.now() < until) {
      await sleep(POLL_MS);
      wrong = await findMiscounts();
    }
    return wrong;
  } finally {
    await storage.close();
  }
}
