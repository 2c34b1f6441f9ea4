import { occupiedBytes, type UploadDescription, type UploadId } from '../../../domain/upload.ts';
import type { RemovalMark } from '../../storage.ts';
import { placeOf } from '../objects.ts';
import { summaryKey } from './keys.ts';

/** The object that makes a file visible: this as JSON and, after a line end, the bytes where they are no object of their own. */
export interface Manifest {
  /** Key of the bytes. */
  bytes?: string | undefined;
  description: UploadDescription;
}

/** What takes the place of a file that was withdrawn. */
export type Withdrawn = { mark: RemovalMark };

type Damaged = { isDamaged: true };

export function parseManifest(json: string): Manifest | Withdrawn | Damaged {
  try {
    return JSON.parse(json);
  } catch {
    return { isDamaged: true };
  }
}

export function requireWhole(manifest: Manifest | Damaged): asserts manifest is Manifest {
  if ('isDamaged' in manifest) throw new Error('The description of a stored file is damaged.');
}

export function summaryOf(id: UploadId, { bytes, description }: Manifest): string {
  return summaryKey(placeOf(id), { ...description, size: occupiedBytes(description), bytes });
}

/** The keys of the bytes, where they are an object of their own, and of the summary. */
export function keysBeside(id: UploadId, manifest: Manifest): string[] {
  return [manifest.bytes, summaryOf(id, manifest)].filter((key) => key !== undefined);
}
