import type { Readable } from 'node:stream';
import type { ReceivedUpload, Sender, SenderClaims } from '../../uploads/publish.ts';
import type { Uploads } from '../../uploads/uploads.ts';

/** Begins to receive the files of one request, of which there is at least one: all of them are published, or none. */
export async function receiveFiles(
  uploads: Uploads,
  sender: Sender,
  { declaredBytes, envelopeBytes }: { declaredBytes: number | undefined; envelopeBytes: number },
) {
  const first = await uploads.receive(sender, declaredBytes, envelopeBytes);
  const opened = [Promise.resolve(first)];
  /** The one whose bytes arrive, and how many bytes of the request had arrived before them. */
  let current = { upload: first, from: 0 };
  let arrived = 0;
  let staged = 0;
  let isOver = false;

  /** Parsers announce several small files at once. Each is opened after the one before. */
  function openNext(): (typeof opened)[number] {
    const next = opened.at(-1)!.then(() => uploads.receive(sender));
    opened.push(next);
    return next.then((upload) => {
      current = { upload, from: arrived };
      return upload;
    });
  }

  return {
    /** Reserves space as bytes of the request arrive; rejects as the `reserve` of an upload does. */
    reserve(arrivedBytes: number): Promise<void> | undefined {
      arrived = arrivedBytes;
      return current.upload.reserve(arrived - current.from);
    },
    /** Stages a file to its end. Rejects as the `stage` of an upload does. */
    async stage(stream: Readable): Promise<void> {
      if (isOver) throw new Error('The request is over.');
      staged += 1;
      const upload = staged === 1 ? first : await openNext();
      await upload.stage(stream);
    },
    /** Publishes the files in the order in which they were staged. A failure removes those that are published already. */
    async publish(claims: readonly SenderClaims[], expiresAt: number): Promise<ReceivedUpload[]> {
      const published: ReceivedUpload[] = [];
      try {
        for (const [index, claim] of claims.entries()) {
          published.push(await (await opened[index]!).publish(claim, expiresAt));
        }
        return published;
      } catch (error) {
        // What cannot be removed expires; nobody knows its address.
        await Promise.allSettled(published.map(({ id, deleteKey }) => uploads.remove(id, deleteKey)));
        throw error;
      }
    },
    /** Has to be called in any case: discards what is staged, and releases the space. */
    async close(): Promise<void> {
      isOver = true;
      await Promise.allSettled(opened.map(async (upload) => (await upload).close()));
    },
  };
}
