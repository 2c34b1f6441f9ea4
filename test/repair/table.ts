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

/** Whether a change came out as it should: a lie refused, any other read whole. */
export function isRight({ change, outcome }: Result): boolean {
  if (outcome.wrong.length > 0) return false;
  return change.kind === 'lie'
    ? outcome.what === 'refused'
    : outcome.what !== 'refused' && outcome.missing === 0;
}

/** What falls short of the shares that are wanted; empty when nothing does. */
export function shortcomings(results: readonly Result[]): string[] {
  const kinds = Object.entries(WANTED).flatMap(([kind, wanted]) => {
    const own = ofKind(results, kind);
    const share = own.filter(isRight).length / Math.max(1, own.length);
    return share < wanted ? [`${kind}: ${percent(share)} right, ${percent(wanted)} wanted`] : [];
  });
  const wrong = results.reduce((sum, { outcome }) => sum + outcome.wrong.length, 0);
  return wrong > 0 ? [...kinds, `${wrong} wrong records`] : kinds;
}

/** `docs/repairs.md`: change by change how many sites were read all the same, or refused where they lie. */
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
right when every record is what the unchanged pages say and none is missing. The titles count the runs in which the
written selectors no longer hold, so that something has to be repaired. A record that is not what the unchanged pages
say is wrong, whatever came of the rest.

## Renames: ${shareOf(results, 'rename')} repaired

${table('rename')}

## Restructurings: ${shareOf(results, 'restructure')} repaired

${table('restructure')}

## Pages that say something else: ${shareOf(results, 'lie')} refused

Each with the markup as before, and with its classes renamed. To swap the contents of two fields whose classes are
renamed as well is to move the fields, so theirs stay.

${table('lie')}
${describeFailures(results)}`;
}

function cellsOf(row: string, results: readonly Result[]): string[] {
  const counts = NOVELTIES.map((one) => {
    const own = results.filter(({ novelty }) => novelty === one);
    return `${own.filter(isRight).length} of ${own.length}`;
  });
  const wrong = results.reduce((sum, { outcome }) => sum + outcome.wrong.length, 0);
  const repaired = results.filter(({ outcome }) => outcome.what === 'repaired').length;
  return [row, `${results.length}`, `${repaired}`, ...counts, `${wrong}`];
}

function shareOf(results: readonly Result[], kind: Change['kind']): string {
  const own = ofKind(results, kind);
  const right = own.filter(isRight).length;
  return `${right} of ${own.length} (${percent(right / Math.max(1, own.length))})`;
}

/** Those of a kind in which the written selectors do not hold. */
function ofKind(results: readonly Result[], kind: string): Result[] {
  return results.filter(
    ({ change, outcome }) => change.kind === kind && (outcome.what !== 'same' || kind === 'lie'),
  );
}

function describeFailures(results: readonly Result[]): string {
  const lines = results
    .filter((result) => !isRight(result))
    .map(({ site, change, novelty, outcome }) => {
      const reason = outcome.reason.replace(/^.*cannot be repaired: /u, '').slice(0, 200);
      return `- ${site}, ${change.row}: ${change.name}, ${novelty.name}: ${outcome.what}. ${reason}`;
    });
  return lines.length > 0 ? `\n## What is not as it should be\n\n${lines.join('\n')}\n` : '';
}

function percent(share: number): string {
  return `${(Math.floor(share * 1_000) / 10).toFixed(1)} %`;
}
