import type { IncomingMessage, ServerResponse } from 'node:http';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createCatalogue } from '../../src/demo/catalogue.ts';
import { renderOngoingPage, renderSchedulePage } from '../../src/demo/pages.ts';
import { openSampleSite } from '../../src/demo/sample-site.ts';
import type { ErrorCode } from '../../src/domain/errors.ts';
import { DAYS, PAGE_SIZE } from '../../src/domain/listing.ts';
import type { OperationalEvent } from '../../src/domain/operational-event.ts';
import { createSource } from '../../src/source/create-source.ts';
import type { PageFetcher } from '../../src/source/fetch-page.ts';
import { otakudesu } from '../../src/source/sites/otakudesu/site.ts';
import { PageGone } from '../../src/source/source.ts';
import { fetchedPage } from './support/fetched-page.ts';
import { openFetcher, openServer } from './support/loopback.ts';
import { refusal } from './support/refusal.ts';

/** Limits each wait between two attempts, and, times four, the time that failed attempts may take in a crawl. */
const TIMEOUT_MS = 1_000;

type Trouble = (request: IncomingMessage, response: ServerResponse, asked: number) => boolean;

/** A source with a sample site. `trouble` returns true when it has answered the request itself; `asked` counts from 1. */
async function openTroubled(trouble: Trouble = () => false, timeoutMs = TIMEOUT_MS, delayMs = 0) {
  const asked: string[] = [];
  const events: OperationalEvent[] = [];
  const catalogue = createCatalogue(new Date('2026-02-11T17:37:28Z'));
  const site = await openSampleSite({
    catalogue,
    intercept: (request, response) => trouble(request, response, asked.push(request.url ?? '')),
  });
  onTestFinished(() => site.close());
  const source = createSource(otakudesu, {
    mirrors: [site.origin],
    fetcher: openFetcher({ origins: [site.origin], delayMs }),
    timeoutMs,
    delayMs,
    random: () => 0,
    report: (event) => events.push(event),
  });
  const beginVisit = () => source.beginCrawl(new AbortController().signal)(site.origin);
  return { ...site, catalogue, asked, events, source, beginVisit };
}

/** An anime of the sample site that is not the first. */
const OTHER_SLUG = createCatalogue(new Date('2026-02-11T17:37:28Z')).anime[1]?.slug ?? '';

/** WordPress prints straight quotes as curly ones. */
const asPrinted = (title: string) => title.replaceAll('"', '“').replaceAll("'", '’');

describe('a source reads what the site shows', () => {
  test('the schedule: every anime with a day, by day and title', async () => {
    const { beginVisit, catalogue } = await openTroubled();
    const expected = DAYS.map((day) => ({
      day,
      cards: catalogue.anime
        .filter((anime) => anime.day === day)
        .sort((a, b) => (a.title < b.title ? -1 : 1))
        .map(({ slug, title }) => ({ title: asPrinted(title), slug })),
    }));
    expect((await beginVisit().readSchedule()).groups).toEqual(expected);
  });

  test('the ongoing list: every anime of every page, in order', async () => {
    const { beginVisit, catalogue, origin } = await openTroubled();
    const visit = beginVisit();
    const lastNumber = Math.ceil(catalogue.anime.length / PAGE_SIZE);
    for (let number = 1; number <= lastNumber; number += 1) {
      const cards = catalogue.anime
        .slice((number - 1) * PAGE_SIZE, number * PAGE_SIZE)
        .map((anime) => ({ ...anime, title: asPrinted(anime.title), image: `${origin}${anime.image}` }));
      expect(await visit.readOngoing(number)).toEqual({
        number,
        lastNumber,
        cards,
        alts: cards.map(({ title }) => `${title} Sub Indo`),
        builtAt: expect.any(Number),
        linked: cards.map(({ slug }) => slug),
      });
    }
  });
});

