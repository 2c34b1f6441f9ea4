import type { StagedUpload, Storage } from '../../../../src/uploads/storage.ts';
import { usageOf } from '../../../support/uploads.ts';
import type { Turns } from '../turns.ts';
import type { KnownFiles } from './known-files.ts';

/** A storage whose operations wait for the turn of the process. The model learns of each as it happens. */
export function delayStorage(
  storage: Storage,
  { turns, name, known }: { turns: Turns; name: string; known: KnownFiles },
): Storage {
  const wait = <Value>(work: () => Value) => turns.wait(name, work);

  function delayStaged(staged: StagedUpload): StagedUpload {
    return {
      ...turns.delay(name, staged, ['discard']),
      publish: (id, description) =>
        wait(async () => {
          await staged.publish(id, description);
          known.publish(id, description);
        }),
    };
  }

  return {
    ...turns.delay(name, storage, ['open', 'sweep']),
    stage: (stream, options) => wait(async () => delayStaged(await storage.stage(stream, options))),
    remove: (id) =>
      wait(async () => {
        const isRemoved = await storage.remove(id);
        if (isRemoved) known.remove(id);
        return isRemoved;
      }),
    async *usage() {
      // A process that is killed leaves no open folder behind.
      for (const usage of await usageOf(storage)) {
        await wait(() => {});
        yield usage;
      }
    },
  };
}
