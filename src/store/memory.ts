/**
 * What a process knows of its store beyond the run of one thread. The store may lose its data while the thread is started again:
 * what an earlier run knew is then written back, as by any other process.
 */
export interface Memory {
  /** What an earlier run noted last under this name; undefined in the first run. */
  recall<Value>(name: string): Value | undefined;
  /** Keeps a value that can be written as JSON, in place of the one before. */
  note(name: string, value: object): void;
}

/** For a process that ends with its only thread. */
export const NO_MEMORY: Memory = { recall: () => undefined, note() {} };
