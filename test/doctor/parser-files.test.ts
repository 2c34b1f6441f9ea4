import { existsSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { fileFor } from '../../src/doctor/parser-files.ts';
import { otakudesu } from '../../src/source/sites/otakudesu/site.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');

test.each(['schedule', 'ongoing'] as const)('the files that parse the %s page exist', (page) => {
  for (const field of ['title', 'slug', 'image', 'episode', 'day', 'date']) {
    for (const found of ['', 'something']) {
      expect(existsSync(path.join(ROOT, fileFor(otakudesu.name, page, { field, found })))).toBe(true);
    }
  }
});
