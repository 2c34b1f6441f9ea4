import type { Repair } from '../crawler/selector-repairs.ts';
import type { Status } from '../crawler/source-state.ts';
import { type Finding, ok, warning } from './check.ts';
import { formatDuration } from './format.ts';
import { selectorsFile } from './parser-files.ts';

interface RepairsOptions {
  siteName: string;
  readStatus: () => Promise<Status | undefined>;
  now: () => number;
}

/** Lists the selectors that the last good crawl repaired, and the lines that make them the written ones. */
export async function* checkRepairs({ siteName, readStatus, now }: RepairsOptions): AsyncGenerator<Finding> {
  const repaired = (await readStatus())?.repaired ?? [];
  if (repaired.length === 0) yield ok('none: the written selectors matched in the last good crawl');
  for (const repair of repaired) {
    yield warning(`${describeRepair(repair, now())}; in ${selectorsFile(siteName)} write ${lineOf(repair)}`);
  }
}

function describeRepair({ field, was, now: selector, agreement, since }: Repair, now: number): string {
  const share = `${Math.floor(agreement * 100)} %`;
  return `${field}: ${selector || 'nothing'} in place of ${was} for ${formatDuration(now - since)}, right on ${share} of the known anime`;
}

/** `title: '.judul'`, of the ongoing list or of the schedule. */
function lineOf({ field, now }: Repair): string {
  const name = field.replace(/^schedule /u, '');
  const where = field === name ? 'ongoing list' : 'schedule';
  return `${name}: '${now}', for the ${where}`;
}
