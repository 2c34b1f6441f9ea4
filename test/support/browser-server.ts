import { existsSync } from 'node:fs';
import { chromium } from 'playwright-core';
import type { TestProject } from 'vitest/node';

export const CHROMIUM = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';
/** What Playwright disables: a second `--disable-features` replaces its own, so that is repeated here. */
const DISABLED_BY_PLAYWRIGHT = [
  ...['AimEnabled', 'AvoidCorsURLLoaderRestartOnRedirect', 'AvoidUnnecessaryBeforeUnloadCheckSync'],
  ...['DestroyProfileOnBrowserClose', 'HttpsFirstBalancedModeAutoEnable', 'HttpsUpgrades', 'LensOverlay'],
  ...['MediaRouter', 'NetworkTimeServiceQuerying', 'OptimizationHints', 'PaintHolding'],
  ...['PreconnectToSearch', 'ThirdPartyStoragePartitioning'],
];
/** Parts of the address bar, which a headless browser does not show. In each window they cost half of its start. */
const ADDRESS_BAR = ['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup'];
const FLAGS = [
  `--disable-features=${[...DISABLED_BY_PLAYWRIGHT, ...ADDRESS_BAR].join(',')}`,
  ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
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
