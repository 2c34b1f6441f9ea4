import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import type { Defer } from './defer.ts';
import { eventually, openTestService } from './service.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Opens a listing with a snapshot for a browser. `until` waits for a text on the front page. */
export async function openListingSite(defer: Defer, environment: Record<string, string> = {}) {
  const { address, source, ready } = await openTestService(defer, {
    SERVE: 'listing,refresh',
    ...environment,
  });
  await ready();
  const text = async () => (await fetch(`${address}/`)).text();
  return { address, source, until: (pattern: RegExp) => eventually(text, (html) => pattern.test(html)) };
}

/** The violations that axe finds, each with its rule and element. */
export async function findAxeViolations(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  const { violations } = await page.evaluate<{ violations: { id: string; nodes: { html: string }[] }[] }>(
    'axe.run(document, { resultTypes: ["violations"] })',
  );
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 120)}`));
}
