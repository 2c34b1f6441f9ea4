import { expect, test } from 'vitest';
import type { ListingView } from '../../src/http/health.ts';
import { keepAnswers } from '../../src/http/listing/kept-answers.ts';
import { createDocument } from '../../src/publishing/document.ts';
import type { Edition } from '../../src/publishing/edition.ts';

test('answers are kept until the edition changes, which gets those of the edition before, and no more than fifty', () => {
  let edition = {} as Edition;
  const keep = keepAnswers({ edition: () => edition } as ListingView);
  let made = 0;
  const ask = (key: string) =>
    keep(key, (before) => {
      made += 1;
      return before ?? createDocument('text/plain', key, 0);
    });
  const first = ask('a');
  expect(ask('a')).toBe(first);
  expect(made).toBe(1);
  edition = {} as Edition;
  expect(ask('a')).toBe(first);
  expect(made).toBe(2);
  for (let count = 0; count < 50; count += 1) ask(String(count));
  ask('a');
  expect(made).toBe(53);
});
