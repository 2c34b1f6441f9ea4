import { inBatches } from '../../domain/serial.ts';
import { isExpired, type UploadDescription, type UploadId } from '../../domain/upload.ts';
import { type AddressRange, overlaps } from '../ip-address.ts';
import { DamagedFileError, RemovedFileError, type Storage, type Usage } from '../storage.ts';
import { reportedId, reportNames } from './reports.ts';

/** The conditions that a listed file fulfils. */
export interface FileFilter {
  isReported?: boolean;
  range?: AddressRange | undefined;
  /** `image` or `image/png`. */
  mediaType?: string | undefined;
  /** The file has more bytes than this. */
  largerThan?: number | undefined;
}

export interface ListedFile {
  id: UploadId;
  description: UploadDescription;
  /** How often it was reported. */
  reports: number;
}

/**
 * Yields the files that match the filter, newest first. It reads the descriptions only of files that may match, and only as
 * long as the caller wants more files.
 */
export async function* listFiles(
  storage: Storage,
  filter: FileFilter,
  now: number,
): AsyncGenerator<ListedFile, void> {
  const reports = await countReports(storage);
  const found: Usage[] = [];
  for await (const usage of storage.usage()) if (mayMatch(usage, filter, reports, now)) found.push(usage);
  found.sort((a, b) => b.uploadedAt - a.uploadedAt);
  for await (const { id, description } of inBatches(found, ({ id }) => describe(storage, id))) {
    if (description && matches(description, filter)) {
      yield { id, description, reports: reports.get(id) ?? 0 };
    }
  }
}

async function countReports({ records }: Storage): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (const id of (await reportNames(records)).map(reportedId)) counts.set(id, (counts.get(id) ?? 0) + 1);
  return counts;
}

/** Whether a file may match, by its usage alone. An owner is the address or the network of the sender. */
function mayMatch(
  { id, owner, size }: Usage,
  { isReported, range, largerThan = -1 }: FileFilter,
  reports: Map<string, number>,
  now: number,
): boolean {
  if (isExpired(id, now) || size <= largerThan) return false;
  if (isReported && !reports.has(id)) return false;
  return !range || overlaps(range, owner);
}

function matches(
  { address = '', size, mediaType }: UploadDescription,
  { range, mediaType: wanted = '', largerThan = -1 }: FileFilter,
): boolean {
  const [essence = ''] = mediaType.split(';');
  const isType = wanted === '' || essence === wanted || essence.startsWith(`${wanted}/`);
  return isType && size > largerThan && (!range || overlaps(range, address));
}

/** Resolves without a description for a file that is gone by now, or damaged. */
async function describe(storage: Storage, id: UploadId) {
  const file = await storage.open(id).catch((error: unknown) => {
    if (error instanceof RemovedFileError || error instanceof DamagedFileError) return undefined;
    throw error;
  });
  return { id, description: file?.description };
}
