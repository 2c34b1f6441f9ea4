import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { FAULTS } from './faults.ts';

/** The cells of `docs/faults.md`, row by row. */
const TABLE = readFileSync(path.resolve(import.meta.dirname, '../../docs/faults.md'), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| '))
  .slice(2)
  .map((line) => line.slice(2, -2).replaceAll('PORT', '3000').replaceAll('\\|', '¦').split(' | '))
  .map((cells) => cells.map((cell) => cell.replaceAll('¦', '|')));

test.each(FAULTS)('docs/faults.md says what comes of it: $name', ({ name, does, state, expectedReason }) => {
  const operator = new RegExp(`^${state}, exit [01].*${expectedReason?.source ?? ''}`, 'u');
  const row = [name, does, expect.stringContaining(`detail=${state}`), expect.stringMatching(operator)];
  expect(TABLE.filter(([first]) => first === name)).toEqual([row]);
});

test('docs/faults.md has no other row', () => expect(TABLE).toHaveLength(FAULTS.length));
