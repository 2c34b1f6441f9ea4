import type { Defer } from '../support/defer.ts';
import { openTestSource, type TestSource } from '../support/source.ts';
import { showPlainly } from './answers.ts';
import type { Sites, SourceFault } from './fault.ts';

/**
 * Covers have the same address on both sites: the links of a page carry the newest host, whatever host was asked.
 * Pages are not compressed, and not sent twice unless they are asked for: it would take longer than all the rest.
 */
export async function openSites(defer: Defer): Promise<Sites> {
  const open = async (): Promise<TestSource> => {
    const site = await openTestSource(defer);
    for (const anime of site.catalogue.anime) anime.image = `https://gambar.example${anime.image}`;
    site.fault = showPlainly(site);
    return site;
  };
  const sites = { configured: await open(), other: await open() };
  defer(() => sites.configured.close());
  return sites;
}

export type Switches = ReturnType<typeof createSwitches>;

/** What `npm run refresh` did. */
interface Command {
  exitCode: number | string;
  output: string;
}

/** Lets `npm run refresh`, which `run` does, meet the fault; the fault lasts when it has. */
export async function meetByCommand(
  { configured }: Sites,
  { begin }: Pick<Switches, 'begin'>,
  run: () => Promise<Command>,
) {
  await begin();
  const askedBefore = configured.requests.length;
  const startedAt = performance.now();
  const ended = await run();
  const command = { ...ended, tookMs: performance.now() - startedAt };
  return {
    command,
    /** Requests that the configured site got from it. */
    configuredAskedByCommand: configured.requests.length - askedBefore,
  };
}

/** Begins and ends the fault, counts how often it was met, and notes when the site was last asked meanwhile. */
export function createSwitches(fault: SourceFault, sites: Sites) {
  const { configured } = sites;
  let healthy = configured.fault;
  let struck = 0;
  let lastAskedAt = 0;
  return {
    /** How often the fault was met. */
    struck: () => struck,
    /** By the clock of `performance`; 0 where the site got no request. */
    lastAskedAt: () => lastAskedAt,
    async begin() {
      const answer = await fault.begin(sites);
      if (!answer) struck += 1;
      configured.fault = (request, response) => {
        lastAskedAt = performance.now();
        const isMet = answer?.(request, response) ?? false;
        struck += Number(isMet);
        return isMet || (healthy?.(request, response) ?? false);
      };
    },
    /** The page cache is new then, so that what recovers reads whole pages. */
    async end() {
      healthy = showPlainly(configured);
      configured.fault = healthy;
      await fault.end?.(sites);
    },
  };
}
