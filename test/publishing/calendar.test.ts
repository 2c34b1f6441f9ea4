import ICAL from 'ical.js';
import { expect, test } from 'vitest';
import type { ExpectedEpisode } from '../../src/domain/episode-history.ts';
import { DAYS, type Day, type Snapshot } from '../../src/domain/listing.ts';
import { renderEdition } from '../../src/publishing/edition.ts';

/** A Wednesday. */
const CHANGED = Date.parse('2026-11-11T05:00:00Z');
/** A Friday, two weeks later. */
const NOW = Date.parse('2026-11-27T05:00:00Z');
const TIME_ZONE = 'Asia/Jakarta';

function render(day: Day, next: Partial<Record<string, ExpectedEpisode>>, before?: never) {
  const snapshot: Snapshot = {
    schedule: DAYS.map((name) => ({
      day: name,
      animeList: name === day ? [{ title: 'Naga', slug: 'naga' }] : [],
    })),
    ongoing: [],
    scheduleChangedAt: CHANGED,
    ongoingChangedAt: CHANGED,
    epoch: 'e1',
    lastEvent: 0,
  };
  const status = { state: 'ok' as const, since: CHANGED, refreshedAt: NOW };
  const state = { timeZone: TIME_ZONE, url: 'https://a.example', sourceUrl: 'https://b.example', status };
  const expected = next as Record<string, ExpectedEpisode>;
  const content = { snapshot, events: [], history: {}, expected };
  return renderEdition(content, { ...state, now: NOW }, before);
}

function readEvents(day: Day, next: Partial<Record<string, ExpectedEpisode>>) {
  const text = String(render(day, next).documents.get('/feeds/schedule.ics?slug=naga')?.identity.bytes);
  const events = new ICAL.Component(ICAL.parse(text)).getAllSubcomponents('vevent');
  return events.map((component) => new ICAL.Event(component));
}

const expectedAt = (time: string): ExpectedEpisode => {
  const at = Date.parse(time);
  return { episode: 4, expectedAt: at, earliest: at - 600_000, latest: at + 600_000, basis: 3, late: false };
};

test('an entry is at the expected time, every week since the schedule changed', () => {
  const [event] = readEvents('Jumat', { naga: expectedAt('2026-12-04T14:40:20Z') });
  expect(event?.startDate.isDate).toBe(false);
  expect(event?.startDate.toJSDate().toISOString()).toBe('2026-11-13T14:40:00.000Z');
  expect(event?.endDate.toJSDate().toISOString()).toBe('2026-11-13T15:10:00.000Z');
  expect(event?.component.getFirstPropertyValue('rrule')).toMatchObject({ freq: 'WEEKLY' });
});

test('an entry whose episode comes after midnight is on the day that follows', () => {
  const [event] = readEvents('Jumat', { naga: expectedAt('2026-12-04T17:20:00Z') });
  expect(event?.startDate.toJSDate().toISOString()).toBe('2026-11-13T17:20:00.000Z');
});

test('an entry is a whole day without an expected time, or with one on another day', () => {
  for (const next of [{}, { naga: expectedAt('2026-12-02T14:40:00Z') }]) {
    const [event] = readEvents('Jumat', next);
    expect(event?.startDate.isDate).toBe(true);
    expect(event?.startDate.toString()).toBe('2026-11-13');
  }
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
