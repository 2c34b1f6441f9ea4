import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startExpectedTimer } from '../../src/app/render-timers.ts';
import { initialStatus } from '../../src/crawler/source-state.ts';
import { expectEpisodes } from '../../src/crawler/timing/expected-times.ts';
import { DAYS, type OngoingAnime, type Snapshot } from '../../src/domain/listing.ts';
import type { OperationalEvent } from '../../src/domain/operational-event.ts';
import { nextUpcomingChange } from '../../src/publishing/anime-records.ts';
import type { Edition } from '../../src/publishing/edition.ts';
import { createEditionPublisher } from '../../src/publishing/edition-publisher.ts';

const WEEK = 7 * 86_400_000;
const HOUR = 3_600_000;
const NOON = Date.parse('2026-11-20T12:00:00Z');
/** Seen at noon three Fridays in a row, this one the last. */
const history = {
  naga: [3, 2, 1].map((episode) => ({ episode, seenAt: NOON - (3 - episode) * WEEK })),
};
const anime: OngoingAnime = {
  title: 'Naga',
  episode: 3,
  day: 'Jumat',
  date: '20 Nov',
  image: 'https://img.example/1.jpg',
  slug: 'naga',
};
const snapshot: Snapshot = {
  schedule: DAYS.map((day) => ({ day, animeList: [] })),
  ongoing: [anime],
  scheduleChangedAt: NOON,
  ongoingChangedAt: NOON,
  epoch: 'e1',
  lastEvent: 0,
};

let stop = () => {};

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'], now: NOON + HOUR });
});

afterEach(() => {
  stop();
  vi.useRealTimers();
});

/** The crawler's thread without its threads: it publishes what is expected when that has changed. */
function start() {
  const published: Edition[] = [];
  const publish = createEditionPublisher({
    url: 'https://a.example',
    sourceUrl: 'https://b.example',
    timeZone: 'Asia/Jakarta',
    publish: (edition: Edition) => void published.push(edition),
    now: Date.now,
  });
  let changeAt = 0;
  const render = () => {
    const expected = expectEpisodes(snapshot, history, Date.now());
    const status = { ...initialStatus(0), state: 'ok' as const };
    publish({ snapshot, events: [], history, status, expected });
    changeAt = nextUpcomingChange(expected, Date.now());
  };
  render();
  stop = startExpectedTimer({
    nextChange: () => changeAt,
    onChange: render,
    now: Date.now,
    report: () => {},
  });
  const read = (address: string) =>
    JSON.parse(String(published.at(-1)?.documents.get(address)?.identity.bytes)).data;
  return { published, read };
}

test('an episode that has not come in its window is late, and three days later expected in the next week, without a crawl', () => {
  const { published, read } = start();
  const [{ expectedAt, latest }] = read('/api/anime/upcoming');
  expect(expectedAt).toBe(new Date(NOON + WEEK).toISOString());
  vi.setSystemTime(Date.parse(latest) - 90_000);
  vi.advanceTimersByTime(60_000);
  expect(published).toHaveLength(1);
  vi.advanceTimersByTime(120_000);
  expect(published).toHaveLength(2);
  expect(read('/api/anime/upcoming')).toMatchObject([{ expectedAt, late: true }]);
  vi.setSystemTime(Date.parse(latest) + 3 * 24 * HOUR);
  vi.advanceTimersByTime(60_000);
  expect(read('/api/anime/naga').next.expectedAt).toBe(new Date(NOON + 2 * WEEK).toISOString());
  expect(read('/api/anime/upcoming')).toMatchObject([
    { expectedAt: new Date(NOON + 2 * WEEK).toISOString(), late: false },
  ]);
});

test('a document that the passing of time does not change is reused', () => {
  const { published } = start();
  vi.setSystemTime(NOON + WEEK + HOUR);
  vi.advanceTimersByTime(60_000);
  const [before, after] = published;
  for (const address of ['/api/anime', '/api/anime/home?page=1', '/feeds/episodes.atom', '/api/anime/events'])
    expect(after?.documents.get(address)).toBe(before?.documents.get(address));
  const changed = after?.documents.get('/api/anime/naga');
  expect(changed?.changedAt).toBe(NOON + WEEK + HOUR + 60_000);
});

test('a rendering that fails is reported once and tried again every minute', () => {
  const reports: OperationalEvent[] = [];
  let calls = 0;
  stop = startExpectedTimer({
    nextChange: () => 0,
    now: Date.now,
    report: (event) => void reports.push(event),
    onChange() {
      calls += 1;
      throw new Error('full');
    },
  });
  vi.advanceTimersByTime(3 * 60_000);
  expect([calls, reports.length]).toEqual([3, 1]);
});
