import type { Change } from './change.ts';
import { NOVELTIES, type Novelty } from './changes.ts';
import type { Outcome } from './run-change.ts';

export interface Result {
  site: string;
  change: Change;
  novelty: Novelty;
  outcome: Outcome;
}

const WANTED = { rename: 0.99, restructure: 0.9, lie: 1 };
const HEAD = ['change', 'runs', 'repaired', ...NOVELTIES.map(({ name }) => name), 'wrong records'];

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

/** Renders `docs/repairs.md`: for each change, how many runs were right. */
export function renderTable(results: readonly Result[]): string {
  const rows = (kind: Change['kind']) =>
    [
      ...Map.groupBy(
        results.filter(({ change }) => change.kind === kind),
        ({ change }) => change.row,
      ),
    ].map(([row, own]) => cellsOf(row, own));
  const table = (kind: Change['kind']) =>
    [HEAD, HEAD.map(() => '---'), ...rows(kind)].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
  const sites = [...new Set(results.map(({ site }) => site))].join(' and ');
  return `# When the markup of the source changes

Made by \`npm run repairs\`; every figure was counted by that run. \`npm test\` runs a sample of it.

Each run is a whole refresh, guards included, from ${sites}, with a change of the markup on every page.
Its snapshot lacks a share of the anime, which are new then, and is an episode behind on a fifth of the others. A run is
right when its records are those of the unchanged pages and none is missing. The headings count only the runs in which a
written selector no longer matches, so that a repair is needed. A wrong record is one that differs from the unchanged
pages, in whichever run.

## Renames: ${shareOf(results, 'rename')} repaired

${table('rename')}

## Restructurings: ${shareOf(results, 'restructure')} repaired

${table('restructure')}

## Pages with other contents: ${shareOf(results, 'lie')} refused, or read right

Titles that are cut are read right where the cover's text has them. Each change is made with the markup as before and with
its classes renamed. Two fields with swapped contents keep their classes, because fields
that are renamed and swapped cannot be distinguished from fields that were moved.

${table('lie')}
${describeFailures(results)}`;
}

function cellsOf(row: string, results: readonly Result[]): string[] {
  const counts = NOVELTIES.map((one) => {
    const own = results.filter(({ novelty }) => novelty === one);
    return `${own.filter(isRight).length} of ${own.length}`;
  });
  const wrong = results.reduce((sum, { outcome }) => sum + outcome.wrong.length, 0);
  const repaired = results.filter(({ outcome }) => outcome.result === 'repaired').length;
  return [row, `${results.length}`, `${repaired}`, ...counts, `${wrong}`];
}

function shareOf(results: readonly Result[], kind: Change['kind']): string {
  const own = ofKind(results, kind);
  const right = own.filter(isRight).length;
  return `${right} of ${own.length} (${percent(right / Math.max(1, own.length))})`;
}

/** The runs of a kind in which a written selector no longer matches, and all lies. */
function ofKind(results: readonly Result[], kind: string): Result[] {
  return results.filter(
    ({ change, outcome }) => change.kind === kind && (outcome.result !== 'same' || kind === 'lie'),
  );
}

function describeFailures(results: readonly Result[]): string {
  const lines = results
    .filter((result) => !isRight(result))
    .map(({ site, change, novelty, outcome }) => {
      const reason = outcome.reason.replace(/^.*cannot be repaired: /u, '').slice(0, 200);
      return `- ${site}, ${change.row}: ${change.name}, ${novelty.name}: ${outcome.result}. ${reason}`;
    });
  return lines.length > 0 ? `\n## Runs that are not right\n\n${lines.join('\n')}\n` : '';
}

function percent(share: number): string {
  return `${(Math.floor(share * 1_000) / 10).toFixed(1)} %`;
}
