import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describeOutcome, drawSeed, readArguments } from '../arguments.ts';
import { type FuzzResult, fuzz } from './fuzz.ts';
import { TARGETS, type TargetName } from './targets.ts';

const RUNS = 20_000;
const PRINT_EVERY_S = 60;

/** `fuzz [multipart|pages] [runs [seed]]`. The inputs that fail are written to files. */
export async function proveFuzz(args: string[]): Promise<boolean> {
  const { name: wanted, numbers } = readArguments(args);
  const [runs = RUNS, seed = drawSeed()] = numbers;
  let holds = true;
  for (const name of Object.keys(TARGETS) as TargetName[]) {
    if (!name.startsWith(wanted)) continue;
    const begunAt = performance.now();
    const seconds = () => (performance.now() - begunAt) / 1_000;
    let printedAt = 0;
    const printFailures = createFailurePrinter(name);
    const onBatch = (soFar: FuzzResult) => {
      printFailures(soFar);
      if (seconds() - printedAt < PRINT_EVERY_S) return;
      printedAt = seconds();
      console.log(`       ${name}: ${describe(soFar, printedAt)}, ${soFar.failures.length} failures so far`);
    };
    const result = await fuzz(TARGETS[name], { runs, seed, onBatch });
    console.log(
      `${describeOutcome(result.failures.length === 0)}  ${name}: ${describe(result, seconds())}, seed ${seed}`,
    );
    printFailures(result);
    holds &&= result.failures.length === 0;
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
  let folder: string | undefined;
  let printed = 0;
  return ({ failures }) => {
    for (const { input, fault } of failures.slice(printed)) {
      folder ??= mkdtempSync(path.join(tmpdir(), `tayang-fuzz-${name}-`));
      printed += 1;
      const file = path.join(folder, String(printed));
      writeFileSync(file, input);
      console.log(`       ${file}: ${fault}`);
    }
  };
}
