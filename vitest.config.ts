import { configDefaults, defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // The proof by mutation is run by a command of its own: npm run test:mutations.
    exclude: [...configDefaults.exclude, ...(process.env.MUTATIONS ? [] : ['test/mutations/**'])],
    // Real servers and real files: a machine with two slow cores needs its time.
    testTimeout: 20_000,
    maxWorkers: 2,
    reporters: ['default'],
  },
});
