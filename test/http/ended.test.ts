import { expect, test } from 'vitest';
import { renderSampleAnimePage } from '../../src/demo/anime-page.ts';
import { createCatalogue } from '../../src/demo/catalogue.ts';
import { datedBefore } from '../../src/domain/source-date.ts';
import { DAY_MS } from '../../src/domain/units.ts';
import { eventually, openReadyService, readJson } from '../support/service.ts';
import { openOnce } from '../support/until-end.ts';

const NOW = new Date();
/** Weekly anime whose newest episode came in the last days. */
const [dropped, passed, reached, coming] = createCatalogue(NOW).anime.filter(
  ({ episode, date }) =>
    episode > 3 && Date.parse(datedBefore(date, NOW.getTime())) > NOW.getTime() - 5 * DAY_MS,
) as [Anime, Anime, Anime, Anime];
type Anime = ReturnType<typeof createCatalogue>['anime'][number];

const setTotal = (total: number) => (html: string) =>
  html.replace(/(<b>Total Episode<\/b>: )[^<]*/u, `$1${total}`);
/** How their pages differ from those of the sample site. */
const CHANGES = new Map<string, { anime: Anime; change: (html: string) => string }>(
  [
    {
      anime: dropped,
      change: (html: string) => html.replace('<b>Status</b>: Ongoing', '<b>Status</b>: Drop'),
    },
    { anime: passed, change: setTotal(passed.episode - 1) },
    { anime: reached, change: setTotal(reached.episode) },
    { anime: coming, change: setTotal(coming.episode + 2) },
  ].map((one) => [`/anime/${one.anime.slug}/`, one]),
);

const service = openOnce(async (defer) => {
  const opened = await openReadyService(
    defer,
    { REFRESH_DETAILS: 'on' },
    (request, response) => {
      const page = CHANGES.get(request.url ?? '');
      if (!page) return false;
      response.setHeader('Content-Type', 'text/html; charset=UTF-8');
      response.end(
        page.change(renderSampleAnimePage(`http://${request.headers.host}`, page.anime, NOW.getTime())),
      );
      return true;
    },
    NOW,
  );
  await eventually(
    async () => (await readJson(fetch(`${opened.listing}/readyz`))).source.details,
    ({ known, missing }) => known > 100 && missing === 0,
  );
  return opened;
});

const text = async (path: string) => (await fetch(service.listing + path)).text();
const read = async ({ slug }: Anime) => ({
  api: (await readJson(fetch(`${service.listing}/api/anime/${slug}`))).data,
  page: await text(`/anime/${slug}?lang=en`),
  calendar: await text(`/feeds/schedule.ics?slug=${slug}`),
});

test('an anime that the source has dropped has ended, and the API has no such status', async () => {
  const { api, page, calendar } = await read(dropped);
  expect(api).toMatchObject({ next: null, details: { status: null } });
  expect(Object.keys(api.details)).not.toContain('isDropped');
  expect(page).toContain('It has ended.');
  expect(calendar).not.toContain('BEGIN:VEVENT');
});

test('an anime whose total is passed goes on, and nobody is shown that total', async () => {
  const { api, page, calendar } = await read(passed);
  expect(api.next).toMatchObject({ episode: passed.episode + 1 });
  expect(page).not.toContain('It has ended.');
  expect(page).not.toContain(`${passed.episode} of ${passed.episode - 1}`);
  expect(await text('/?lang=en')).not.toContain(`Ep ${passed.episode}/${passed.episode - 1}`);
  expect(calendar).toContain('RRULE:FREQ=WEEKLY');
  expect(calendar).not.toContain('COUNT=');
});

test('an anime whose total is reached has ended', async () => {
  const { api, page } = await read(reached);
  expect(api.next).toBeNull();
  expect(page).toContain('It has ended.');
});

test('an anime whose total is not reached shows it, and its calendar ends there', async () => {
  const { page, calendar } = await read(coming);
  expect(page).toContain(`${coming.episode} of ${coming.episode + 2}`);
  expect(calendar).toContain('COUNT=2');
});
