import { expect, test } from 'vitest';
import { wrapText } from '../../src/commands/table.ts';

test('a text is broken between words, below its first line, and a word that is too long is left whole', () => {
  const text = 'good, 13 seconds ago; https://example.org/jadwal-rilis is ok';
  expect(wrapText(text, '    ', 25).split('\n')).toEqual([
    'good, 13 seconds ago;',
    '    https://example.org/jadwal-rilis',
    '    is ok',
  ]);
  expect(wrapText(text, '    ', Infinity)).toBe(text);
});
