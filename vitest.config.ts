import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Real servers and real files: a machine with two slow cores needs its time.
    testTimeout: 20_000,
    hookTimeout: 30_000,
    maxWorkers: 2,
    reporters: ['default'],
  },
});
