import { stageUpload } from '../../src/uploads/storage/staged-upload.ts';
import type { Storage } from '../../src/uploads/storage.ts';

/** What a receiver needs of a storage: it notes what happens to the uploads, and keeps no bytes. */
export function openFakeStorage(clock: () => number) {
  const calls: string[] = [];
  const fake = {
    calls,
    free: Number.POSITIVE_INFINITY,
    onDiscard: async () => {},
    onPublish: async () => {},
  };
  const storage: Pick<Storage, 'stage' | 'freeBytes'> = {
    freeBytes: async () => fake.free,
    stage: (stream, options) =>
      stageUpload(
        stream,
        {
          append: async (chunk) => void calls.push(`append ${chunk}`),
          async publish(_id, { originalname }) {
            calls.push(`publish ${originalname}`);
            await fake.onPublish();
          },
          async discard() {
            calls.push('discard');
            await fake.onDiscard();
          },
        },
        clock,
        options,
      ),
  };
  return Object.assign(fake, { storage: storage as Storage });
}
