import ICAL from 'ical.js';
import { expect, test } from 'vitest';
import type { EpisodeHistory, ExpectedEpisode } from '../../src/domain/episode-history.ts';
import { DAYS, type Day, type Snapshot } from '../../src/domain/listing.ts';
import { renderEdition } from '../../src/publishing/edition.ts';
import { makeAnime, makeAnimePage } from '../support/fake-source.ts';

/** A Wednesday. */
const CHANGED = Date.parse('2026-11-11T05:00:00Z');
/** A Friday, two weeks later. */
const NOW = Date.parse('2026-11-27T05:00:00Z');
const TIME_ZONE = 'Asia/Jakarta';

interface More {
  left?: Snapshot['left'];
  details?: Snapshot['details'];
  history?: EpisodeHistory;
  isAiring?: boolean;
}

function render(
  day: Day,
  next: Partial<Record<string, ExpectedEpisode>>,
  before?: never,
  { left = {}, details = {}, history = {}, isAiring = false }: More = {},
) {
  const snapshot: Snapshot = {
    schedule: DAYS.map((name) => ({
      day: name,
      animeList: name === day ? [{ title: 'Naga', slug: 'naga' }] : [],
    })),
    ongoing: isAiring ? [{ ...makeAnime(1), title: 'Naga', slug: 'naga', episode: 3, day }] : [],
    left,
    details,
    scheduleChangedAt: CHANGED,
    ongoingChangedAt: CHANGED,
    epoch: 'e1',
    lastEvent: 0,
  };
  const status = { state: 'ok' as const, since: CHANGED, refreshedAt: NOW };
  const state = { timeZone: TIME_ZONE, url: 'https://a.example', sourceUrl: 'https://b.example', status };
  const expected = next as Record<string, ExpectedEpisode>;
  const content = { snapshot, events: [], history, expected };
  return renderEdition(content, { ...state, now: NOW }, before);
}

function readEvents(
  day: Day,
  next: Partial<Record<string, ExpectedEpisode>>,
  isAiring = false,
  details: Snapshot['details'] = {},
) {
  const text = String(
    render(day, next, undefined, { isAiring, details }).documents.get('/feeds/schedule.ics?slug=naga')
      ?.identity.bytes,
  );
  const events = new ICAL.Component(ICAL.parse(text)).getAllSubcomponents('vevent');
  return events.map((component) => new ICAL.Event(component));
}

const expectedAt = (time: string): ExpectedEpisode => {
  const at = Date.parse(time);
  return {
    episode: 4,
    expectedAt: at,
    earliest: at - 600_000,
    latest: at + 600_000,
    periodMs: 7 * 86_400_000,
    basis: 3,
    late: false,
  };
};

test('an entry is at the expected time and repeated every week, the first with the number of its episode', () => {
  const [weekly, first] = readEvents('Jumat', { naga: expectedAt('2026-12-04T14:40:20Z') }, true);
  for (const event of [weekly, first]) {
    expect(event?.startDate.toJSDate().toISOString()).toBe('2026-12-04T14:40:00.000Z');
    expect(event?.endDate.toJSDate().toISOString()).toBe('2026-12-04T15:10:00.000Z');
  }
  expect(weekly?.component.getFirstPropertyValue('rrule')).toMatchObject({ freq: 'WEEKLY' });
  expect([weekly?.summary, first?.summary]).toEqual(['Naga', 'Naga – Episode 4']);
  expect(first?.recurrenceId.toString()).toBe(weekly?.startDate.toString());
  expect(first?.uid).toBe(weekly?.uid);
});

test('an entry is repeated as often as there are episodes, and every two weeks where they come so', () => {
  const next = { ...expectedAt('2026-12-04T14:40:00Z'), periodMs: 14 * 86_400_000 };
  const details = { ...makeAnimePage().details, totalEpisodes: 12 };
  const [event] = readEvents('Jumat', { naga: next }, true, {
    naga: { details, readAt: NOW, episode: 3, stale: 0 },
  });
  expect(event?.component.getFirstPropertyValue('rrule')).toMatchObject({ interval: 2, count: 9 });
});

test('an entry without an expected time is the whole next day of its slot', () => {
  const [event] = readEvents('Jumat', {});
  expect(event?.startDate.isDate).toBe(true);
  expect(event?.startDate.toString()).toBe('2026-11-27');
});

test('the calendar of an anime that left has the episodes that came', () => {
  const { documents } = render('Jumat', {}, undefined, {
    left: { tamat: { leftAt: NOW - 86_400_000, anime: { ...makeAnime(1), slug: 'tamat', title: 'Tamat' } } },
    history: {
      tamat: [
        { episode: 12, releasedAt: CHANGED },
        { episode: 11, date: '2026-11-04' },
      ],
    },
  });
  const text = String(documents.get('/feeds/schedule.ics?slug=tamat')?.identity.bytes);
  const events = new ICAL.Component(ICAL.parse(text))
    .getAllSubcomponents('vevent')
    .map((one) => new ICAL.Event(one));
  expect(events.map(({ summary, startDate }) => [summary, startDate.toString()])).toEqual([
    ['Tamat – Episode 12', '2026-11-11T05:00:00Z'],
    ['Tamat – Episode 11', '2026-11-04'],
  ]);
  expect(String(documents.get('/feeds/schedule.ics')?.identity.bytes)).not.toContain('Tamat');
});

test('a calendar says that it is to be fetched again every hour', () => {
  const text = String(render('Jumat', {}).documents.get('/feeds/schedule.ics')?.identity.bytes);
  expect(text).toContain('\r\nREFRESH-INTERVAL;VALUE=DURATION:PT1H\r\n');
});

test('an entry keeps its identifier when its time becomes known', () => {
  const [allDay] = readEvents('Jumat', {});
  const [timed] = readEvents('Jumat', { naga: expectedAt('2026-12-04T14:40:00Z') });
  expect(timed?.uid).toBe(allDay?.uid);
});

test('a calendar is dated later when its time becomes known, and stays as it is otherwise', () => {
  const address = '/feeds/schedule.ics?slug=naga';
  const before = render('Jumat', {});
  const same = render('Jumat', {}, before as never);
  expect(same.documents.get(address)).toBe(before.documents.get(address));
  const timed = render('Jumat', { naga: expectedAt('2026-12-04T14:40:00Z') }, before as never);
  expect(timed.documents.get(address)?.changedAt).toBe(NOW + 1_000);
});
