import { beforeAll, expect, test } from 'vitest';
import { renderOngoingPage, renderSchedulePage } from '../src/demo/pages.ts';
import { openTestService, readJson } from './support/service.ts';
import { always, type Fault, rewriting } from './support/source.ts';
import { untilEnd } from './support/until-end.ts';

/** Hostile texts and addresses in the pages of the source, and how the service serves them. */

const defer = untilEnd();
/** The title of the first anime: escapes of a terminal, bidi and zero-width characters, line separators. */
const HOSTILE = '\u001b]0;x\u0007\u009b2J\u202eNaga\u200b\u2028Hijau &#8238;&#27;&#0;∞ ½ ☆';
const CLEAN = ']0;x2JNaga Hijau \ufffd∞ ½ ☆';
/** Documents contain tabs and line feeds of their own. */
const CONTROLS = /[[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]--[\t\n\r]]/v;

let service: Awaited<ReturnType<typeof openTestService>>;

beforeAll(async () => {
  const prepared = Promise.withResolvers<Fault>();
  const environment = { REFRESH_CRON: '* * * * * *' };
  service = await openTestService(defer, environment, (request, response) => {
    void prepared.promise.then((show) => show(request, response));
    return true;
  });
  const { source } = service;
  const { anime } = source.catalogue;
  const [hostile, half, tricky] = anime.filter(({ day }) => day !== 'None');
  const render = (path: string) => {
    if (path === '/jadwal-rilis/') return renderSchedulePage(source.origin, anime);
    const match = /^\/ongoing-anime\/(?:page\/(\d+)\/)?$/u.exec(path);
    return match ? renderOngoingPage(source.origin, anime, Number(match[1] ?? 1)) : undefined;
  };
  half!.episode = 54_321;
  const show = rewriting(render, (html) =>
    html
      .replaceAll(`>${hostile!.title}<`, `>${HOSTILE}<`)
      .replaceAll('Episode 54321', 'Episode 54321.5')
      .replaceAll(new URL(tricky!.image, source.origin).href, 'https://x;sandbox/a.jpg'),
  );
  prepared.resolve(show);
  await service.ready();
});

test('titles are clean in every document', async () => {
  const paths = ['/api/anime/home', '/api/anime/schedule', '/', '/?lang=en', '/feeds/schedule.ics'];
  const slug = service.source.catalogue.anime[0]?.slug;
  paths.push('/api/anime', `/api/anime/${slug}`, `/anime/${slug}`, `/feeds/episodes.atom?slug=${slug}`);
  for (const path of [...paths, '/feeds/episodes.atom', '/feeds/episodes.json', '/api/anime/events']) {
    const text = await (await fetch(service.address + path)).text();
    expect(CONTROLS.exec(text)?.index, path).toBeUndefined();
    expect(text, path).not.toMatch(/\\u00[01]|\\u202/u);
  }
  const { data } = await readJson(fetch(`${service.address}/api/anime/home`));
  expect(data.data.map(({ title }: { title: string }) => title)).toContain(CLEAN);
});

test('cards that are left out are counted in /readyz', async () => {
  const { snapshot } = await readJson(fetch(`${service.address}/readyz`));
  // One card has episode 54321.5, and one has a cover with an invalid host.
  expect(snapshot).toMatchObject({ omitted: 2, keptFromBefore: 0 });
});

test('the policy of the front page contains no invalid host of a cover', async () => {
  const { headers } = await fetch(`${service.address}/`);
  expect(headers.get('content-security-policy')).toContain(`img-src 'self' data: ${service.source.origin}; `);
  expect(headers.get('content-security-policy')).not.toContain('sandbox');
});

test('the reason for a refused page has no control characters and a limited length', async () => {
  const title = `\u001b[31m&#8238;${'Dijual '.repeat(10_000)}`;
  service.source.fault = always(200, `<html><title>${title}</title><body></body></html>`);
  const ask = async () => (await readJson(fetch(`${service.address}/readyz`))).source;
  await expect.poll(ask).toMatchObject({ state: 'moved' });
  const { reason } = await ask();
  expect(reason).toMatch(/titled "\[31mDijual Dijual .*…"/u);
  expect(reason).not.toMatch(CONTROLS);
  expect(reason.length).toBeLessThan(300);
});
