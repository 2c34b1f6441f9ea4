import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import nock from 'nock';
import { describe, expect, test } from 'vitest';
import { readCalendar } from '../../../src/crawler/broadcasts/read-calendar.ts';
import { answerWithNock } from '../../support/nock.ts';

const NOW = Date.parse('2026-02-11T12:00:00Z');
const MIRROR = 'https://calendar.example';

const AIRING = {
  episode: 6,
  airingAt: NOW / 1_000,
  media: {
    id: 7,
    idMal: null,
    synonyms: ['Kucing', 9],
    title: { romaji: ' Neko\u202e ', english: null, native: '猫' },
  },
};

const answer = (airingSchedules: unknown, hasNextPage = false) => ({
  data: { Page: { pageInfo: { hasNextPage }, airingSchedules } },
});

function read(url: string, onRequest = () => {}) {
  const { signal } = new AbortController();
  return readCalendar({ url, userAgent: 'Tayang/test', now: () => NOW, signal, onRequest, pauseMs: 0 });
}

answerWithNock();

describe('AniList', () => {
  const anilist = () => nock('https://graphql.anilist.co', { reqheaders: { 'user-agent': 'Tayang/test' } });

  test('is asked for eight days back and fourteen ahead, page by page', async () => {
    const asked: Record<string, number>[] = [];
    for (const page of [1, 2])
      anilist()
        .post('/', ({ variables }) => asked.push(variables) > 0)
        .reply(200, answer([{ ...AIRING, episode: page }], page === 1));
    const { media } = await read('anilist:');
    const from = Date.parse('2026-02-03T12:00:00Z') / 1_000;
    const to = Date.parse('2026-02-25T12:00:00Z') / 1_000;
    expect(asked).toEqual([1, 2].map((page) => ({ page, from, to })));
    expect(media).toMatchObject([{ id: 7, broadcasts: [{ episode: 1 }, { episode: 2 }] }]);
  });

  test('is sent ten requests at most, however many pages it says there are', async () => {
    anilist()
      .post('/')
      .times(20)
      .reply(200, answer([AIRING], true));
    let requests = 0;
    await read('anilist:', () => {
      requests += 1;
    });
    expect(requests).toBe(10);
  });

  test('says when it is to be asked again', async () => {
    anilist().post('/').reply(429, '', { 'retry-after': '90' });
    const error = { code: 'source-down', message: 'it answered 429', retryAfterMs: 90_000 };
    await expect(read('anilist:')).rejects.toMatchObject(error);
  });
});

describe('a document', () => {
  test('is read by its address', async () => {
    nock(MIRROR)
      .get('/week.json')
      .reply(200, answer([AIRING]));
    expect(await read(`${MIRROR}/week.json`)).toMatchObject({
      media: [
        {
          ...{ id: 7, idMal: null, romaji: 'Neko', english: null, native: '猫', synonyms: ['Kucing'] },
          broadcasts: [{ episode: 6, at: NOW }],
        },
      ],
    });
  });

  test('is read from a file', async () => {
    const file = path.join(mkdtempSync(path.join(tmpdir(), 'calendar-')), 'week.json');
    writeFileSync(file, JSON.stringify(answer([AIRING])));
    expect((await read(`file:${file}`)).media).toHaveLength(1);
  });

  test.each([
    ['no number', { ...AIRING, episode: null }],
    ['half an episode', { ...AIRING, episode: 6.5 }],
    ['no time', { ...AIRING, airingAt: '2026-02-11' }],
    ['a time in milliseconds', { ...AIRING, airingAt: NOW }],
    ['a time of another year', { ...AIRING, airingAt: NOW / 1_000 - 90 * 86_400 }],
    ['no medium', { ...AIRING, media: null }],
    ['nothing', null],
  ])('loses an entry with %s, and no other', async (_, entry) => {
    nock(MIRROR)
      .get('/')
      .reply(200, answer([entry, AIRING]));
    expect((await read(MIRROR)).media).toMatchObject([{ id: 7, broadcasts: [{ episode: 6, at: NOW }] }]);
  });

  test.each([
    ['has none', []],
    ['is of another year, or of a clock that is wrong', [{ ...AIRING, airingAt: NOW / 1_000 + 90 * 86_400 }]],
  ])('that %s is refused, so that the last good one stays', async (_, entries) => {
    nock(MIRROR).get('/').reply(200, answer(entries));
    await expect(read(MIRROR)).rejects.toMatchObject({ code: 'source-changed' });
  });
});

test.each([['/nowhere/week.json'], [tmpdir()]])('the file %s is refused', async (file) => {
  await expect(read(`file:${file}`)).rejects.toMatchObject({
    code: 'source-down',
    message: expect.stringContaining('it cannot be read'),
  });
});
