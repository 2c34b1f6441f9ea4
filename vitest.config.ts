import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Real servers and real files: a machine with two slow cores needs its time.
    testTimeout: 20_000,
    hookTimeout: 30_000,
    // Many tests wait: one more than there are cores, on the machine that this is run on most.
    maxWorkers: 3,
    // The default, said so that the summary's last line is not advice about it.
    isolate: true,
    // Names under .example are of this machine, in every thread: a source with a public name can be answered for.
    execArgv: ['--import', new URL('test/faults/names.ts', import.meta.url).href],
    reporters: ['default'],
  },
});
