import { preferredMirror } from '../crawler/source-state.ts';
import type { Check } from './check.ts';
import { checkClock } from './clock.ts';
import { checkConfiguration } from './configuration.ts';
import type { DoctorContext } from './context.ts';
import { checkDataFolder } from './data-folder.ts';
import { checkLastCrawl } from './last-crawl.ts';
import { checkLimiter } from './limiter.ts';
import { checkMirrors } from './mirrors.ts';
import { createPageReader } from './page-reader.ts';
import { checkPages } from './pages.ts';
import { checkPublicAddresses } from './public-addresses.ts';
import { checkSelectors } from './selectors.ts';
import { checkStore } from './store.ts';
import { type MirrorVisit, readSite, visitMirror } from './survey.ts';
import { checkUploadStorage } from './upload-storage.ts';

/** Every check, in the order in which the one leans on the other: what is wrong first often explains the rest. */
export function listChecks(patient: DoctorContext): Check[] {
  const { settings, site, openStore, now } = patient;
  const { dataDir, timeZone, refreshCron, source } = settings;
  const siteName = site.name;
  const reader = createPageReader(patient);
  const remembered = once(async () => {
    const status = await whatStore((store) => store.readStatus());
    return status ? preferredMirror(status, source.urls) : null;
  });
  const lastGood = once(() => whatStore((store) => store.readSnapshot()));
  const visits = once(async () => {
    const visited: MirrorVisit[] = [];
    for (const mirror of new Set([(await remembered()) ?? [], source.urls].flat())) {
      visited.push(await visitMirror(reader, mirror));
    }
    return visited;
  });
  const pages = once(async () => readSite(reader, await visits()));

  /** A store that fails has been told of by its own check. */
  async function whatStore<Value>(
    read: (store: Awaited<ReturnType<typeof openStore>>) => Promise<Value>,
  ): Promise<Value | undefined> {
    return openStore()
      .then(read)
      .catch(() => undefined);
  }

  return [
    checkConfiguration(settings),
    checkDataFolder(dataDir),
    checkStore(patient),
    checkUploadStorage(patient),
    checkLimiter(settings, now),
    checkPublicAddresses(settings),
    checkMirrors({ source, remembered, visits }),
    checkPages({ siteName, mirrors: source.urls, lastGood, pages }),
    checkSelectors({ siteName, pages }),
    checkLastCrawl({ openStore, refreshCron, now }),
    checkClock({ timeZone, now, openStore }),
  ];
}

/** Several checks lean on the same pages; each is asked for once. */
export function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
