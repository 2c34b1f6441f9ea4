import type { Check } from './check.ts';
import { checkClock } from './clock.ts';
import { checkConfiguration, checkPublicAddresses } from './configuration.ts';
import type { DoctorContext } from './context.ts';
import { checkDataFolder } from './data-folder.ts';
import { checkLastCrawl } from './last-crawl.ts';
import { checkLimiter } from './limiter.ts';
import { checkScanner } from './scanner.ts';
import { checkSource } from './source.ts';
import { checkStore } from './store.ts';
import { checkUploadStorage } from './upload-storage.ts';
import { checkWebhooks } from './webhooks.ts';

/** Returns all checks, in order of dependency: the first problem often explains the later ones. */
export function listChecks(context: DoctorContext): Check[] {
  const { settings, openStore, now } = context;
  const { dataDir, timeZone, refreshCron } = settings;
  /** Undefined when the store fails, which its own check reports. */
  const readStatus = () =>
    openStore()
      .then((store) => store.readStatus())
      .catch(() => undefined);

  return [
    { name: 'Configuration', findings: checkConfiguration(settings) },
    { name: 'Data folder', findings: checkDataFolder(dataDir) },
    { name: 'Store', findings: checkStore(context) },
    { name: 'Upload storage', findings: checkUploadStorage(context) },
    { name: 'Limiter', findings: checkLimiter(settings, now) },
    { name: 'Scanner', findings: checkScanner(settings) },
    { name: 'Public addresses', findings: checkPublicAddresses(settings) },
    { name: 'Webhooks', findings: checkWebhooks(context) },
    { name: 'Source', findings: checkSource(context) },
    { name: 'Last crawl', findings: checkLastCrawl({ openStore, refreshCron, now }) },
    { name: 'Clock', findings: checkClock({ timeZone, now, readStatus }) },
  ];
}
