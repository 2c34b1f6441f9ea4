import { occupiedBytes, type UploadDescription } from '../../../domain/upload.ts';
import { DamagedFileError, type RemovalMark } from '../../storage.ts';
import { placeOf } from '../expiry-hour.ts';
import type { Bucket } from './bucket.ts';
import { parseKey, summaryKey } from './keys.ts';
import type { StagedObject } from './staged-object.ts';

/** The object that makes a file visible. */
export interface Manifest {
  /** Key of the bytes. */
  bytes: string;
  description: UploadDescription;
}

/** Replaces the manifest of a withdrawn file. */
interface WithdrawnManifest {
  mark: RemovalMark;
}

/** Files that are visible: each is a manifest, its bytes, and a summary. `label` names the bucket in errors. */
export function openPublishedFiles(bucket: Bucket, label: string) {
  const removing = new Set<string>();

  /** Throws DamagedFileError. */
  async function find(id: string): Promise<Manifest | WithdrawnManifest | undefined> {
    const key = placeOf(id);
    const json = key && (await bucket.get(key));
    return json ? parseManifest(json.toString(), `${label}${key}`) : undefined;
  }

  async function writeManifest(key: string, manifest: Manifest | WithdrawnManifest): Promise<void> {
    await bucket.put(key, Buffer.from(JSON.stringify(manifest)));
  }

  async function removeInOrder(keys: string[]): Promise<void> {
    for (const key of keys) await bucket.remove([key]);
  }

  /** Removes bytes and summary. Finds the bytes by the summary, which stays until they are gone, even after a crash. */
  async function removeBytes(id: string): Promise<void> {
    for await (const { objects } of bucket.list(`${placeOf(id)}.`)) {
      for (const { key } of objects) {
        const { summary } = parseKey(key) ?? {};
        if (summary) await removeInOrder([summary.bytes, key]);
      }
    }
  }

  /** Removes all objects of a file, the summary last: by the summary, a sweep finds what an interrupted removal leaves. */
  async function retract(id: string, manifest: Manifest): Promise<void> {
    const { key, summary } = keysOf(id, manifest);
    await removeInOrder([key, manifest.bytes, summary]);
  }

  async function remove(id: string): Promise<boolean> {
    const manifest = await find(id);
    if (!manifest || 'mark' in manifest) return false;
    await retract(id, manifest);
    return true;
  }

  return {
    find,
    retract,

    /** Makes bytes visible under an id. `object`: the staged object of the bytes, where it is not complete yet. */
    async publish(id: string, manifest: Manifest, object?: StagedObject): Promise<void> {
      const { key, summary } = keysOf(id, manifest);
      // The summary is written before the bytes are complete, so that a sweep finds them even after a crash.
      await Promise.all([bucket.put(summary, Buffer.alloc(0)), object?.flush()]);
      await object?.complete();
      await writeManifest(key, manifest);
    },

    /** S3 does not report whether an object existed, so of concurrent calls in this process only the first is true. */
    async remove(id: string): Promise<boolean> {
      if (removing.has(id)) return false;
      removing.add(id);
      try {
        return await remove(id);
      } finally {
        removing.delete(id);
      }
    },

    async withdraw(id: string, mark: RemovalMark): Promise<boolean> {
      const key = placeOf(id);
      if (key === undefined || !(await bucket.get(key))) return false;
      await writeManifest(key, { mark });
      await removeBytes(id);
      return true;
    },
  };
}

function keysOf(id: string, { bytes, description }: Manifest) {
  const key = placeOf(id) ?? '';
  return { key, summary: summaryKey(key, { ...description, size: occupiedBytes(description), bytes }) };
}

function parseManifest(json: string, label: string): Manifest | WithdrawnManifest {
  try {
    return JSON.parse(json);
  } catch {
    throw new DamagedFileError(label);
  }
}
