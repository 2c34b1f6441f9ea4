import { beforeAll, describe, expect, test } from 'vitest';
import { send } from '../support/client.ts';
import { openNewsService } from '../support/news.ts';
import { openOnce } from '../support/until-end.ts';

/** Answers about chosen anime, compared with the whole answers. */

const service = openOnce(openNewsService);
const ask = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  send(service.address, { path, headers, method });

/** A slug that the source has corrected, and the new one. */
let former = '';
const CORRECTED = 'penjaga-di-kota-sub-indo';

interface Item {
  slug: string;
  title: string;
  day: string;
}

interface Listing {
  schedule: { day: string; animeList: Item[] }[];
  ongoing: Item[];
}

const read = async (path: string) => (await ask(path)).json().data;
const listing = (query = ''): Promise<Listing> => read(`/api/anime${query}`);
const releases = (query = ''): Promise<Item[]> => read(`/api/anime/releases${query}`);
const titles = async (query: string) => (await listing(query)).ongoing.map(({ title }) => title);

/** The items of a listing for which `isChosen` holds. */
function filterListing({ schedule, ongoing }: Listing, isChosen: (item: Item) => boolean): Listing {
  return {
    schedule: schedule.map(({ day, animeList }) => ({ day, animeList: animeList.filter(isChosen) })),
    ongoing: ongoing.filter(isChosen),
  };
}

/** Editions that follow each other at once are dated a second apart, and no date of the future is sent. */
const isDated = (path: string) =>
  expect
    .poll(async () => Date.now() - Date.parse((await ask(path)).headers['last-modified']!))
    .toBeGreaterThan(2_000);

beforeAll(async () => {
  const { anime } = service.source.catalogue;
  const corrected = anime.find(({ day }) => day === 'Senin')!;
  former = corrected.slug;
  corrected.slug = CORRECTED;
  service.airEpisode(3);
  await service.refreshUntil(2);
});

describe('slugs', () => {
  test('choose from both lists in their order, each once, and leave out what is not known', async () => {
    const all = await listing();
    const first = all.ongoing[0]!.slug;
    const last = all.ongoing.at(-1)!.slug;
    const chosen = await listing(`?slugs=${last},entah,${first},%20${last}&from=bot`);
    expect(chosen).toEqual(filterListing(all, ({ slug }) => slug === first || slug === last));
    expect(chosen.schedule).toHaveLength(8);
    expect((await listing('?slugs=entah')).ongoing).toEqual([]);
  });

  test('find a former slug, and one whose escapes are written otherwise', async () => {
    expect((await listing(`?slugs=${former}`)).ongoing.map(({ slug }) => slug)).toEqual([CORRECTED]);
    const { slug } = (await listing()).ongoing.find((one) => one.slug.includes('%e2'))!;
    for (const written of [slug, slug.replace('%e2', '%E2'), encodeURIComponent(slug)])
      expect((await listing(`?slugs=${written}`)).ongoing).toHaveLength(1);
  });

  test('may be a hundred, where doubled ones count once', async () => {
    const names = Array.from({ length: 100 }, (_, index) => `anime-${index}`);
    expect((await ask(`/api/anime?slugs=${[...names, ...names].join()}`)).status).toBe(200);
    const { status, text } = await ask(`/api/anime?slugs=${names.join()},entah`);
    expect([status, text]).toEqual([400, expect.stringContaining('slugs must be 1 to 100')]);
  });
});

describe('a search', () => {
  test.each([
    ['?q=Penjaga+pasar', ['Penjaga Pasar Malam']],
    ['?q=pasarmalam%20PENJAGA', ['Penjaga Pasar Malam']],
    ['?q=p%C3%A9njaga-pasar', ['Penjaga Pasar Malam']],
    // Its slug, and the initials of its title.
    ['?q=penjaga-u-bermorgen', ['Penjaga Übermorgen']],
    ['?q=rtds2%20robot', []],
    ['?q=pdks', []],
    ['?q=zzz', []],
  ])(
    'finds titles, initials and slugs, whatever their spaces, marks and case: %s',
    async (query, expected) => {
      expect(await titles(query)).toEqual(expected);
    },
  );

  test('of some slugs finds what meets both', async () => {
    const all = await listing();
    const [first, second] = all.ongoing;
    const query = `?slugs=${first!.slug},${second!.slug}&q=${encodeURIComponent(second!.title)}`;
    expect(await listing(query)).toEqual(filterListing(all, ({ slug }) => slug === second!.slug));
  });
});

describe('the releases', () => {
  test('are chosen by day, by slugs, or by both', async () => {
    const all = await releases();
    const days = [...new Set(all.map(({ day }) => day))];
    for (const day of days)
      expect(await releases(`?day=${day}`)).toEqual(all.filter((release) => release.day === day));
    const [{ slug, day } = expect.fail()] = all;
    expect(await releases(`?slugs=${slug},entah`)).toEqual(all.filter((one) => one.slug === slug));
    expect(await releases(`?day=${day}&slugs=${slug}`)).toEqual(
      all.filter((one) => one.slug === slug && one.day === day),
    );
  });

  test('are listed for ten days, which a refusal names', async () => {
    const { message } = (await ask('/api/anime/releases?day=2020-01-01')).json();
    const [first = '', last = ''] = message.match(/\d{4}-\d\d-\d\d/gu) ?? [];
    expect(Date.parse(last) - Date.parse(first)).toBe(9 * 86_400_000);
    const today = new Date(Date.parse(first) + 2 * 86_400_000).toISOString().slice(0, 10);
    expect(await releases('?day=today')).toEqual(await releases(`?day=${today}`));
    for (const day of [first, last]) expect((await ask(`/api/anime/releases?day=${day}`)).status).toBe(200);
  });
});

