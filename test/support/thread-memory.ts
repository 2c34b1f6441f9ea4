import type { Memory } from '../../src/store/memory.ts';

/** A memory for several runs of a thread one after the other, through JSON as between threads. */
export function createMemory(): Memory {
  const notes = new Map<string, string>();
  return {
    recall(name) {
      const text = notes.get(name);
      return text === undefined ? undefined : JSON.parse(text);
    },
    note: (name, value) => void notes.set(name, JSON.stringify(value)),
  };
}
