import { beforeAll, describe, expect, test } from 'vitest';
import type { Snapshot } from '../../src/domain/snapshot.ts';
import { MORE } from '../support/more-runs.ts';
import { SAMPLE_PAGES } from '../support/sample-pages.ts';
import type { Change } from './change.ts';
import { listChanges, NOVELTIES } from './changes.ts';
import { refreshFrom, runChange } from './run-change.ts';

/** Of each row the first or the last change, with TEST_RUNS both; each with another share of new anime. */
const CHANGES = [...Map.groupBy(listChanges(SAMPLE_PAGES), ({ row }) => row).values()].flatMap(
  (all, index) => {
    const ends = [...new Set([all[0], all.at(-1)])];
    return MORE > 1 ? ends : [ends.at(index % 2 ? 0 : -1)];
  },
);
const SAMPLE = CHANGES.flatMap((change, index) =>
  change
    ? NOVELTIES.slice(index % NOVELTIES.length)
        .slice(0, 1)
        .map((novelty) => ({ change, novelty }))
    : [],
);
const only = (isMeant: (kind: Change['kind']) => boolean) =>
  SAMPLE.filter(({ change }) => isMeant(change.kind));

/** What the pages say by the written selectors. */
let whole: Snapshot;

beforeAll(async () => {
  whole = (await refreshFrom(SAMPLE_PAGES, undefined)).after!;
});

describe('a change of the markup leaves every record as it was', () => {
  test.each(only((kind) => kind !== 'lie'))(
    '$change.row: $change.name, $novelty.name',
    async ({ change, novelty }) => {
      const outcome = await runChange(SAMPLE_PAGES, whole, change, novelty);
      expect(outcome).toMatchObject({
        result: expect.stringMatching(/^(?:repaired|same)$/u),
        wrong: [],
        missing: 0,
      });
    },
  );
});

describe('a page with other contents is refused, whatever its markup', () => {
  test.each(only((kind) => kind === 'lie'))('$change.name, $novelty.name', async ({ change, novelty }) => {
    const outcome = await runChange(SAMPLE_PAGES, whole, change, novelty);
    expect(outcome).toMatchObject({ wrong: [], missing: 0 });
    if (change.row === 'titles shortened' && outcome.result === 'same') return;
    expect(outcome.result).toBe('refused');
    expect(outcome.reason).toMatch(/\w{3}/u);
    expect(outcome.reason.length).toBeLessThanOrEqual(1_000);
  });
});
