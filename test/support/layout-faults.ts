import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';

const SCRIPT = readFileSync(path.join(import.meta.dirname, 'layout-faults-in-page.js'), 'utf8');

/** Finds faults in the layout of a page: elements that overflow their box, and columns that are too narrow. */
export function findLayoutFaults(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(SCRIPT);
}
