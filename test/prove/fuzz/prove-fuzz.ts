import { mkdtemp, writeFile } from 'node:fs/promises';
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
    const onBatch = (soFar: FuzzResult) => {
      if (seconds() - printedAt < PRINT_EVERY_S) return;
      printedAt = seconds();
      console.log(`       ${name}: ${describe(soFar, printedAt)}, ${soFar.failures.length} failures so far`);
    };
    const result = await fuzz(TARGETS[name], { runs, seed, onBatch });
    console.log(
      `${describeOutcome(result.failures.length === 0)}  ${name}: ${describe(result, seconds())}, seed ${seed}`,
    );
    await printFailures(name, result);
    holds &&= result.failures.length === 0;
  }
  return holds;
}

function describe({ inputs, outcomes, corpus, blocks }: FuzzResult, seconds: number): string {
  const counts = [...outcomes].map(([outcome, count]) => `${count} ${outcome}`).join(', ');
  const rate = Math.round(inputs / seconds);
  return `${inputs} inputs in ${Math.round(seconds)} s (${rate} a second): ${counts}; ${corpus.length} kept, ${blocks} blocks`;
}

async function printFailures(name: string, { failures }: FuzzResult): Promise<void> {
  if (failures.length === 0) return;
  const folder = await mkdtemp(path.join(tmpdir(), `tayang-fuzz-${name}-`));
  for (const [index, { input, fault }] of failures.entries()) {
    const file = path.join(folder, `${index + 1}`);
    await writeFile(file, input);
    console.log(`       ${file}: ${fault}`);
  }
}
