import { defineConfig } from 'vitest/config';

/** Tests in a browser: they share one, which is started once for all of them. */
const PAGES = ['test/pages/**/*.test.ts'];
/** Installs the packages of the image: a command of its own, `npm run test:image`. */
const IMAGE = ['test/deploy/image.test.ts'];
/**
 * Tests that leave nothing behind in their process and measure nothing of it: they share processes, as one for each
 * file would cost more than many of these files take.
 */
const SHARED = [
  'test/{commands,domain,doctor,mutations,publishing,redis,repair,source,telemetry}/**/*.test.ts',
  'test/{crawler,uploads}/*.test.ts',
  'test/architecture.test.ts',
  'test/app/{config,daily-timer}.test.ts',
  'test/deploy/files.test.ts',
  'test/http/{answer,answer-file,client-address,http-date,page-cache,preconditions}.test.ts',
  'test/http/methods.test.ts',
  'test/http/news/*.test.ts',
  'test/http/openapi/document.test.ts',
  'test/http/uploads/{deletion,expiry,multipart-bytes,names,not-one-file,pages,ranges}.test.ts',
  'test/http/uploads/{receive,safe-types}.test.ts',
];

const project = (name: string, test: object) => ({ extends: true as const, test: { name, ...test } });

const SUITE = [
  project('apart', { include: ['test/**/*.test.ts'], exclude: [...PAGES, ...IMAGE, ...SHARED] }),
  project('pages', { include: PAGES, globalSetup: ['test/support/browser-server.ts'] }),
  project('shared', { include: SHARED, isolate: false }),
];

export default defineConfig({
  test: {
    // A test fails by its time when something hangs, not because the machine is busy.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Many tests wait: one more than there are cores, on the machine that this is run on most.
    maxWorkers: 3,
    // Names under .example are of this machine, in every thread: a source with a public name can be answered for.
    execArgv: ['--import', new URL('test/faults/names.js', import.meta.url).href],
    reporters: ['default'],
    projects: process.env.TEST_IMAGE ? [project('image', { include: IMAGE })] : SUITE,
  },
});
