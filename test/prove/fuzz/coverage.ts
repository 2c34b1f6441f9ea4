import { Session } from 'node:inspector/promises';

/** Finds the blocks of code that run. */
export interface Coverage {
  /** Resolves with the blocks that have run since the last call. */
  take(): Promise<Set<string>>;
  /** Ends the observation. Further calls do nothing. */
  close(): Promise<void>;
}

/** Observes the files whose URL matches. V8 counts per block, which costs some speed. */
export async function openCoverage(files: RegExp): Promise<Coverage> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  let isOpen = true;
  return {
    async take() {
      const { result } = await session.post('Profiler.takePreciseCoverage');
      const scripts = result.filter(({ url }) => files.test(url));
      const blocks = scripts.flatMap(({ url, functions }) =>
        functions.flatMap(({ ranges }) => ranges.map((range) => ({ url, ...range }))),
      );
      const run = blocks.filter(({ count }) => count > 0);
      return new Set(run.map(({ url, startOffset, endOffset }) => `${url} ${startOffset} ${endOffset}`));
    },
    async close() {
      if (isOpen) await session.post('Profiler.stopPreciseCoverage');
      if (isOpen) session.disconnect();
      isOpen = false;
    },
  };
}
