/** Registers a cleanup for the end: vitest's `onTestFinished` or `afterAll`. */
export type Defer = (undo: () => void | Promise<void>) => void;
