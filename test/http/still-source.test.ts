import { expect, onTestFinished, test } from 'vitest';
import { renderOngoingPage } from '../../src/demo/pages.ts';
import { HOUR_MS } from '../../src/domain/units.ts';
import { refreshHere } from '../support/refresh-here.ts';
import { eventually, openReadyService, readJson, temporaryFolder } from '../support/service.ts';
import { setClock } from '../support/set-clock.ts';
import { openTestSource } from '../support/source.ts';

/** A Friday, 20:30 at the source. */
const FRIDAY = Date.parse('2026-11-20T13:30:00Z');

test('/readyz and /status say since when the source has stood still, and how old the list is', async () => {
  let now = FRIDAY;
  setClock(now);
  const source = await openTestSource(onTestFinished, new Date(now));
  const { anime } = source.catalogue;
  anime.splice(20);
  /** When its pages were built; undefined where they do not say. */
  let builtAt: number | undefined = FRIDAY - 2 * HOUR_MS;
  source.fault = ({ url = '' }, response) => {
    if (url !== '/ongoing-anime/') return false;
    response.setHeader('Content-Type', 'text/html; charset=UTF-8');
    if (builtAt !== undefined) response.setHeader('Last-Modified', new Date(builtAt).toUTCString());
    response.end(renderOngoingPage(source.origin, anime, 1));
    return true;
  };
  const env = {
    DATA_DIR: await temporaryFolder(onTestFinished),
    SOURCE_URLS: source.origin,
    SOURCE_DELAY: '0',
    SOURCE_TIMEOUT: '15s',
    REFRESH_CRON: '0 0 1 7 *',
    REFRESH_PEEK: 'off',
  };
  const { address } = await openReadyService(onTestFinished, env);

  /** Crawls after some time; resolves with what the service says then. */
  async function crawl(afterMs: number) {
    now += afterMs;
    setClock(now);
    await refreshHere(env);
    const { source: state } = await eventually(
      () => readJson(fetch(`${address}/readyz`)),
      ({ snapshot }) => Date.parse(snapshot.refreshedAt) === now,
    );
    const page = await (await fetch(`${address}/status?lang=en`)).text();
    const isStill = page.includes('The source has shown nothing new since');
    const hoursAgo = (text: string | null) => text && (now - Date.parse(text)) / HOUR_MS;
    return { readAt: hoursAgo(state.readAt), unchanged: hoursAgo(state.unchangedSince), isStill };
  }

  expect(await crawl(HOUR_MS / 2)).toEqual({ readAt: 2.5, unchanged: null, isStill: false });
  expect(await crawl(HOUR_MS)).toEqual({ readAt: 3.5, unchanged: 3.5, isStill: true });
  builtAt = undefined;
  expect(await crawl(HOUR_MS)).toEqual({ readAt: 0, unchanged: null, isStill: false });
  expect(await crawl(2 * HOUR_MS)).toEqual({ readAt: 6.5, unchanged: 6.5, isStill: true });
  const [newest] = anime.splice(9, 1);
  anime.unshift({ ...newest!, episode: newest!.episode + 1, date: '21 Nov' });
  expect(await crawl(HOUR_MS)).toEqual({ readAt: 0, unchanged: null, isStill: false });
});
