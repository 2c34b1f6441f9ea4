import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describeOutcome, drawSeed, readArguments } from '../arguments.ts';
import { type FuzzResult, fuzz } from './fuzz.ts';
import { TARGETS, type TargetName } from './targets.ts';

const RUNS = 20_000;

/** `fuzz [multipart|pages] [runs [seed]]`. The inputs that fail are written to files. */
export async function proveFuzz(args: string[]): Promise<boolean> {
  const { name: wanted, numbers } = readArguments(args);
  const [runs = RUNS, seed = drawSeed()] = numbers;
  let holds = true;
  for (const name of Object.keys(TARGETS) as TargetName[]) {
    if (!name.startsWith(wanted)) continue;
    const begunAt = performance.now();
    const result = await fuzz(TARGETS[name], { runs, seed, onBatch: createFailurePrinter(name) });
    const seconds = (performance.now() - begunAt) / 1_000;
    const isWell = result.failures.length === 0;
    console.log(`${describeOutcome(isWell)}  ${name}: ${describe(result, seconds)}, seed ${seed}`);
    holds &&= isWell;
  }
  return holds;
}

function describe({ inputs, outcomes, corpus, blocks }: FuzzResult, seconds: number): string {
  const counts = [...outcomes].map(([outcome, count]) => `${count} ${outcome}`).join(', ');
  const rate = Math.round(inputs / seconds);
  return `${inputs} inputs in ${Math.round(seconds)} s (${rate} a second): ${counts}; ${corpus.length} kept, ${blocks} blocks`;
}

/** Writes each failing input to a file as soon as it is known: a long run may be ended early. */
function createFailurePrinter(name: string): (result: FuzzResult) => void {
  const folder = mkdtempSync(path.join(tmpdir(), `tayang-fuzz-${name}-`));
  let printed = 0;
  return ({ failures }) => {
    for (const { input, fault } of failures.slice(printed)) {
      printed += 1;
      const file = path.join(folder, String(printed));
      writeFileSync(file, input);
      console.log(`       ${file}: ${fault}`);
    }
  };
}