describe('the page of an anime', () => {
  const LANDING = '<!DOCTYPE html><html><head><title>Otakudesu Resmi</title></head><h1>Pindah</h1></html>';
  const answer =
    (status: number, text = LANDING, headers: Record<string, string> = {}): Trouble =>
    (request, response) => {
      if (request.url?.startsWith('/anime/')) response.writeHead(status, headers).end(text);
      return request.url?.startsWith('/anime/') === true;
    };

  /** Reads page 1, then the page of its first anime, where `trouble` answers; resolves with the error of that. */
  async function readTroubled(trouble: Trouble) {
    const troubled = await openTroubled(trouble);
    const visit = troubled.beginVisit();
    await visit.readOngoing(1);
    const slug = troubled.catalogue.anime[0]?.slug ?? '';
    const error = await visit.readAnime(slug).catch((reason: unknown) => reason);
    return { ...troubled, visit, error };
  }

  test.each([404, 410])('is gone where it is answered with %i', async (status) => {
    const { error } = await readTroubled(answer(status));
    expect(error).toBeInstanceOf(PageGone);
    expect(error).toEqual(refusal('source-moved', new RegExp(`answered ${status} for /anime/`, 'u')));
  });

  test('is gone where it redirects to a page of another host, from which nothing else is read', async () => {
    const landing = await openServer((_request, response) => void response.end(LANDING));
    const { error, visit, origin } = await readTroubled(answer(302, '', { location: landing.href }));
    expect(error).toBeInstanceOf(PageGone);
    expect(error).toEqual(refusal('source-moved', /redirects \/anime\/.*Otakudesu Resmi/u));
    expect(visit.origin()).toBe(origin);
    expect((await visit.readOngoing(2)).number).toBe(2);
  });

  test('is gone where another host answers at the same path', async () => {
    const landing = await openServer((_request, response) => void response.end(LANDING));
    const { error } = await readTroubled((request, response, asked) =>
      answer(302, '', { location: new URL(request.url ?? '', landing).href })(request, response, asked),
    );
    expect(error).toBeInstanceOf(PageGone);
  });

  test('is gone where it redirects to a list of the site', async () => {
    const { error } = await readTroubled(answer(301, '', { location: '/ongoing-anime/' }));
    expect(error).toBeInstanceOf(PageGone);
  });

  test('is read where it redirects to the page under another address', async () => {
    const { error: page } = await readTroubled((request, response) => {
      const [, slug] = /^\/anime\/([^/]+)\/$/u.exec(request.url ?? '') ?? [];
      if (slug === undefined || slug === OTHER_SLUG) return false;
      response.writeHead(301, { location: `/anime/${OTHER_SLUG}/` }).end();
      return true;
    });
    expect(page).toMatchObject({ titles: expect.any(Array) });
  });

  test.each<[string, Trouble, ErrorCode]>([
    ['it is refused', answer(403), 'source-blocked'],
    [
      'it is a challenge',
      answer(404, `${LANDING}<script>window._cf_chl_opt = {}</script>`),
      'source-blocked',
    ],
    ['the source fails', answer(500), 'source-down'],
    ['it is another page at its own address', answer(200), 'source-moved'],
    ['it is cut off', answer(200, LANDING.replace('</html>', '')), 'source-down'],
    [
      'it redirects to a host that does not answer',
      answer(302, '', { location: 'http://127.0.0.1:1/' }),
      'source-down',
    ],
  ])('is not known to be gone where %s', async (_what, trouble, code) => {
    const { error } = await readTroubled(trouble);
    expect(error).toEqual(refusal(code));
    expect(error).not.toBeInstanceOf(PageGone);
  });
});

/** Retries, refusals and the time of a crawl are rows of the faults. */
test('failed attempts share the time of a crawl, which is counted for each crawl', async () => {
  const twoOfThreeFail: Trouble = (_, response, asked) => {
    if (asked % 3 > 0) response.writeHead(500).end();
    return asked % 3 > 0;
  };
  const { beginVisit, asked } = await openTroubled(twoOfThreeFail, 100);
  const visit = beginVisit();
  const pages = (async () => {
    for (const page of [1, 2, 3, 4, 5, 6]) await visit.readOngoing(page);
  })();
  await expect(pages).rejects.toThrow(refusal('source-down', /500/u));
  expect(asked.length).toBeLessThanOrEqual(5);
  asked.length = 1;
  expect((await beginVisit().readOngoing(1)).number).toBe(1);
});

