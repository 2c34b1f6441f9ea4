import { defineConfig } from 'vitest/config';

/** Tests in a browser, `npm run test:pages`: they share processes and one browser, which is started once for all of them. */
const PAGES = ['test/pages/**/*.test.ts'];
/**
 * Tests of the whole system, `npm run test:system`: they start Tayang's commands, Redis, Swift and other programs, crash
 * them, or run a sample of the faults and proofs.
 */
const SYSTEM = ['test/**/*.system.test.ts'];
/** Installs the packages of the image, `npm run test:image`. */
const IMAGE = ['test/deploy/image.test.ts'];
/**
 * Tests that measure the memory, the descriptors or the connections of their process, set its environment, or are about
 * its threads: each file has a process of its own. All others share processes, because to start one and to load the
 * modules again takes longer than many of these files.
 */
const APART = [
  'test/app/{isolation,supervisor,thread-memory}.test.ts',
  'test/http/{connections,event-stream,server-stop,slow-clients}.test.ts',
  'test/http/uploads/many-readers.test.ts',
  'test/uploads/storage/disk.test.ts',
  'test/outbox/{push,webhook}-service.test.ts',
];

const project = (name: string, test: object) => ({ extends: true as const, test: { name, ...test } });

/** `npm test` runs `apart` and `shared`. */
const PROJECTS = [
  project('apart', { include: APART, exclude: SYSTEM }),
  // What starts many processes takes long on a busy machine.
  project('system', { include: SYSTEM, isolate: false, testTimeout: 180_000 }),
  project('pages', {
    include: PAGES,
    isolate: false,
    testTimeout: 180_000,
    globalSetup: ['test/support/browser-server.ts'],
  }),
  project('image', { include: IMAGE }),
  project('shared', {
    include: ['test/**/*.test.ts'],
    exclude: [...APART, ...SYSTEM, ...PAGES, ...IMAGE],
    isolate: false,
  }),
];

export default defineConfig({
  test: {
    // A test fails by its time when something hangs, not because the machine is busy.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 30_000 } },
    // Many tests wait: two for each core, on the machine that this is run on most.
    maxWorkers: 4,
    // Names under .example are of this machine, in every thread: a source with a public name can be answered for.
    execArgv: ['--import', new URL('test/faults/names.js', import.meta.url).href],
    reporters: ['default'],
    projects: PROJECTS,
  },
});
