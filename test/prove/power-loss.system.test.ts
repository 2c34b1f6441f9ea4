import { expect, test } from 'vitest';
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

const WRITTEN = [create('/data/a'), write('/data/a', 'text', 0)];
const REPLACED = [...WRITTEN, rename('/data/a', '/data/old'), sync('/data')];
/** A flush of the file `old`, which ends after another thread has written to it. */
const OVERTAKEN = [
  `7 fsync(${fd(5, '/data/old')} <unfinished ...>`,
  write('/data/old', 'B', 0).replace('7', '8'),
  '7 <... fsync resumed>) = 0',
];
const KEPT = { old: 'before' };

test.each<[string, string[], Survival, Record<string, string>]>([
  [
    'a file is there whole when it and its folder were flushed',
    [...WRITTEN, sync('/data/a'), sync('/data')],
    NOTHING,
    { ...KEPT, a: 'text' },
  ],
  ['a file whose folder was not flushed may be gone', [...WRITTEN, sync('/data/a')], NOTHING, KEPT],
  ['or it may be there', [...WRITTEN, sync('/data/a')], ALL, { ...KEPT, a: 'text' }],
  ['a file that was renamed without a flush may be empty', REPLACED, NOTHING, { old: '' }],
  ['or it may be cut off', REPLACED, { names: 0, bytes: 'half' }, { old: 'te' }],
  ['a removed file may be back', [unlink('/data/old')], NOTHING, KEPT],
  ['unless its folder was flushed', [unlink('/data/old'), sync('/data')], NOTHING, {}],
  [
    'names change in their order',
    [create('/data/a'), rename('/data/a', '/data/b'), unlink('/data/old')],
    { names: 2, bytes: 'none' },
    { b: '', ...KEPT },
  ],
  [
    'of two writes that replace bytes, the later may be the only one',
    [write('/data/old', 'B', 0), write('/data/old', 'F', 2)],
    { names: 0, bytes: 'later' },
    { old: 'beFore' },
  ],
  ['a write that began before a flush ended is not covered by it', OVERTAKEN, NOTHING, KEPT],
  ['and may be there all the same', OVERTAKEN, ALL, { old: 'Before' }],
])('after a loss of power, %s', (_rule, lines, survival, files) => {
  expect(filesAfter(lines, survival)).toEqual(files);
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
