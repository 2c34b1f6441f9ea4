import type { SnapshotStore } from '../crawler/snapshot-store.ts';
import { orderMirrors } from '../crawler/source-state.ts';
import type { Check } from './check.ts';
import { checkClock } from './clock.ts';
import { checkConfiguration } from './configuration.ts';
import { type DoctorContext, memoize } from './context.ts';
import { checkDataFolder } from './data-folder.ts';
import { checkLastCrawl } from './last-crawl.ts';
import { checkLimiter } from './limiter.ts';
import { checkMirrors } from './mirrors.ts';
import { checkPages } from './pages.ts';
import { checkPublicAddresses } from './public-addresses.ts';
import { createPageReader, type MirrorProbe, probeMirror, readSite } from './read-site.ts';
import { checkRepairs } from './repairs.ts';
import { checkScanner } from './scanner.ts';
import { checkSelectors } from './selectors.ts';
import { checkStore } from './store.ts';
import { checkUploadStorage } from './upload-storage.ts';
import { checkWebhooks } from './webhooks.ts';

/** Returns all checks, in order of dependency: the first problem often explains the later ones. */
export function listChecks(context: DoctorContext): Check[] {
  const { settings, site, openStore, now } = context;
  const { dataDir, timeZone, refreshCron, source } = settings;
  const siteName = site.name;
  const lastSnapshot = memoize(() => readFromStore((store) => store.readSnapshot()));
  const readStatus = memoize(() => readFromStore((store) => store.readStatus()));
  const reader = createPageReader(context, async () => {
    const lastGood = await lastSnapshot();
    return lastGood && { lastGood, repairs: (await readStatus())?.repaired ?? [], mayRepair: false };
  });
  const probes = memoize(async () => {
    const probed: MirrorProbe[] = [];
    const status = await readStatus();
    const mirrors = status ? orderMirrors(status, source.urls, now()) : source.urls;
    for (const mirror of mirrors) probed.push(await probeMirror(reader, mirror));
    return probed;
  });
  const pages = memoize(async () => readSite(reader, await probes()));

  /** Undefined when the store fails, which its own check reports. */
  async function readFromStore<Value>(
    read: (store: SnapshotStore) => Promise<Value>,
  ): Promise<Value | undefined> {
    try {
      return await read(await openStore());
    } catch {
      return undefined;
    }
  }

  return [
    { name: 'Configuration', findings: checkConfiguration(settings) },
    { name: 'Data folder', findings: checkDataFolder(dataDir) },
    { name: 'Store', findings: checkStore(context) },
    { name: 'Upload storage', findings: checkUploadStorage(context) },
    { name: 'Limiter', findings: checkLimiter(settings, now) },
    { name: 'Scanner', findings: checkScanner(settings) },
    { name: 'Public addresses', findings: checkPublicAddresses(settings) },
    { name: 'Webhooks', findings: checkWebhooks(context) },
    {
      name: 'Mirrors',
      findings: checkMirrors({
        source,
        servedLast: async () => (await readStatus())?.mirror ?? null,
        probes,
      }),
    },
    { name: 'Pages', findings: checkPages({ siteName, mirrors: source.urls, lastSnapshot, pages }) },
    { name: 'Selectors', findings: checkSelectors({ siteName, pages }) },
    { name: 'Repaired selectors', findings: checkRepairs({ siteName, readStatus, now }) },
    { name: 'Last crawl', findings: checkLastCrawl({ openStore, refreshCron, now }) },
    { name: 'Clock', findings: checkClock({ timeZone, now, readStatus }) },
  ];
}