const WRONG = [
  ['slugs', '/api/anime?slugs='],
  ['slugs', '/api/anime?slugs=a,,b'],
  ['slugs', '/api/anime?slugs=a,%FF'],
  ['slugs', '/api/anime?slugs=one%20piece'],
  ['slugs', '/api/anime?slugs=a&slugs=b'],
  ['slugs', '/api/anime/releases?slugs=,'],
  ['q', '/api/anime?q='],
  ['q', '/api/anime?q=%20!'],
  ['q', '/api/anime?q=%FFa'],
  ['q', '/api/anime?q=a&q=a'],
  ['q', `/api/anime?q=${'a'.repeat(101)}`],
  ['day', '/api/anime/releases?day='],
  ['day', '/api/anime/releases?day=2026-02-30'],
  ['day', '/api/anime/releases?day=Senin'],
  ['day', '/api/anime/releases?day=today&day=today'],
];

test.each(WRONG)('a wrong %s is refused by its name: %s', async (name, path) => {
  const { status, headers, text } = await ask(path);
  expect([status, headers['cache-control']]).toEqual([400, 'no-store']);
  expect(JSON.parse(text)).toEqual({ status: false, message: expect.stringMatching(`^${name} must be `) });
});

test.each(['/api/anime?q=a', '/api/anime/releases?day=today'])(
  'an answer has the headers of the whole one and a tag of its own: %s',
  async (path) => {
    await isDated(path);
    const whole = await ask(path.split('?')[0]!);
    const chosen = await ask(path);
    const ofState = (headers: typeof whole.headers) =>
      ['cache-control', 'content-type', 'vary', 'access-control-allow-origin'].map((name) => headers[name]);
    expect(ofState(chosen.headers)).toEqual(ofState(whole.headers));
    expect(chosen.headers['cache-status']).toMatch(/^tayang; hit/u);
    expect(chosen.headers.etag).not.toBe(whole.headers.etag);
    const again = await ask(path, { 'if-none-match': chosen.headers.etag! });
    expect([again.status, again.text, again.headers.etag]).toEqual([304, '', chosen.headers.etag]);
    const since = { 'if-modified-since': chosen.headers['last-modified']! };
    expect((await ask(path, since)).status).toBe(304);
    const compressed = await ask(path, { 'accept-encoding': 'br' });
    expect(compressed.headers['content-encoding']).toBe('br');
    expect((await ask(path, {}, 'HEAD')).headers['content-length']).toBe(String(chosen.body.length));
  },
);

test('an answer keeps its tag and date while its bytes do, and the whole one changes', async () => {
  const { slug } = (await listing()).ongoing.at(-1)!;
  const path = `/api/anime?slugs=${slug}`;
  await isDated(path);
  const before = await ask(path);
  const whole = await ask('/api/anime');
  service.airEpisode(7);
  await service.refreshUntil(3);
  const after = await ask(path);
  expect((await ask('/api/anime')).headers.etag).not.toBe(whole.headers.etag);
  expect(after.text).toBe(before.text);
  expect(after.headers.etag).toBe(before.headers.etag);
  expect(after.headers['last-modified']).toBe(before.headers['last-modified']);
});

describe('a path below /api', () => {
  test('is listed by /api, which says where the API is described', async () => {
    const { status, data } = (await ask('/api')).json();
    expect(status).toBe(true);
    expect(data.docs).toMatch(/^http.+\/docs$/u);
    expect(data.openapi).toMatch(/^http.+\/openapi\.json$/u);
    expect(data.version).toMatch(/^\d+\.\d+\.\d+$/u);
    const paths = data.endpoints.map(({ path }: { path: string }) => path);
    expect(paths).toEqual(expect.arrayContaining(['/api', '/api/anime', '/api/anime/{slug}']));
    for (const path of paths.filter((one: string) => !/\{|stream$/u.test(one)))
      expect([path, (await ask(path)).status]).toEqual([path, 200]);
  });

  test.each([
    ['/api/anime/schedul', 'there is no endpoint /api/anime/schedul (did you mean /api/anime/schedule?)'],
    ['/api/anime/ongoing', 'neither an endpoint nor a listed anime is at /api/anime/ongoing'],
    ['/api/jadwal', 'there is nothing at /api/jadwal'],
    ['/api/', 'there is nothing at /api/'],
    ['/api/anime/home?page=99', 'there is no page 99'],
  ])('that does not exist is answered with where to look: %s', async (path, beginning) => {
    const { status, text } = await ask(path);
    const { message } = JSON.parse(text);
    expect([status, message.startsWith(beginning)]).toEqual([404, true]);
    expect(message).toMatch(/; GET \/api lists the endpoints, and \/docs explains them$/u);
  });
});
