import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import AREAS from './score/areas.json' with { type: 'json' };

test.each(Object.entries(AREAS))('the area %s names only files that exist', (_name, { mutated, tests }) => {
  const files = [...mutated.map((file) => `src/${file}`), ...tests.map((file) => `test/${file}`)];
  expect(files.filter((file) => !existsSync(file))).toEqual([]);
});