describe('an unchanged page', () => {
  async function openUnchanging() {
    const unchanged: string[] = [];
    const troubled = await openTroubled((request, response) => {
      const isKnown = request.headers['if-modified-since'] !== undefined;
      if (isKnown) response.writeHead(304).end();
      if (isKnown) unchanged.push(request.url ?? '');
      return isKnown;
    });
    return { ...troubled, unchanged };
  }

  test('is answered with 304 and read from memory, also in a later crawl', async () => {
    const { beginVisit, unchanged } = await openUnchanging();
    const schedule = await beginVisit().readSchedule();
    expect(unchanged).toEqual([]);
    expect(await beginVisit().readSchedule()).toEqual(schedule);
    expect(unchanged).toEqual(['/jadwal-rilis/']);
  });

  test.each([
    ['in place of a page', () => true],
    ['after a page without validators', (asked: number) => asked > 1],
  ])('is not believed when the request had no conditions: %s', async (_when, isUnchanged) => {
    const { beginVisit, catalogue, origin } = await openTroubled((request, response, asked) => {
      expect(request.headers).not.toHaveProperty('if-modified-since');
      if (isUnchanged(asked)) response.writeHead(304).end();
      else response.writeHead(200).end(renderSchedulePage(origin, catalogue.anime));
      return true;
    });
    if (!isUnchanged(1)) await beginVisit().readSchedule();
    await expect(beginVisit().readSchedule()).rejects.toThrow(refusal('source-down', /304/u));
  });

  test('is not believed when another address confirms it, and is then read without conditions', async () => {
    const other = await openUnchanging();
    let isMoved = false;
    const { beginVisit, asked } = await openTroubled((request, response) => {
      if (isMoved) response.writeHead(301, { location: other.origin + request.url }).end();
      return isMoved;
    });
    await beginVisit().readSchedule();
    isMoved = true;
    const visit = beginVisit();
    await visit.readSchedule();
    expect(visit.origin()).toBe(other.origin);
    expect([asked.length, other.asked.length, other.unchanged.length]).toEqual([3, 2, 1]);
  });

  test('is not used for another page', async () => {
    const { beginVisit, unchanged } = await openUnchanging();
    const visit = beginVisit();
    await visit.readOngoing(1);
    expect((await visit.readOngoing(2)).number).toBe(2);
    expect(unchanged).toEqual([]);
  });
});

describe('the total time of a crawl', () => {
  /** A source whose pages arrive so long after their requests, by a clock that stands still otherwise. */
  function openSlow(answerMs: number, delayMs: number, timeoutMs: number) {
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const { anime } = createCatalogue(new Date('2026-02-11T17:37:28Z'));
    const [origin, asked] = ['https://sumber.example', [] as string[]];
    const fetcher: PageFetcher = {
      async fetchPage(url) {
        asked.push(url);
        vi.advanceTimersByTime(delayMs + answerMs);
        const page = Number(/\/page\/(\d+)\/$/u.exec(url)?.[1] ?? 1);
        return fetchedPage(renderOngoingPage(origin, anime, page), { url });
      },
      fetchPicture: () => Promise.reject(new Error('there are no pictures')),
      close: async () => {},
    };
    const options = { mirrors: [origin], fetcher, timeoutMs, delayMs, random: () => 0, report: () => {} };
    const source = createSource(otakudesu, options);
    const beginCrawl = () => source.beginCrawl(new AbortController().signal);
    return { asked, beginCrawl, beginVisit: () => beginCrawl()(origin), origin };
  }

  async function readUntilItEnds({ beginVisit }: ReturnType<typeof openSlow>, most: number) {
    const visit = beginVisit();
    for (let page = 0; page < most; page += 1) await visit.readOngoing(1 + (page % 6));
  }

  test('is limited for all mirrors together', async () => {
    const { asked, beginCrawl, origin } = openSlow(270, 0, 300);
    const beginVisit = beginCrawl();
    const readPages = async (most: number) => {
      for (let page = 0; page < most; page += 1) await beginVisit(origin).readOngoing(1 + (page % 6));
    };
    await readPages(5);
    await expect(readPages(10)).rejects.toThrow(/the crawl took longer/u);
    expect(asked).toHaveLength(14);
  });

  test('does not include the delay between requests, and is counted for each crawl', async () => {
    const slow = openSlow(0, 100, 100);
    await readUntilItEnds(slow, 15);
    await readUntilItEnds(slow, 15);
    expect(slow.asked).toHaveLength(30);
  });
});
