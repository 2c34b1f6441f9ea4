import { existsSync } from 'node:fs';
import { chromium } from 'playwright-core';
import type { TestProject } from 'vitest/node';

/** Without windows, Chromium opens a page three times as fast. */
const [WITHOUT_WINDOWS, WHOLE] = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'] as const;
export const CHROMIUM = process.env.CHROMIUM_PATH ?? (existsSync(WITHOUT_WINDOWS) ? WITHOUT_WINDOWS : WHOLE);
const FLAGS = [
  ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--accept-lang=en-US'],
  ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
];

declare module 'vitest' {
  interface ProvidedContext {
    /** The address of Chromium's debugging protocol; empty on a machine without Chromium. */
    browserAddress: string;
  }
}

/** Starts the headless Chromium that all test files share; each opens pages of its own. */
export default async function startBrowser(project: TestProject): Promise<() => Promise<void>> {
  if (!process.env.CI && !existsSync(CHROMIUM)) {
    project.provide('browserAddress', '');
    return async () => {};
  }
  const server = await chromium.launchServer({ executablePath: CHROMIUM, args: FLAGS, host: '127.0.0.1' });
  project.provide('browserAddress', server.wsEndpoint());
  return () => server.close();
}
