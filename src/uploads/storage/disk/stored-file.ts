import { open } from 'node:fs/promises';
import { copyUnpooled } from '../../../domain/unpooled-copy.ts';
import type { UploadDescription } from '../../../domain/upload.ts';
import { DamagedFileError, type RemovalMark, RemovedFileError, type StoredFile } from '../../storage.ts';
import { unlessMissing } from '../errors.ts';
import { createHotFiles } from './hot-files.ts';
import { type ReadRange, readFully } from './read-range.ts';

/*
 * A stored file consists of the bytes, the description as JSON, and the length of that JSON. One rename publishes both
 * and one unlink removes both; and because the bytes come first, ranges need no offset. A withdrawn file is replaced by one
 * of the same form, with no bytes and with the removal mark in place of the description.
 */

/** The length is an unsigned 32-bit number, big-endian. */
const LENGTH_BYTES = 4;
/** What `openFile` reads at once: the description, and all of a small file. */
const OPEN_BYTES = 64 * 1024;
/** What `describeFile` reads at once; enough for nearly every description. */
const DESCRIPTION_BYTES = 2 * 1024;

export function encodeFooter(content: UploadDescription | RemovalMark): Buffer {
  const json = Buffer.from(JSON.stringify(content));
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32BE(json.length);
  return Buffer.concat([json, length]);
}

/** Undefined when there is no such file, or it was withdrawn. Throws DamagedFileError. */
export async function describeFile(path: string): Promise<UploadDescription | undefined> {
  const stored = await readEnd(path, DESCRIPTION_BYTES);
  return stored && 'description' in stored ? stored.description : undefined;
}

/** Returns a function that opens files. Undefined when there is no such file. Throws DamagedFileError and RemovedFileError. */
export function createFileOpener(readRange: ReadRange) {
  const hotFiles = createHotFiles();

  return async (path: string): Promise<StoredFile | undefined> => {
    const hot = await hotFiles.get(path);
    if (hot) return hot;
    const stored = await readEnd(path, OPEN_BYTES);
    if (!stored) return undefined;
    if ('mark' in stored) throw new RemovedFileError(stored.mark);
    const { description, stats } = stored;
    const bytes = stored.bytes && copyUnpooled(stored.bytes);
    const file: StoredFile = {
      description,
      async read({ start, end } = { start: 0, end: description.size - 1 }) {
        return bytes ? bytes.subarray(start, end + 1) : readRange(path, { start, end });
      },
    };
    if (bytes) hotFiles.add(path, stats, file);
    return file;
  };
}

/** Reads the last `atOnceBytes` of a file, and more if the description is longer. `bytes`: all of a file that is smaller. */
async function readEnd(path: string, atOnceBytes: number) {
  await using handle = await unlessMissing(open(path));
  if (!handle) return undefined;
  const stats = await handle.stat();
  const total = stats.size;
  const readLast = (length: number) => readFully(handle, total - length, length);

  let tail = await readLast(Math.min(total, atOnceBytes));
  if (total <= LENGTH_BYTES) throw new DamagedFileError(path);
  const jsonBytes = tail.readUInt32BE(tail.length - LENGTH_BYTES);
  const footerBytes = jsonBytes + LENGTH_BYTES;
  if (footerBytes > total) throw new DamagedFileError(path);
  if (footerBytes > tail.length) tail = await readLast(footerBytes);

  const json = tail.toString('utf8', tail.length - footerBytes, tail.length - LENGTH_BYTES);
  const content = parseFooter(json);
  if (content && 'removedAt' in content) return { mark: content };
  const description = content;
  if (description?.size !== total - footerBytes) throw new DamagedFileError(path);
  const bytes = tail.length === total ? tail.subarray(0, description.size) : undefined;
  return { description, bytes, stats };
}

function parseFooter(json: string): UploadDescription | RemovalMark | undefined {
  try {
    const content = JSON.parse(json);
    return typeof content === 'object' && content !== null ? content : undefined;
  } catch {
    return undefined;
  }
}
