import path from 'node:path';
import type { Config } from '../app/config.ts';
import type { Service } from '../app/service.ts';
import { createCatalogue } from '../demo/catalogue.ts';
import { openSampleSite, type SampleSite } from '../demo/sample-site.ts';
import type { DaySchedule } from '../domain/listing.ts';
import type { Report } from '../domain/operational-event.ts';
import { describeEvent } from '../telemetry/describe-event.ts';
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

/** Runs offline: a sample source site on loopback, a refresh from it, and the service. Resolves with the exit code. */
export async function demo(args: string[]): Promise<number> {
  parseArguments(args, {});
  const catalogue = createCatalogue(new Date());
  const site = await openSampleSite({ catalogue });
  const config = loadConfig(DEFAULTS, { SOURCE_URLS: site.origin });
  const progress = createProgress(process.stdout);
  const { report, firstSnapshot } = createDemoReport(progress);
  progress.print(
    `A sample source site is at ${site.origin}; it airs an episode every ${NEW_EPISODE_INTERVAL_MS / 1_000} s.`,
  );
  const exitCode = await runService(config, report, (service) => {
    void firstSnapshot.then(async () => progress.print(await introduce(service, config, site)));
    const air = () => {
      const { title, episode } = catalogue.airNextEpisode(new Date());
      progress.print(`On the sample site: ${title}, episode ${episode}`);
    };
    setInterval(air, NEW_EPISODE_INTERVAL_MS).unref();
  });
  await site.close();
  return exitCode;
}

function createDemoReport(progress: Progress): { report: Report; firstSnapshot: Promise<void> } {
  const { promise: firstSnapshot, resolve } = Promise.withResolvers<void>();
  const report: Report = (event) => {
    if (event.type === 'page-read') return progress.show(event.page, event.done, event.total);
    if (event.type === 'refresh-finished') progress.end();
    progress.print(describeEvent(event));
    if (event.type === 'snapshot-loaded') resolve();
  };
  return { report, firstSnapshot };
}

/** Requests today's schedule from the service as any client would, and suggests what to try next. */
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
Today is ${today}. On air:
${titles.join('\n') || '  nothing'}

Open in a browser:
  ${address}  what airs this week
${uploads ? `  ${uploads}  a place to put a file\n` : ''}
Try next:
  curl ${address}/api/anime/schedule
  curl '${address}/api/anime/home?page=2'
  curl -i --compressed ${address}/api/anime/home
  curl ${address}/readyz
  SOURCE_URLS=${site.origin} CACHE_URL=${config.cacheUrl} npm run refresh
Stop with Ctrl+C.
`;
}
