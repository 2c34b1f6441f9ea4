import { readConfig } from '../../src/app/config.ts';
import { openCrawlerJob } from '../../src/app/open-crawler.ts';
import { AppError } from '../../src/domain/errors.ts';
import type { OperationalEvent } from '../../src/domain/operational-event.ts';
import type { Defer } from '../support/defer.ts';
import { refreshHere } from '../support/refresh-here.ts';
import { temporaryFolder } from '../support/service.ts';
import { statusOf } from '../support/status.ts';
import type { SourceFault } from './fault.ts';
import type { RunOptions } from './run-in-service.ts';
import { createSwitches, meetByCommand, openSites } from './sites.ts';
import { describeTroubles } from './watched-service.ts';

/**
 * The crawler of a service with a good snapshot meets the fault in one refresh, recovers in the next one, and meets the
 * fault again in `npm run refresh`, all in this thread. Readers are served what is stored: they see no difference where
 * the stored listing has none.
 */
export async function runRefresh(fault: SourceFault, { timeoutMs }: RunOptions, defer: Defer) {
  const sites = await openSites(defer);
  const environment = {
    DATA_DIR: await temporaryFolder(defer),
    SOURCE_URLS: fault.sourceUrls?.(sites) ?? sites.configured.origin,
    SOURCE_DELAY: '0',
    SOURCE_TIMEOUT: `${timeoutMs}ms`,
  };
  const switches = createSwitches(fault, sites);
  const crawler = await openCrawler(environment, defer);
  await crawler.refresh();
  await crawler.refresh();
  const before = await crawler.readListing();
  const differences: string[] = [];
  const compare = async (when: string) => {
    if ((await crawler.readListing()) !== before)
      differences.push(`the stored listing was another one ${when}`);
  };

  await switches.begin();
  const met = await crawler.refresh();
  await compare('under the fault');
  await switches.end();
  const after = await crawler.refresh();
  await compare('after it');

  const byCommand = await meetByCommand(sites, switches, () => refreshHere(environment));
  await compare('after the command');
  await switches.end();
  return {
    ...met,
    ...byCommand,
    stateAfter: after.state,
    /** What readers would be served otherwise than before the fault. */
    differences,
    struck: switches.struck(),
    /** Requests in all that the other site got. */
    otherAsked: sites.other.requests.length,
  };
}

/** What a refresh makes of a fault. Times in ms. */
export type RefreshOutcome = Awaited<ReturnType<typeof runRefresh>>;

/** The crawler of a service, without its timer. */
async function openCrawler(environment: Record<string, string>, defer: Defer) {
  let events: OperationalEvent[] = [];
  const job = await openCrawlerJob(readConfig(environment, '0.0.0'), (event) => void events.push(event));
  defer(() => job.close());

  return {
    async refresh() {
      events = [];
      const startedAt = performance.now();
      await job.refresh({ force: false, signal: new AbortController().signal }).catch(ignoreRefusal);
      const attemptMs = performance.now() - startedAt;
      const { state, reason } = await statusOf(job.store);
      // How often the log said that the state had changed for the worse.
      const news = events.filter((event) => event.type === 'refresh-refused' && event.isNews).length;
      return { state, reason, news, troubles: describeTroubles(events), attemptMs };
    },
    /** As text, to be compared. */
    async readListing() {
      const { schedule, ongoing } = (await job.store.readSnapshot()) ?? {};
      return JSON.stringify({ schedule, ongoing });
    },
  };
}

/** A refresh that the source is the cause of is an outcome; anything else is a bug. */
function ignoreRefusal(error: unknown): void {
  if (!(error instanceof AppError)) throw error;
}
