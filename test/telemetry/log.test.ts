import { pino } from 'pino';
import { expect, test } from 'vitest';
import { AppError } from '../../src/domain/errors.ts';
import { createReport } from '../../src/telemetry/log.ts';

function open() {
  const lines: string[] = [];
  const report = createReport(pino({}, { write: (line: string) => void lines.push(line) }));
  return { report, lines };
}

test('refused connections are logged as a warning with their number and origin', () => {
  const { report, lines } = open();
  report({ type: 'connections-refused', origin: 'uploads', count: 17 });
  const [line = ''] = lines;
  expect(JSON.parse(line)).toMatchObject({
    level: 40,
    type: 'connections-refused',
    origin: 'uploads',
    count: 17,
  });
  expect(line).toContain('refused 17 connections to the uploads');
});

test('a line lists a limited number of items, however many anime a page links to', () => {
  const { report, lines } = open();
  const slugs = Array.from({ length: 10_000 }, (_, index) => `naga-${index}`);
  report({ type: 'anime-missing', from: 'the schedule', slugs });
  const [line = ''] = lines;
  const { msg, slugs: shown } = JSON.parse(line);
  expect(msg).toContain('naga-0 and 9999 more');
  expect(shown).toEqual(slugs.slice(0, 20));
});

test('a refused refresh is logged with the time of the next attempt, where there is one', () => {
  const { report, lines } = open();
  const error = new AppError('source-blocked', 'the source refused with 403');
  const event = { type: 'refresh-refused', error, isNews: true, hasSnapshot: false } as const;
  report({ ...event, nextAttempt: Date.UTC(2026, 10, 20, 12) });
  report({ ...event, nextAttempt: null });
  const [timed = '', untimed = ''] = lines.map((line) => JSON.parse(line).msg);
  expect(timed).toBe(
    'refresh refused, there is no snapshot yet: the source refused with 403; the next attempt is at 2026-11-20T12:00:00.000Z',
  );
  expect(untimed).toMatch(/refused with 403$/u);
});

test('a scanner that fails is an error once, and what it finds is a warning with the signature', () => {
  const { report, lines } = open();
  const error = new Error('clamd closed the connection');
  report({ type: 'upload-scanned', outcome: 'failed', error, isNews: true });
  report({ type: 'upload-scanned', outcome: 'failed', error, isNews: false });
  report({ type: 'upload-scanned', outcome: 'found', signature: 'Eicar-Test-Signature' });
  expect(lines.map((line) => JSON.parse(line).level)).toEqual([50, 40]);
  expect(lines[1]).toContain('Eicar-Test-Signature');
});
