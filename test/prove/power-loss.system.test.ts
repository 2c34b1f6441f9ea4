import { describe, expect, test } from 'vitest';
import { hasProgram, testWith } from '../support/needs.ts';
import { type Survival, treeAfter } from './power-loss/after-power-loss.ts';
import { toChanges } from './power-loss/changes.ts';
import { type FolderNode, listTree } from './power-loss/file-tree.ts';
import { parseTrace } from './power-loss/parse-trace.ts';
import { losePower } from './power-loss/power-loss.ts';

const ROOT = '/data';
const hex = (text: string) => [...text].map((c) => `\\x${c.charCodeAt(0).toString(16)}`).join('');
const quoted = (text: string) => `"${hex(text)}"`;
const fd = (number: number, path: string) => `${number}<${hex(path)}>`;

const create = (path: string) => `7 openat(AT_FDCWD<>, ${quoted(path)}, O_WRONLY|O_CREAT, 0666) = 5`;
const write = (path: string, text: string, at: number) =>
  `7 pwrite64(${fd(5, path)}, ${quoted(text)}, ${text.length}, ${at}) = ${text.length}`;
const sync = (path: string) => `7 fsync(${fd(5, path)}) = 0`;
const rename = (from: string, to: string) => `7 rename(${quoted(from)}, ${quoted(to)}) = 0`;
const unlink = (path: string) => `7 unlink(${quoted(path)}) = 0`;

const folderWith = (text: string): FolderNode => ({
  entries: new Map([['old', { bytes: Buffer.from(text) }]]),
});

/** The files after these lines of a trace and a loss of power; the folder had the file `old`. */
function filesAfter(lines: string[], survival: Survival): Record<string, string> {
  const before = folderWith('before');
  const changes = toChanges(parseTrace(lines.join('\n')), ROOT, before);
  const files = listTree(treeAfter(before, changes, survival));
  return Object.fromEntries([...files].map(([name, bytes]) => [name, String(bytes)]));
}

const NOTHING: Survival = { names: 0, bytes: 'none' };
const ALL: Survival = { names: Number.POSITIVE_INFINITY, bytes: 'all' };

describe('after a loss of power', () => {
  test('a file is there whole when it and its folder were flushed', () => {
    const lines = [create('/data/a'), write('/data/a', 'text', 0), sync('/data/a'), sync('/data')];
    expect(filesAfter(lines, NOTHING)).toEqual({ old: 'before', a: 'text' });
  });

  test('a file whose folder was not flushed may be gone', () => {
    const lines = [create('/data/a'), write('/data/a', 'text', 0), sync('/data/a')];
    expect(filesAfter(lines, NOTHING)).toEqual({ old: 'before' });
    expect(filesAfter(lines, ALL)).toEqual({ old: 'before', a: 'text' });
  });

  test('a file that was renamed without a flush may be empty or cut off', () => {
    const lines = [
      create('/data/a'),
      write('/data/a', 'text', 0),
      rename('/data/a', '/data/old'),
      sync('/data'),
    ];
    expect(filesAfter(lines, NOTHING)).toEqual({ old: '' });
    expect(filesAfter(lines, { names: 0, bytes: 'half' })).toEqual({ old: 'te' });
  });

  test('a removed file may be back', () => {
    expect(filesAfter([unlink('/data/old')], NOTHING)).toEqual({ old: 'before' });
    expect(filesAfter([unlink('/data/old'), sync('/data')], NOTHING)).toEqual({});
  });

  test('names change in their order', () => {
    const lines = [create('/data/a'), rename('/data/a', '/data/b'), unlink('/data/old')];
    expect(filesAfter(lines, { names: 2, bytes: 'none' })).toEqual({ b: '', old: 'before' });
  });

  test('of two writes that replace bytes, the later may be the only one', () => {
    const lines = [write('/data/old', 'B', 0), write('/data/old', 'F', 2)];
    expect(filesAfter(lines, { names: 0, bytes: 'later' })).toEqual({ old: 'beFore' });
  });

  test('a write that began before a flush ended is not covered by it', () => {
    const lines = [
      `7 fsync(${fd(5, '/data/old')} <unfinished ...>`,
      write('/data/old', 'B', 0).replace('7', '8'),
      '7 <... fsync resumed>) = 0',
    ];
    expect(filesAfter(lines, NOTHING)).toEqual({ old: 'before' });
    expect(filesAfter(lines, ALL)).toEqual({ old: 'Before' });
  });
});

/** A sample of `npm run prove -- power-loss`, which loses the power after every change of every operation. */
testWith(hasProgram('strace'), 'strace').each([
  ['deletion', 1],
  ['upload', 3],
  ['termination', 8],
])('what was acknowledged survives a loss of power during the operation "%s"', async (operation, stride) => {
  const { states, failures } = await losePower(operation, stride);
  expect(failures).toEqual([]);
  expect(states).toBeGreaterThan(2);
});
