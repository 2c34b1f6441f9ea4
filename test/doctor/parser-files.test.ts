import { existsSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { fileToFix } from '../../src/doctor/parser-files.ts';
import { otakudesu } from '../../src/source/sites/otakudesu/site.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');

test('the files that fix a field exist', () => {
  for (const field of ['title', 'slug', 'image', 'episode', 'day', 'date']) {
    for (const found of ['', 'something']) {
      expect(existsSync(path.join(ROOT, fileToFix(otakudesu.name, { field, found })))).toBe(true);
    }
  }
});
