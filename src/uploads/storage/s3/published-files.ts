import {
  isExpired,
  occupiedBytes,
  parseUploadIds,
  type UploadDescription,
  type UploadId,
} from '../../../domain/upload.ts';
import type { RemovalMark, Usage } from '../../storage.ts';
import { expiryHourOf, inFolder, isExpiryHour, placeOf } from '../objects.ts';
import type { Bucket } from './bucket.ts';
import { parseKey, REMOVING, summaryKey } from './keys.ts';

/** The object that makes a file visible. */
interface Manifest {
  /** Key of the bytes. */
  bytes: string;
  description: UploadDescription;
}

/** Replaces the manifest of a withdrawn file. */
interface WithdrawnManifest {
  mark: RemovalMark;
}

/** What is to be removed beside the manifest, and the mark that takes its place, if any. */
interface Removal {
  keys: string[];
  mark: RemovalMark | undefined;
}

export type PublishedFiles = ReturnType<typeof openPublishedFiles>;

/** Files that are visible: each is a manifest, its bytes, and a summary. They are in folders by the UTC hour of their expiry. */
export function openPublishedFiles(bucket: Bucket) {
  async function read<Content>(key: string): Promise<Content | undefined> {
    const json = await bucket.get(key);
    return json && JSON.parse(json.toString());
  }

  const write = (key: string, content: Manifest | WithdrawnManifest | Removal) =>
    bucket.put(key, Buffer.from(JSON.stringify(content)));

  const find = (id: UploadId) => read<Manifest | WithdrawnManifest>(placeOf(id));
  const findRemoval = (id: UploadId) => read<Removal>(`${REMOVING}${id}`);

  /** Makes a file invisible. */
  async function hide(id: UploadId, { mark }: Removal): Promise<void> {
    await (mark ? write(placeOf(id), { mark }) : bucket.remove([placeOf(id)]));
  }

  async function removeRest(id: UploadId, { keys }: Removal): Promise<void> {
    for (const key of [...keys, `${REMOVING}${id}`]) await bucket.remove([key]);
  }

  /** Yields the hours of the bucket, sorted. */
  async function* hours(): AsyncGenerator<string, void> {
    for await (const { folders } of bucket.pages('', true))
      yield* folders.map((name) => name.slice(0, -1)).filter(isExpiryHour);
  }

  /** Removes all of an hour that is over. Keys are sorted by expiry, so it stops at the first files that have not expired. */
  async function sweepHour(hour: string, now: number): Promise<number> {
    const isOver = hour < expiryHourOf(now);
    let removed = 0;
    for await (const { objects } of bucket.pages(`${hour}/`)) {
      const parsed = objects.map(({ key }) => ({ key, ...parseKey(key) }));
      const due = parsed.filter(({ id }) => isOver || (id !== undefined && isExpired(id, now)));
      await bucket.remove(due.map(({ key, summary }) => summary?.bytes ?? key));
      // Summaries come last, so that the next sweep finds what an interrupted one leaves.
      await bucket.remove(due.filter(({ summary }) => summary).map(({ key }) => key));
      removed += due.filter(({ id, summary }) => id !== undefined && !summary).length;
      if (due.length < objects.length) break;
    }
    return removed;
  }

  return {
    find,

    /** Writes the summary of a file whose bytes are not complete yet, so that a sweep finds them even after a crash. */
    async announce(id: UploadId, manifest: Manifest): Promise<void> {
      const [, summary = ''] = keysBeside(id, manifest);
      await bucket.put(summary, Buffer.alloc(0));
    },
    /** Makes bytes visible under an id. */
    publish: (id: UploadId, manifest: Manifest): Promise<void> => write(placeOf(id), manifest),

    /** Removes what a publication has left that failed. By the summary, a sweep finds it when it has expired. */
    async retract(id: UploadId, manifest: Manifest): Promise<void> {
      for (const key of [placeOf(id), ...keysBeside(id, manifest)]) await bucket.remove([key]);
    },

    /** Notes what is to be removed before it removes anything, so that a sweep finishes what this cannot. */
    async remove(id: UploadId, mark?: RemovalMark): Promise<boolean> {
      const found = await find(id);
      if (!found || ('mark' in found && !mark)) return false;
      const keys = 'mark' in found ? ((await findRemoval(id))?.keys ?? []) : keysBeside(id, found);
      const removal = { keys, mark };
      await write(`${REMOVING}${id}`, removal);
      await hide(id, removal);
      await removeRest(id, removal).catch(() => {});
      return true;
    },

    /** Finishes the removals that were interrupted. Resolves with the ids of their files. */
    async finishRemovals(): Promise<UploadId[]> {
      const ids = parseUploadIds(await Array.fromAsync(inFolder(bucket, REMOVING).list('')));
      for (const id of ids) {
        const removal = await findRemoval(id);
        if (!removal) continue;
        await hide(id, removal);
        await removeRest(id, removal);
      }
      return ids;
    },

    /** Removes files that have expired, by listings alone, and resolves with their number. */
    async sweep(now: number): Promise<number> {
      let removed = 0;
      for await (const hour of hours()) {
        if (hour > expiryHourOf(now)) break;
        removed += await sweepHour(hour, now);
      }
      return removed;
    },

    /** A description is listed right before its summary. A summary without one belongs to a file that is not visible. */
    async *usage(): AsyncGenerator<Usage, void> {
      let described: UploadId | undefined;
      for await (const hour of hours()) {
        for await (const key of bucket.list(`${hour}/`)) {
          const { id, summary } = parseKey(key) ?? {};
          if (!summary) described = id;
          else if (id !== undefined && id === described) {
            const { owner, size, uploadedAt } = summary;
            yield { id, owner, size, uploadedAt };
          }
        }
      }
    },
  };
}

/** The keys of the bytes and of the summary. */
function keysBeside(id: UploadId, { bytes, description }: Manifest): string[] {
  return [bytes, summaryKey(placeOf(id), { ...description, size: occupiedBytes(description), bytes })];
}
