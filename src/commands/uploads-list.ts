import { inBatches } from '../domain/serial.ts';
import type { UploadDescription } from '../domain/upload.ts';
import { isExpired, type UploadId } from '../domain/upload-id.ts';
import { type AddressRange, createRangeMatcher } from '../network/ip-address.ts';
import { reportedId, reportNames } from '../uploads/moderation/reports.ts';
import { isAway } from '../uploads/storage/errors.ts';
import { RemovedFileError, type Storage, type Usage } from '../uploads/storage.ts';

/** The conditions that a listed file fulfils. */
export interface FileFilter {
  isReported: boolean;
  range: AddressRange | undefined;
  /** `image` or `image/png`. */
  mediaType: string | undefined;
  /** The file has more bytes than this. */
  largerThan: number | undefined;
}

export interface ListedFile {
  id: UploadId;
  description: UploadDescription;
  /** How often it was reported. */
  reports: number;
}

/**
 * Yields the files that match, newest first. It reads descriptions only as long as the caller wants more files, and
 * calls `onUnreadable` for a file that is damaged or unreadable, and goes on with the others.
 */
export async function* listFiles(
  storage: Storage,
  filter: FileFilter,
  now: number,
  onUnreadable: (id: UploadId, error: unknown) => void,
): AsyncGenerator<ListedFile, void> {
  const reports = await countReports(storage);
  const usage = await Array.fromAsync(storage.usage());
  const found = usage.filter(({ id }) => !isExpired(id, now) && (!filter.isReported || reports.has(id)));
  found.sort((a, b) => b.uploadedAt - a.uploadedAt);
  /** Without a description for a file that is gone by now. */
  const describe = async ({ id }: Usage) => {
    const file = await storage.open(id).catch((error: unknown) => {
      if (isAway(error)) throw error;
      if (!(error instanceof RemovedFileError)) onUnreadable(id, error);
    });
    return { id, description: file?.description };
  };
  for await (const { id, description } of inBatches(found, describe))
    if (description && matches(description, filter)) yield { id, description, reports: reports.get(id) ?? 0 };
}

function matches(
  { address = '', size, mediaType }: UploadDescription,
  { range, mediaType: wanted, largerThan = -1 }: FileFilter,
): boolean {
  const [essence = ''] = mediaType.split(';');
  const isType = wanted === undefined || essence === wanted || essence.startsWith(`${wanted}/`);
  return isType && size > largerThan && (!range || createRangeMatcher([range])(address));
}

async function countReports({ records }: Storage): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (const id of (await reportNames(records)).map(reportedId)) counts.set(id, (counts.get(id) ?? 0) + 1);
  return counts;
}
