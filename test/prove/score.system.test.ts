import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { AREAS, findUnknown } from './score/areas.ts';

test.each(Object.entries(AREAS))('the area %s names only files that exist', (_name, { mutated, tests }) => {
  const files = [...mutated.map((file) => `src/${file}`), ...tests.map((file) => `test/${file}`)];
  expect(files.filter((file) => !existsSync(file))).toEqual([]);
});

test('a name that no area has is found before anything is mutated', () => {
  expect(findUnknown(['limiter', 'nowhere', 'toString'])).toEqual(['nowhere', 'toString']);
  expect(findUnknown([])).toEqual([]);
});
