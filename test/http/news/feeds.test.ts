import { parseAtomFeed, parseJsonFeed } from 'feedsmith';
import ICAL from 'ical.js';
import { beforeAll, describe, expect, test } from 'vitest';
import { openNewsService } from '../../support/news.ts';
import { eventually, readJson } from '../../support/service.ts';
import { openOnce } from '../../support/until-end.ts';

/** Third-party parsers parse the feeds. */

let aired: { title: string; episode: number; slug: string };

const service = openOnce(openNewsService);

beforeAll(async () => {
  service.airEpisode(1);
  await service.refreshUntil(1);
  aired = service.airEpisode(0);
  aired.title = 'Naga & <Kucing> ∞';
  await service.refreshUntil(2);
});

const ask = (path: string, headers = {}) => fetch(`${service.address}/feeds/${path}`, { headers });
const text = async (path: string) => (await ask(path)).text();

describe('the Atom feed', () => {
  test('has the episodes, newest first', async () => {
    const feed = parseAtomFeed(await text('episodes.atom'));
    expect(feed.entries).toHaveLength(2);
    const [newest] = feed.entries ?? [];
    expect(newest?.title?.value).toBe(`Naga & <Kucing> ∞ – Episode ${aired.episode}`);
    expect(newest?.id).toMatch(/^urn:uuid:[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/u);
    expect(newest?.links).toMatchObject([
      { rel: 'alternate', href: expect.stringMatching(`^http://localhost:\\d+/anime/${aired.slug}$`) },
      { rel: 'via', href: `${service.source.origin}/anime/${aired.slug}/` },
    ]);
    const { image } = service.source.catalogue.anime[0]!;
    expect(newest?.media?.thumbnails?.map(({ url }) => url)).toEqual([expect.stringContaining(image)]);
    expect(newest?.content).toMatchObject({
      type: 'html',
      value: expect.stringMatching(/^<p><img src="http[^"]+" alt=""><\/p><p>Episode \d+/u),
    });
    expect(String(feed.updated)).toBe(String(newest?.updated));
    expect(Date.parse(String(feed.updated))).toBeGreaterThan(Date.now() - 60_000);
    expect(feed.links?.map(({ rel }) => rel)).toEqual(['self', 'alternate']);
  });
});

describe('the JSON feed', () => {
  test('has the same episodes with the same ids', async () => {
    const feed = parseJsonFeed(await (await ask('episodes.json')).json());
    const atom = parseAtomFeed(await text('episodes.atom'));
    expect(feed.items?.map(({ id }) => id)).toEqual(atom.entries?.map(({ id }) => id));
    expect(feed.items?.[0]).toMatchObject({
      title: `Naga & <Kucing> ∞ – Episode ${aired.episode}`,
      url: expect.stringMatching(`^http://localhost:\\d+/anime/${aired.slug}$`),
      external_url: `${service.source.origin}/anime/${aired.slug}/`,
      image: expect.stringMatching(/^http/u),
    });
  });
});

describe('the calendar', () => {
  const read = (calendar: string) =>
    new ICAL.Component(ICAL.parse(calendar))
      .getAllSubcomponents('vevent')
      .map((component) => new ICAL.Event(component));

  test('has the next episode of every anime with a weekday, repeated every week, as /api/anime/releases has it', async () => {
    const events = read(await text('schedule.ics'));
    const weekly = events.filter((event) => event.component.hasProperty('rrule'));
    const scheduled = service.source.catalogue.anime.filter(({ day }) => !['None', 'Random'].includes(day));
    expect(weekly.map(({ summary }) => summary).sort()).toEqual(scheduled.map(({ title }) => title).sort());
    expect(new Set(weekly.map(({ uid }) => uid)).size).toBe(weekly.length);
    const { data } = await readJson(fetch(`${service.address}/api/anime/releases`));
    const expected = data.filter(({ state }: { state: string }) => state === 'expected');
    const shown = new Set(events.map(({ summary, startDate }) => `${summary} ${startDate.toString()}`));
    expect(expected.length).toBeGreaterThan(20);
    for (const { title, episode, day } of expected)
      expect(shown).toContain(`${title} – Episode ${episode} ${day}`);
  });

  test('has an alarm in each entry where the reader wants one', async () => {
    const events = read(await text('schedule.ics?alarm=30m'));
    const triggers = events.map(({ component }) =>
      component.getFirstSubcomponent('valarm')?.getFirstPropertyValue('trigger')?.toString(),
    );
    expect(new Set(triggers)).toEqual(new Set(['-PT30M']));
    for (const wrong of ['alarm=', 'alarm=soon', 'alarm=8d', 'alarm=1h&alarm=2h'])
      expect([wrong, (await fetch(`${service.address}/feeds/schedule.ics?${wrong}`)).status]).toEqual([
        wrong,
        400,
      ]);
  });

  test('keeps the identifier of an event when other fields change', async () => {
    const before = read(await text('schedule.ics')).map(({ uid }) => uid);
    service.source.catalogue.anime.find((one) => one.day === 'Rabu')!.title = 'Judul lain';
    service.airEpisode(3);
    await service.refreshUntil(3);
    expect(read(await text('schedule.ics')).map(({ uid }) => uid)).toEqual(expect.arrayContaining(before));
  });

  test.each(['', '?slug='])(
    'folds its lines, and ends each with CRLF, also the last one (%s)',
    async (query) => {
      const slug = query && service.source.catalogue.anime.find((one) => one.day === 'Senin')!.slug;
      const lines = (await text(`schedule.ics${query}${slug}`)).split('\r\n');
      expect(lines.slice(-2)).toEqual(['END:VCALENDAR', '']);
      expect(lines.filter((line) => /[\r\n]/u.test(line))).toEqual([]);
      expect(Math.max(...lines.map((line) => Buffer.byteLength(line)))).toBeLessThanOrEqual(75);
    },
  );

  test('of several anime is dated by the one that changed last', async () => {
    const catalogue = service.source.catalogue.anime;
    const [first, other] = ['Kamis', 'Sabtu'].map((day) => catalogue.find((one) => one.day === day)!);
    const path = `schedule.ics?slug=${first!.slug}&slug=${other!.slug}`;
    /** The calendar after a refresh, once it is another one for a client that goes by dates. */
    async function refreshed(): Promise<Response> {
      // A second change within a second is dated a second later, and a date in the future is not sent.
      const { since } = await eventually(
        async () => {
          const since = { 'if-modified-since': (await ask(path)).headers.get('last-modified') ?? '' };
          return { since, status: (await ask(path, since)).status };
        },
        ({ status }) => status === 304,
      );
      await service.refresh();
      return eventually(
        () => ask(path, since),
        ({ status }) => status === 200,
      );
    }

    other!.title = 'Judul yang lain';
    expect(await (await refreshed()).text()).toContain('Judul yang lain');
    other!.day = 'Random';
    expect(await (await refreshed()).text()).not.toContain('Judul yang lain');
  });
});
