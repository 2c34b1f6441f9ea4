import { expect, onTestFinished, test } from 'vitest';
import { renderOngoingPage } from '../../src/demo/pages.ts';
import { eventually, openTestService, readJson } from '../support/service.ts';
import { rewriting, type TestSource } from '../support/source.ts';

/** Renames the class of the titles on every page of the list. */
function renameTitles({ origin, catalogue }: TestSource) {
  const render = (path: string) => {
    const match = /^\/ongoing-anime\/(?:page\/(\d+)\/)?$/u.exec(path);
    return match ? renderOngoingPage(origin, catalogue.anime, Number(match[1] ?? 1)) : undefined;
  };
  return rewriting(render, (html) => html.replaceAll('jdlflm', 'judul'));
}

test('/readyz names a repaired selector, and the listing stays current', async () => {
  const environment = { REFRESH_PEEK: '1s' };
  const { address, source, ready } = await openTestService(onTestFinished, environment);
  await ready();
  const readState = async () => (await readJson(fetch(`${address}/readyz`))).source;
  expect(await readState()).toMatchObject({ state: 'ok', repaired: [] });

  source.fault = renameTitles(source);
  const [anime] = source.catalogue.anime.splice(30, 1);
  source.catalogue.anime.unshift({ ...anime!, episode: anime!.episode + 1 });
  const { state, repaired } = await eventually(readState, (found) => found.repaired.length > 0);
  expect(state).toBe('ok');
  expect(repaired).toEqual([
    {
      field: 'title',
      was: '.jdlflm',
      now: '.judul',
      agreement: 1,
      since: expect.stringMatching(/^\d{4}-.*Z$/u),
    },
  ]);
  const home = await readJson(fetch(`${address}/api/anime/home`));
  expect(home.data.data[0]).toMatchObject({ title: anime!.title, episode: anime!.episode + 1 });
});
