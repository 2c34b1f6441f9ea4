import { expect, test } from 'vitest';
import { wrapText, zonedTimeFormatter } from '../../src/commands/table.ts';

const TEXT = 'this can be written to, and its lease is free for now';

test('a text is broken between words where the terminal is wide enough to read it, and else left to the terminal', () => {
  expect(wrapText(TEXT, '  ', 40)).toBe('this can be written to, and its lease\n  is free for now');
  for (const width of [0, 1, 20, 39, Infinity]) expect(wrapText(TEXT, '  ', width)).toBe(TEXT);
});

test('a time names its zone', () => {
  const at = Date.UTC(2026, 10, 22, 1, 8);
  expect(zonedTimeFormatter('Asia/Jakarta')(at)).toMatch(/^2026-11-22 08:08:00 (?:GMT\+7|WIB)$/u);
  expect(zonedTimeFormatter('UTC')(at)).toBe('2026-11-22 01:08:00 UTC');
});
