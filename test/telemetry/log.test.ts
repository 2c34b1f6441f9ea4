import { pino } from 'pino';
import { expect, test } from 'vitest';
import { createReport } from '../../src/telemetry/log.ts';

test('a line about what a page links to has an end, however many links there are', () => {
  const lines: string[] = [];
  const report = createReport(pino({}, { write: (line: string) => void lines.push(line) }));
  const slugs = Array.from({ length: 10_000 }, (_, index) => `naga-${index}`);
  report({ type: 'anime-missing', from: 'the schedule', slugs });
  const [line = ''] = lines;
  const { msg, slugs: shown } = JSON.parse(line);
  expect(msg).toContain('naga-0 and 9999 more');
  expect(shown).toEqual(slugs.slice(0, 20));
});
