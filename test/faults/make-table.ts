import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { withCleanups } from '../prove/cleanups.ts';
import { runAll } from '../prove/vectors/run-all.ts';
import type { SourceFault } from './fault.ts';
import { FAULTS } from './faults.ts';
import { judgeService } from './judge.ts';
import { printOutcome } from './print-outcome.ts';
import { runInService } from './run-in-service.ts';
import { type Row, renderTable } from './table.ts';

const TABLE = path.resolve(import.meta.dirname, '../../docs/faults.md');
const OPTIONS = { timeoutMs: 1_000, slackMs: 0, isReal: true };
const AT_ONCE = 4;

/** Runs every row, or those whose name contains a given word, and writes the table after a run of all. Exits 1 if a row fails. */
const [word = ''] = process.argv.slice(2);
const faults = FAULTS.filter(({ name }) => name.includes(word));
const rows = await runAll(faults, AT_ONCE, runRow);

if (!word) await writeFile(TABLE, renderTable(rows, OPTIONS.timeoutMs));
process.exitCode = rows.some((row) => row.shortcomings.length > 0) ? 1 : 0;

function runRow(fault: SourceFault): Promise<Row> {
  return withCleanups(async (defer) => {
    const outcome = await runInService(fault, OPTIONS, defer);
    const shortcomings = judgeService(fault, outcome, OPTIONS);
    printOutcome(fault.name, shortcomings);
    return { fault, outcome, shortcomings };
  });
}
