import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startEditionSender } from '../../src/app/edition-sender.ts';
import { initialStatus } from '../../src/crawler/source-state.ts';
import { expectEpisodes } from '../../src/crawler/timing/expected-times.ts';
import { DAYS, type OngoingAnime, type Snapshot } from '../../src/domain/listing.ts';
import type { OperationalEvent } from '../../src/domain/operational-event.ts';
import type { Documents } from '../../src/publishing/document.ts';
import { createUnpacker } from '../../src/publishing/packed-documents.ts';

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

let reports: OperationalEvent[] = [];
let stop = () => {};

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'], now: NOON + HOUR });
});

afterEach(() => {
  stop();
  vi.useRealTimers();
});

/** Starts a sender with one snapshot. `broken` makes it fail. */
function start() {
  const editions: Documents[] = [];
  const state = { broken: false };
  const unpack = createUnpacker();
  reports = [];
  const sender = startEditionSender({
    url: 'https://a.example',
    sourceUrl: 'https://b.example',
    timeZone: 'Asia/Jakarta',
    post(message) {
      if (message.type === 'edition') editions.push(unpack(message.documents));
    },
    report: (event) => void reports.push(event),
    now() {
      if (state.broken) throw new Error('full');
      return Date.now();
    },
  });
  stop = sender.stop;
  const expected = expectEpisodes(snapshot, history, Date.now());
  const status = { ...initialStatus(0), state: 'ok' as const };
  sender.render({ snapshot, events: [], history, status, expected });
  const bytesOf = (address: string) => String(editions.at(-1)?.get(address)?.identity.bytes);
  return { editions, state, bytesOf, read: (address: string) => JSON.parse(bytesOf(address)).data };
}

test('an episode that has not come in its window is late, and three days later expected in the next week, without a crawl', () => {
  const { read } = start();
  const [{ expectedAt, latest }] = read('/api/anime/upcoming');
  expect(expectedAt).toBe(new Date(NOON + WEEK).toISOString());
  vi.setSystemTime(Date.parse(latest) - 90_000);
  vi.advanceTimersByTime(60_000);
  expect(read('/api/anime/upcoming')).toMatchObject([{ expectedAt, late: false }]);
  vi.advanceTimersByTime(120_000);
  expect(read('/api/anime/upcoming')).toMatchObject([{ expectedAt, late: true }]);
  vi.setSystemTime(Date.parse(latest) + 3 * 24 * HOUR);
  vi.advanceTimersByTime(60_000);
  expect(read('/api/anime/naga').next.expectedAt).toBe(new Date(NOON + 2 * WEEK).toISOString());
  expect(read('/api/anime/upcoming')).toMatchObject([
    { expectedAt: new Date(NOON + 2 * WEEK).toISOString(), late: false },
  ]);
});

test('a document that the passing of time does not change is reused', () => {
  const { editions } = start();
  vi.setSystemTime(NOON + WEEK + HOUR);
  vi.advanceTimersByTime(5_000);
  const [before, after] = editions;
  for (const address of ['/api/anime', '/api/anime/home?page=1', '/feeds/episodes.atom', '/api/anime/events'])
    expect(after?.get(address)).toBe(before?.get(address));
  const changed = after?.get('/api/anime/naga');
  expect(changed?.changedAt).toBe(NOON + WEEK + HOUR + 5_000);
});

test('a day that begins has its own front page, also when the clock is set', () => {
  const { bytesOf } = start();
  for (const [time, date] of [
    ['2026-11-20T17:00:00Z', 'Sabtu, 21 November'],
    ['2026-11-25T12:00:00Z', 'Rabu, 25 November'],
    ['2026-11-20T12:00:00Z', 'Jumat, 20 November'],
  ] as const) {
    vi.setSystemTime(Date.parse(time));
    vi.advanceTimersByTime(5_000);
    expect(bytesOf('/?lang=id')).toContain(date);
  }
});

test('a rendering that fails is reported once, and tried again until it succeeds', () => {
  const { editions, state } = start();
  state.broken = true;
  vi.setSystemTime(Date.parse('2026-11-20T17:00:00Z'));
  vi.advanceTimersByTime(60_000);
  expect(reports).toEqual([{ type: 'render-failed', error: new Error('full') }]);
  state.broken = false;
  vi.advanceTimersByTime(60_000);
  expect(editions).toHaveLength(2);
});
