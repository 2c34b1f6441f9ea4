/** Registers what is to be undone at the end: vitest's `onTestFinished`, or `afterAll`. */
export type Defer = (undo: () => void | Promise<void>) => void;
