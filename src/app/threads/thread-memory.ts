import { hash } from 'node:crypto';
import type { Memory } from '../../store/memory.ts';
import type { ThreadContext } from './run-thread.ts';

/** What the runs of a thread have noted last, by name, as JSON in UTF-8. The supervisor keeps it and hands it to the next run. */
export type Notes = Map<string, Uint8Array>;

/** Opens the memory of a thread, which outlives it. Only what has changed is sent to the main thread, without a copy. */
export function openThreadMemory({ notes, post }: Pick<ThreadContext, 'notes' | 'post'>): Memory {
  const digests = new Map<string, string>();
  return {
    recall(name) {
      const bytes = notes?.get(name);
      return bytes && JSON.parse(new TextDecoder().decode(bytes));
    },
    note(name, value) {
      const bytes = new TextEncoder().encode(JSON.stringify(value));
      const digest = hash('sha256', bytes, 'base64url');
      if (digest === digests.get(name)) return;
      digests.set(name, digest);
      post({ type: 'note', name, bytes }, [bytes.buffer]);
    },
  };
}
