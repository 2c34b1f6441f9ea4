import type { Change } from './change.ts';
import type { Novelty } from './changes.ts';
import type { Outcome } from './run-change.ts';

export interface Result {
  site: string;
  change: Change;
  novelty: Novelty;
  outcome: Outcome;
}

const WANTED = { rename: 0.99, restructure: 0.9, lie: 1 };

/** Whether a run is right: a lie is refused, or all records are right in spite of it; no other change is refused. */
export function isRight({ change, outcome }: Result): boolean {
  if (outcome.wrong.length > 0) return false;
  return change.kind === 'lie'
    ? outcome.result === 'refused' || outcome.missing === 0
    : outcome.result !== 'refused' && outcome.missing === 0;
}

/** Lists the kinds of changes with a smaller share of right runs than wanted. */
export function shortcomings(results: readonly Result[]): string[] {
  const kinds = Object.entries(WANTED).flatMap(([kind, wanted]) => {
    const own = ofKind(results, kind);
    const share = own.filter(isRight).length / Math.max(1, own.length);
    return share < wanted ? [`${kind}: ${percent(share)} right, ${percent(wanted)} wanted`] : [];
  });
  const wrong = results.reduce((sum, { outcome }) => sum + outcome.wrong.length, 0);
  return wrong > 0 ? [...kinds, `${wrong} wrong records`] : kinds;
}

/** How many runs of each kind were right. */
export function sumUp(results: readonly Result[]): string {
  const shares = Object.keys(WANTED).map((kind) => {
    const own = ofKind(results, kind);
    return `${kind}: ${own.filter(isRight).length} of ${own.length}`;
  });
  return shares.join(', ');
}

/** The runs of a kind in which a written selector no longer matches, and all lies. */
function ofKind(results: readonly Result[], kind: string): Result[] {
  return results.filter(
    ({ change, outcome }) => change.kind === kind && (outcome.result !== 'same' || kind === 'lie'),
  );
}

function percent(share: number): string {
  return `${(Math.floor(share * 1_000) / 10).toFixed(1)} %`;
}
