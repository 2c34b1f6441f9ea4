import path from 'node:path';
import type { Config } from '../app/config.ts';
import type { Service } from '../app/service.ts';
import { createCatalogue } from '../demo/catalogue.ts';
import { openSampleSite, type SampleSite } from '../demo/sample-site.ts';
import type { DaySchedule } from '../domain/listing.ts';
import type { Report } from '../domain/operational-event.ts';
import { describeEvent, levelOf } from '../telemetry/describe-event.ts';
import { parseArguments } from './arguments.ts';
import { loadConfig } from './environment.ts';
import { createProgress, type Progress } from './printer.ts';
import { runService } from './serve.ts';

const NEW_EPISODE_INTERVAL_MS = 45_000;

/** Defaults that differ from the service's; the environment overrides them. The demo has a data folder of its own. */
const DEFAULTS = {
  DATA_DIR: path.join('data', 'demo'),
  REFRESH_CRON: '* * * * *',
  SOURCE_DELAY: '100ms',
};

/** Runs the service offline, against a sample source site on loopback. Resolves with the exit code. */
export async function demo(args: string[]): Promise<number> {
  parseArguments(args, {});
  const catalogue = createCatalogue(new Date());
  const site = await openSampleSite({ catalogue });
  const config = loadConfig(DEFAULTS, { SOURCE_URLS: site.origin });
  const progress = createProgress(process.stdout);
  const { report, firstSnapshot } = createDemoReport(progress);
  progress.print(`Sample source site: ${site.origin}`);
  const exitCode = await runService(config, report, (service) => {
    void firstSnapshot.then(async () => progress.print(await introduce(service, config, site)));
    const air = () => {
      const { title, episode } = catalogue.airNextEpisode(new Date());
      progress.print(`New on the sample site: ${title}, episode ${episode}`);
    };
    setInterval(air, NEW_EPISODE_INTERVAL_MS).unref();
  });
  await site.close();
  return exitCode;
}

/** Shows the progress up to the first snapshot. After that only trouble is printed, so that the addresses stay in sight. */
function createDemoReport(progress: Progress): { report: Report; firstSnapshot: Promise<void> } {
  const { promise: firstSnapshot, resolve } = Promise.withResolvers<void>();
  let isLoaded = false;
  const report: Report = (event) => {
    if (event.type === 'page-read' && !isLoaded) progress.show(event.page, event.done, event.total);
    if (event.type === 'snapshot-loaded') {
      isLoaded = true;
      progress.end();
      resolve();
    }
    if (/^(?:warn|error)$/u.test(levelOf(event))) progress.print(describeEvent(event));
  };
  return { report, firstSnapshot };
}

/** Requests today's schedule as any client would, and ends with the addresses to open. */
async function introduce(
  { listing: address, uploads }: Service,
  config: Config,
  site: SampleSite,
): Promise<string> {
  const response = await fetch(`${address}/api/anime/schedule`);
  // The service is this process, so the shape is known.
  const { data } = (await response.json()) as { data: DaySchedule[] };
  const today = new Intl.DateTimeFormat('id-ID', { weekday: 'long', timeZone: config.timeZone }).format(
    new Date(),
  );
  const titles = data.find((group) => group.day === today)?.animeList.map(({ title }) => `  ${title}`) ?? [];
  return `
On air today (${today}):
${titles.join('\n') || '  nothing'}

Try:
  curl ${address}/api/anime/upcoming
  curl '${address}/api/anime/releases?day=today'
${uploads ? `  curl -F file=@README.md ${uploads}/upload\n` : ''}  SOURCE_URLS=${site.origin} CACHE_URL=${config.cacheUrl} npm run refresh

Open in a browser:
  ${address}  this week's anime, with a new episode every ${NEW_EPISODE_INTERVAL_MS / 1_000} s
${uploads ? `  ${uploads}  share a file\n` : ''}
Ctrl+C stops the demo.
`;
}
