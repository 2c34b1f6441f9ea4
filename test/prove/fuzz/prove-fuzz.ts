import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { printOutcome } from '../print-outcome.ts';
import { readArguments } from '../read-arguments.ts';
import { type FuzzResult, fuzz } from './fuzz.ts';
import { multipart } from './multipart.ts';
import { pages } from './pages.ts';

const RUNS = 20_000;

export const TARGETS = { multipart, pages };

/** `fuzz [multipart|pages] [runs [seed]]`. The inputs that fail are written to files. */
export async function proveFuzz(args: string[]): Promise<boolean> {
  const { name: wanted, runs, seed } = readArguments(args, RUNS);
  let holds = true;
  for (const [name, target] of Object.entries(TARGETS)) {
    if (!name.startsWith(wanted)) continue;
    const begunAt = performance.now();
    const result = await fuzz(target, { runs, seed });
    const seconds = (performance.now() - begunAt) / 1_000;
    const failures = writeFailures(name, result.failures);
    holds = printOutcome(`${name}: ${describe(result, seconds)}, seed ${seed}`, failures) && holds;
  }
  return holds;
}

function describe({ inputs, outcomes, corpus }: FuzzResult, seconds: number): string {
  const counts = [...outcomes].map(([outcome, count]) => `${count} ${outcome}`).join(', ');
  const rate = Math.round(inputs / seconds);
  return `${inputs} inputs in ${Math.round(seconds)} s (${rate} a second): ${counts}; ${corpus.length} kept`;
}

/** Writes each failing input to a file. */
function writeFailures(name: string, failures: FuzzResult['failures']): string[] {
  if (failures.length === 0) return [];
  const folder = mkdtempSync(path.join(tmpdir(), `tayang-fuzz-${name}-`));
  return failures.map(({ input, fault }, index) => {
    const file = path.join(folder, String(index + 1));
    writeFileSync(file, input);
    return `${file}: ${fault}`;
  });
}
