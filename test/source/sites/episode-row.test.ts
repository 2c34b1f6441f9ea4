import { describe, expect, test } from 'vitest';
import { parseRow, splitTitles } from '../../../src/source/sites/otakudesu/episode-row.ts';
import ROWS from './episode-rows.json' with { type: 'json' };

/** The rows of each title: the episodes, none for a special, null where the row cannot be read. */
const TABLE = Object.entries(ROWS) as [string, [string, number[] | null, 'last'?][]][];

describe.each(TABLE)('a row of "%s"', (title, rows) => {
  test.each(rows)('%j has the episodes %j', (text, episodes, last) => {
    const expected = episodes ? { episodes, isLast: last !== undefined } : undefined;
    expect(parseRow(text, splitTitles([title, 'Nama lain']))).toEqual(expected);
  });
});
