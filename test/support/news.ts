import { readConfig } from '../../src/app/config.ts';
import { openCrawlerJob } from '../../src/app/open-crawler.ts';
import type { Defer } from './defer.ts';
import { eventually, openTestService, readJson, temporaryFolder } from './service.ts';

/** Opens a service that does not refresh itself, and the refresh of another process on the same store. */
export async function openNewsService(defer: Defer) {
  const environment = { SERVE: 'listing', REFRESH_CRON: 'off', DATA_DIR: await temporaryFolder(defer) };
  const service = await openTestService(defer, environment);
  const config = readConfig(
    { ...environment, SOURCE_URLS: service.source.origin, SOURCE_DELAY: '0', SOURCE_TIMEOUT: '15s' },
    '0.0.0',
  );
  const job = await openCrawlerJob(config, () => {});
  defer(() => job.close());
  const refresh = () => job.refresh({ force: true, signal: new AbortController().signal });
  await refresh();
  await service.ready();
  const last = async () => (await readJson(fetch(`${service.address}/api/anime/events`))).data?.last;

  return {
    ...service,
    refresh,
    /** Refreshes, and waits until the service serves the event with this number. */
    async refreshUntil(number: number) {
      await refresh();
      await eventually(last, (shown) => shown === number);
    },
    /** Gives the anime at this place of the ongoing list a new episode. */
    airEpisode(place = 0) {
      const anime = service.source.catalogue.anime[place]!;
      anime.episode += 1;
      return anime;
    },
  };
}
