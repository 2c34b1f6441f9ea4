import {
  occupiedBytes,
  parseUploadIds,
  type UploadDescription,
  type UploadId,
} from '../../../domain/upload.ts';
import { DamagedFileError, type RemovalMark } from '../../storage.ts';
import { placeOf } from '../expiry-hour.ts';
import { inFolder } from '../objects.ts';
import type { Bucket } from './bucket.ts';
import { parseKey, REMOVING, summaryKey } from './keys.ts';
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

/** What is to be removed, without bytes and description for a damaged file, and the mark that takes its place, if any. */
interface Removal extends Partial<Manifest> {
  mark?: RemovalMark;
}

/** Files that are visible: each is a manifest, its bytes, and a summary. `label` names the bucket in errors. */
export function openPublishedFiles(bucket: Bucket, label: string) {
  async function read<Content>(key: string): Promise<Content | undefined> {
    const json = await bucket.get(key);
    if (!json) return undefined;
    try {
      return JSON.parse(json.toString());
    } catch {
      throw new DamagedFileError(`${label}${key}`);
    }
  }

  const write = (key: string, content: Manifest | WithdrawnManifest | Removal) =>
    bucket.put(key, Buffer.from(JSON.stringify(content)));

  /** Throws DamagedFileError. */
  const find = (id: UploadId) => read<Manifest | WithdrawnManifest>(placeOf(id));
  const findRemoval = (id: UploadId) => read<Removal>(`${REMOVING}${id}`);

  /** Removes all objects of a file, the manifest first. By the summary, a sweep finds what is left when it has expired. */
  async function retract(id: UploadId, manifest: Manifest): Promise<void> {
    const { key, summary } = keysOf(id, manifest);
    for (const one of [key, manifest.bytes, summary]) await bucket.remove([one]);
  }

  /** Each step can be repeated, by any process. The note of the removal is last: by it, a sweep finishes the rest. */
  async function carryOut(id: UploadId, removal: Removal): Promise<void> {
    const { bytes, description, mark } = removal;
    const key = placeOf(id);
    if (mark) await write(key, { mark });
    else await bucket.remove([key]);
    const summaries = bytes && description ? [keysOf(id, { bytes, description })] : await listSummaries(id);
    for (const one of summaries) for (const left of [one.bytes, one.summary]) await bucket.remove([left]);
    await bucket.remove([`${REMOVING}${id}`]);
  }

  async function listSummaries(id: UploadId) {
    const found: { bytes: string; summary: string }[] = [];
    for await (const key of bucket.list(`${placeOf(id)}.`))
      found.push({ bytes: parseKey(key)?.summary?.bytes ?? key, summary: key });
    return found;
  }

  /** Notes the removal of a file before anything of it is removed. */
  async function begin(id: UploadId, removal: Removal): Promise<void> {
    await write(`${REMOVING}${id}`, removal);
    await carryOut(id, removal);
  }

  async function* removingIds(): AsyncGenerator<UploadId, void> {
    yield* parseUploadIds(await Array.fromAsync(inFolder(bucket, REMOVING).list('')));
  }

  return {
    find,
    findRemoval,
    removingIds,
    retract,

    /** Makes bytes visible under an id. `object`: the staged object of the bytes. */
    async publish(id: UploadId, manifest: Manifest, object: StagedObject): Promise<void> {
      const { key, summary } = keysOf(id, manifest);
      // The summary is written before the bytes are complete, so that a sweep finds them even after a crash.
      await Promise.all([bucket.put(summary, Buffer.alloc(0)), object.flush()]);
      await object.complete();
      await write(key, manifest);
    },

    async remove(id: UploadId): Promise<boolean> {
      const manifest = await find(id);
      if (manifest && 'mark' in manifest) return false;
      if (manifest) await begin(id, manifest);
      const removal = manifest ?? (await findRemoval(id));
      if (removal && !manifest) await carryOut(id, removal);
      return removal !== undefined;
    },

    async withdraw(id: UploadId, mark: RemovalMark): Promise<boolean> {
      const found = await find(id).catch((error: unknown) => {
        if (error instanceof DamagedFileError) return {};
        throw error;
      });
      const removal = found && 'mark' in found ? await findRemoval(id) : found;
      if (removal) await begin(id, { ...removal, mark });
      else if (found) await write(placeOf(id), { mark });
      return found !== undefined;
    },

    /** Finishes the removals that were interrupted. Resolves with the ids of their files. */
    async finishRemovals(): Promise<UploadId[]> {
      const finished: UploadId[] = [];
      for await (const id of removingIds()) {
        const removal = await findRemoval(id);
        if (removal) await carryOut(id, removal);
        finished.push(id);
      }
      return finished;
    },
  };
}

function keysOf(id: UploadId, { bytes, description }: Manifest) {
  const key = placeOf(id);
  return {
    key,
    bytes,
    summary: summaryKey(key, { ...description, size: occupiedBytes(description), bytes }),
  };
}
