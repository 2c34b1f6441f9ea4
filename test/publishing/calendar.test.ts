import ICAL from 'ical.js';
import { expect, test } from 'vitest';
import type { Snapshot } from '../../src/domain/snapshot.ts';
import type { Edition, EditionContent } from '../../src/publishing/edition.ts';
import { makeExpected, makeSnapshot, renderTestEdition } from '../support/edition.ts';
import { makeAnime, makeAnimePage } from '../support/fake-source.ts';

/** A Wednesday. */
const CHANGED = Date.parse('2026-11-11T05:00:00Z');
/** A Friday, two weeks later. */
const NOW = Date.parse('2026-11-27T05:00:00Z');
const ADDRESS = '/feeds/schedule.ics?slug=naga';
const NAGA = { ...makeAnime(1), title: 'Naga', slug: 'naga', episode: 3, day: 'Jumat' as const };
/** Only the schedule has the anime. */
const SCHEDULED = makeSnapshot([], [NAGA]);
const AIRING = makeSnapshot([NAGA]);

function render(snapshot: Snapshot, content: Partial<EditionContent> = {}, before?: Edition) {
  const changed = { scheduleChangedAt: CHANGED, ongoingChangedAt: CHANGED };
  return renderTestEdition({ ...snapshot, ...changed }, content, { now: NOW, ...(before && { before }) });
}

function eventsIn(calendar: string) {
  const events = new ICAL.Component(ICAL.parse(calendar)).getAllSubcomponents('vevent');
  return events.map((component) => new ICAL.Event(component));
}

const readEvents = (...args: Parameters<typeof render>) => eventsIn(render(...args).text(ADDRESS));
const expectedAt = (time: string) => ({ expected: { naga: makeExpected(Date.parse(time)) } });

test('an entry is at the expected time and repeated every week, the first with the number of its episode', () => {
  const [weekly, first] = readEvents(AIRING, expectedAt('2026-12-04T14:40:20Z'));
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
  const naga = makeExpected(Date.parse('2026-12-04T14:40:00Z'), { periodMs: 14 * 86_400_000 });
  const details = { ...makeAnimePage().details, totalEpisodes: 12 };
  const known = { naga: { details, readAt: NOW, episode: 3, stale: 0 } };
  const [event] = readEvents({ ...AIRING, details: known }, { expected: { naga } });
  expect(event?.component.getFirstPropertyValue('rrule')).toMatchObject({ interval: 2, count: 9 });
});

test('an entry without an expected time is the whole next day of its slot', () => {
  const [event] = readEvents(SCHEDULED);
  expect(event?.startDate.isDate).toBe(true);
  expect(event?.startDate.toString()).toBe('2026-11-27');
});

test('the calendar of an anime that left has the episodes that came', () => {
  const left = { tamat: { leftAt: NOW - 86_400_000, anime: { ...NAGA, slug: 'tamat', title: 'Tamat' } } };
  const tamat = [
    { episode: 12, releasedAt: CHANGED },
    { episode: 11, date: '2026-11-04' },
  ];
  const { text } = render({ ...SCHEDULED, left }, { history: { tamat } });
  const events = eventsIn(text('/feeds/schedule.ics?slug=tamat'));
  expect(events.map(({ summary, startDate }) => [summary, startDate.toString()])).toEqual([
    ['Tamat – Episode 12', '2026-11-11T05:00:00Z'],
    ['Tamat – Episode 11', '2026-11-04'],
  ]);
  expect(text('/feeds/schedule.ics')).not.toContain('Tamat');
});

test('a calendar says that it is to be fetched again every hour', () => {
  expect(render(SCHEDULED).text('/feeds/schedule.ics')).toContain(
    '\r\nREFRESH-INTERVAL;VALUE=DURATION:PT1H\r\n',
  );
});

test('an entry keeps its identifier when its time becomes known, and its calendar is dated later', () => {
  const before = render(SCHEDULED);
  const timed = render(SCHEDULED, expectedAt('2026-12-04T14:40:00Z'), before);
  expect(eventsIn(timed.text(ADDRESS))[0]?.uid).toBe(eventsIn(before.text(ADDRESS))[0]?.uid);
  expect(timed.document(ADDRESS).changedAt).toBe(NOW + 1_000);
});
