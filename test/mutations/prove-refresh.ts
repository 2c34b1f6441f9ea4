import { expect, test } from 'vitest';
import { LAST_PAGE, listPath, SAMPLE_PAGES, SCHEDULE } from '../support/sample-pages.ts';
import { openBreakableSite } from './broken-site.ts';
import { createJudge } from './judge.ts';
import { KNOWN_GAPS } from './known-gaps.ts';
import type { Mutation } from './markup.ts';
import { mutationsOf } from './mutate.ts';
import { ALL, createRequestCounter, sampleOf } from './sample.ts';

/** Which pages are broken, how many times in the sample, and every how-many-th time in all. */
const TARGETS: { name: string; path: string; count: number; step: number; onlyAgain?: true }[] = [
  { name: 'the schedule', path: SCHEDULE, count: 30, step: 1 },
  { name: 'page 1', path: listPath(1), count: 24, step: 1 },
  { name: 'page 1 when it is read again', path: listPath(1), count: 24, step: 8, onlyAgain: true },
  { name: 'page 3', path: listPath(3), count: 24, step: 6 },
  { name: 'the last page', path: listPath(LAST_PAGE), count: 30, step: 1 },
];

/**
 * The whole refresh over the sample site with one page broken: each record that is published is what a page says, or is
 * the last good one of a card that is reported; each omission is reported; or all is refused.
 */
export async function proveRefresh(withLastGood: boolean): Promise<void> {
  const refresh = openBreakableSite();
  const { after: whole, error } = await refresh(undefined, undefined);
  if (!whole) throw error;
  const before = withLastGood ? whole : undefined;
  const judge = createJudge(whole);

  for (const { name, path, count, step, onlyAgain = false } of TARGETS)
    testPages(`${name} broken`, () =>
      sampleOf(mutationsOf(SAMPLE_PAGES.get(path)!), count, step).map((one) => ({ ...one, path, onlyAgain })),
    );
  testPages("pages in each other's place", () =>
    [...SAMPLE_PAGES.keys()].flatMap((path) =>
      [...SAMPLE_PAGES]
        .slice(0, ALL ? undefined : 3)
        .filter(([other]) => other !== path)
        .map(([other, html]) => ({
          path,
          kind: 'page exchanged',
          name: `${other} served as ${path}`,
          apply: () => html,
        })),
    ),
  );

  function testPages(what: string, listPages: () => (Mutation & { path: string; onlyAgain?: boolean })[]) {
    test(what, { timeout: 900_000 }, async () => {
      const tally = createRequestCounter(
        `refresh ${withLastGood ? 'with' : 'without'} a last good one, ${what}`,
      );
      const defects: string[] = [];
      for (const { kind, name, apply, ...page } of listPages()) {
        const { outcome, faults } = judge(await refresh({ ...page, html: apply() }, before));
        const gap = KNOWN_GAPS.find(({ isIt }) => isIt(page.path, kind, name));
        const isGone = outcome === 'an anime is gone';
        tally.add(isGone && gap ? `known gap (${gap.name})` : outcome);
        if (isGone && !gap) faults.push('an anime is gone, and nothing tells');
        defects.push(...faults.map((fault) => `${kind}: ${name}: ${fault}`));
      }
      if (ALL) console.log(`${tally}`);
      expect(defects).toEqual([]);
    });
  }
}
