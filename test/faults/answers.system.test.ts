import { expect, test } from 'vitest';
import { openTestSource } from '../support/source.ts';
import { LIST, showPlainly } from './answers.ts';

test('a conditional request gets a site that was rebuilt within the same second', async ({
  onTestFinished,
}) => {
  const site = await openTestSource(onTestFinished);
  site.fault = showPlainly(site);
  const before = await fetch(site.origin + LIST);
  const headers = { 'If-Modified-Since': before.headers.get('last-modified') ?? '' };
  expect((await fetch(site.origin + LIST, { headers })).status).toBe(304);
  site.fault = showPlainly(site);
  expect((await fetch(site.origin + LIST, { headers })).status).toBe(200);
});
