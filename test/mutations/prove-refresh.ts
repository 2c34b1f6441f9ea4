import { afterAll, expect, test } from 'vitest';
import type { Snapshot } from '../../src/domain/listing.ts';
import { LAST_PAGE, listPath, SAMPLE_PAGES, SCHEDULE } from '../support/sample-pages.ts';
import { KNOWN_GAPS } from './known-gaps.ts';
import { mutationsOf } from './mutators/mutate.ts';
import { judge } from './proof.ts';
import { ALL, createRequestCounter, sampleOf } from './sample.ts';
import { type Fault, openMutableSite } from './site.ts';

/** Which pages are broken, how many times in the sample, and every how-many-th time in all. */
const TARGETS: { name: string; path: string; count: number; step: number; onlyAgain?: true }[] = [
  { name: 'the schedule', path: SCHEDULE, count: 30, step: 1 },
  { name: 'page 1', path: listPath(1), count: 24, step: 1 },
  { name: 'page 1 when it is read again', path: listPath(1), count: 24, step: 8, onlyAgain: true },
  { name: 'page 3', path: listPath(3), count: 24, step: 6 },
  { name: 'the last page', path: listPath(LAST_PAGE), count: 30, step: 1 },
];

/**
 * The whole refresh over the sample site with one page broken: each record that is published equals what a page
 * says, or is the last good one of a card that is reported; each omission is reported; or all is refused.
 */
export async function proveRefresh(withLastGood: boolean): Promise<void> {
  const run = openMutableSite();
  const { after: whole, error } = await run([], undefined);
  if (!whole) throw error;
  const before = withLastGood ? whole : undefined;
  const name = `refresh ${withLastGood ? 'with' : 'without'} a last good snapshot`;

  for (const { name: page, path, count, step, onlyAgain } of TARGETS) {
    const tally = createRequestCounter(`${name}, ${page}`);
    if (ALL) afterAll(() => console.log(`${tally}`));
    test(`${page} broken`, { timeout: 900_000 }, async () => {
      const defects: string[] = [];
      for (const { kind, name: what, apply } of sampleOf(mutationsOf(SAMPLE_PAGES.get(path)!), count, step)) {
        const fault: Fault = { path, html: apply(), onlyAgain: onlyAgain ?? false };
        const found = await tryFaults([fault], before, kind);
        tally.add(found.outcome);
        defects.push(...found.defects.map((defect) => `${kind}: ${what}: ${defect}`));
      }
      expect(defects).toEqual([]);
    });
  }

  test("pages in each other's place", { timeout: 900_000 }, async () => {
    const tally = createRequestCounter(`${name}, exchanged pages`);
    const defects: string[] = [];
    for (const [path] of SAMPLE_PAGES) {
      for (const [other, html] of ALL ? SAMPLE_PAGES : [...SAMPLE_PAGES].slice(0, 3)) {
        if (other === path) continue;
        const found = await tryFaults([{ path, html }], before, 'page exchanged');
        tally.add(found.outcome);
        defects.push(...found.defects.map((defect) => `${other} served as ${path}: ${defect}`));
      }
    }
    if (ALL) console.log(`${tally}`);
    expect(defects).toEqual([]);
  });

  async function tryFaults(faults: Fault[], lastGood: Snapshot | undefined, kind: string) {
    const verdict = judge(await run(faults, lastGood));
    const defects = verdict.faults;
    if (verdict.outcome !== 'an anime is gone') return { outcome: verdict.outcome, defects };
    const gap = KNOWN_GAPS.find(({ isIt }) => isIt(faults[0]?.path ?? '', kind));
    if (!gap) defects.push('an anime is gone, and nothing tells');
    return { outcome: gap ? `known gap (${gap.name})` : 'an anime is gone', defects };
  }
}
