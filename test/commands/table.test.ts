import { expect, test } from 'vitest';
import { zonedTimeFormatter } from '../../src/commands/table.ts';

test('a time names its zone', () => {
  const at = Date.UTC(2026, 10, 22, 1, 8);
  expect(zonedTimeFormatter('Asia/Jakarta')(at)).toMatch(/^2026-11-22 08:08:00 (?:GMT\+7|WIB)$/u);
  expect(zonedTimeFormatter('UTC')(at)).toBe('2026-11-22 01:08:00 UTC');
});
