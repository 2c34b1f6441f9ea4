import { hash } from 'node:crypto';
import type { Memory } from '../../store/memory.ts';
import type { ThreadContext } from './run-thread.ts';

/** The latest notes of a thread, by name, as JSON in UTF-8. The supervisor hands them to its next run. */
export type Notes = Map<string, Uint8Array>;

/** Opens the memory of a thread, which outlives it. Only changed notes are sent to the main thread, without a copy. */
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
