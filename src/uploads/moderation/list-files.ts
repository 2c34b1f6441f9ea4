import { inBatches } from '../../domain/serial.ts';
import { isExpired, type UploadDescription, type UploadId } from '../../domain/upload.ts';
import { RemovedFileError, type Storage } from '../storage.ts';
import { reportedId, reportNames } from './reports.ts';

export interface ListedFile {
  id: UploadId;
  description: UploadDescription;
  /** How often it was reported. */
  reports: number;
}

/** Yields the files, newest first. It reads their descriptions only as long as the caller wants more files. */
export async function* listFiles(storage: Storage, now: number): AsyncGenerator<ListedFile, void> {
  const reports = await countReports(storage);
  const usage = await Array.fromAsync(storage.usage());
  const found = usage.filter(({ id }) => !isExpired(id, now));
  found.sort((a, b) => b.uploadedAt - a.uploadedAt);
  for await (const { id, description } of inBatches(found, ({ id }) => describe(storage, id)))
    if (description) yield { id, description, reports: reports.get(id) ?? 0 };
}

async function countReports({ records }: Storage): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (const id of (await reportNames(records)).map(reportedId)) counts.set(id, (counts.get(id) ?? 0) + 1);
  return counts;
}

/** Resolves without a description for a file that is gone by now. */
async function describe(storage: Storage, id: UploadId) {
  const file = await storage.open(id).catch((error: unknown) => {
    if (error instanceof RemovedFileError) return undefined;
    throw error;
  });
  return { id, description: file?.description };
}
