import path from 'node:path';
import { Stryker } from '@stryker-mutator/core';
import { AREAS, findUnknown } from './areas.ts';

type Mutant = Awaited<ReturnType<Stryker['runMutationTest']>>[number];

/**
 * `tsconfigFile` names no file: Stryker would rewrite the paths in one with a function that TypeScript 7 does not have.
 * `timeoutMS` is long, because a busy machine is not an endless loop.
 */
const CONFIG = 'test/prove/score/stryker.config.json';

/** The least score of each area, in percent. */
const MIN_SCORE = 90;

const DETECTED = ['Killed', 'Timeout'];
/** `NoCoverage`: no test runs the line. Mutants that do not load are left out. */
const UNDETECTED = ['Survived', 'NoCoverage'];

/**
 * Mutates the named areas, or all of them, and prints score and survivors. False when a score is too low or a name is
 * that of no area.
 */
export async function proveScore(names: string[]): Promise<boolean> {
  const unknown = findUnknown(names);
  if (unknown.length > 0) {
    console.error(`No area is called ${unknown.join(', ')}. Name areas: ${Object.keys(AREAS).join(', ')}.`);
    return false;
  }
  const outcomes: boolean[] = [];
  for (const [name, { mutated }] of Object.entries(AREAS)) {
    if (names.length === 0 || names.includes(name)) outcomes.push(await proveArea(name, mutated));
  }
  return outcomes.every(Boolean);
}

async function proveArea(name: string, mutated: readonly string[]): Promise<boolean> {
  // vitest.config.ts reads it, in processes that Stryker starts.
  process.env.SCORE_AREA = name;
  const stryker = new Stryker({ configFile: CONFIG, mutate: mutated.map((file) => `src/${file}`) });
  return printArea(name, await stryker.runMutationTest());
}

function printArea(name: string, mutants: readonly Mutant[]): boolean {
  const withStatus = (...all: string[]) => mutants.filter(({ status }) => all.includes(status));
  const survivors = withStatus(...UNDETECTED);
  const killed = withStatus(...DETECTED).length;
  const score = (100 * killed) / (killed + survivors.length);
  const holds = score >= MIN_SCORE;
  const figures = `${killed} of ${killed + survivors.length} mutants killed, ${score.toFixed(1)} %`;
  const endless = `${withStatus('Timeout').length} of them because the tests did not end`;
  console.log(`${holds ? 'holds' : 'FAILS'}  ${name}: ${figures}; ${endless}`);
  for (const { fileName, location, replacement, status } of survivors)
    console.log(`       ${path.relative('', fileName)}:${location.start.line}: ${replacement} (${status})`);
  return holds;
}
