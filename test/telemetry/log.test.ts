import { pino } from 'pino';
import { expect, test } from 'vitest';
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
