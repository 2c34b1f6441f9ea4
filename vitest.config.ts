import { defineConfig } from 'vitest/config';

/** Tests in a browser: they share one, which is started once for all of them. */
const PAGES = ['test/pages/**/*.test.ts'];
/** Installs the packages of the image: a command of its own, `npm run test:image`. */
const IMAGE = ['test/deploy/image.test.ts'];
/**
 * Tests that start no service and leave nothing behind in their process: they share processes, as one for each file
 * would cost more than most of these files take.
 */
const PURE = [
  'test/{domain,doctor,mutations,publishing,source}/**/*.test.ts',
  'test/{crawler,uploads}/*.test.ts',
  'test/architecture.test.ts',
  'test/app/{config,daily-timer}.test.ts',
  'test/deploy/files.test.ts',
  'test/http/{answer,answer-file,client-address,http-date,page-cache,preconditions}.test.ts',
  'test/http/openapi/document.test.ts',
  'test/http/uploads/multipart-bytes.test.ts',
  'test/telemetry/log.test.ts',
];

const project = (name: string, test: object) => ({ extends: true as const, test: { name, ...test } });

const SUITE = [
  project('services', { include: ['test/**/*.test.ts'], exclude: [...PAGES, ...IMAGE, ...PURE] }),
  project('pages', { include: PAGES, globalSetup: ['test/support/browser-server.ts'] }),
  project('pure', { include: PURE, isolate: false }),
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
