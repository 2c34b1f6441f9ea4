import { parseEnv } from 'node:util';
import { expect, test } from 'vitest';
import { findStrayLines } from '../../src/commands/env-file.ts';

test.each([
  ['', []],
  ['# a comment\n\n  # another\nPORT=3817\nexport HOST = 0.0.0.0\r\nEMPTY=\n', []],
  ['PORT 3817\nHOST=::1\nhello\n', [1, 3]],
  ['A="one\ntwo words\nthree"\nstray', [4]],
  ["A='it has\nan end'\nB=`one\ntwo`\n# end\n", []],
  ['A="never closed\nstray words\nB=2', [2]],
  ['PORT: 3817', [1]],
  ['=3817', [1]],
])('the lines of %j that are no assignment: %j', (text, expected) => {
  expect(findStrayLines(text)).toEqual(expected);
});

test('what Node reads as an assignment is one', () => {
  const text = 'A=1\n B = 2 # two\nexport C="x\ny"\nD.E-F=`a`\n';
  expect(Object.keys(parseEnv(text))).toHaveLength(4);
  expect(findStrayLines(text)).toEqual([]);
});
