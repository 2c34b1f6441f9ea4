import fc from 'fast-check';
import { printOutcome } from './print-outcome.ts';

/** Cases that are drawn, and the function that tries one and returns what is wrong. */
export interface Model<Case> {
  cases: fc.Arbitrary<Case>;
  /** Cases that are tried before any that is drawn. */
  examples?: readonly Case[];
  run(one: Case): Promise<string[]>;
}

/** How many cases are tried, and which. */
export interface Draw {
  runs: number;
  seed: number;
}

interface Tried {
  /** How many cases there were, in words. */
  counts: string;
  /** The shortest case that fails, and what is wrong; undefined when none does. */
  failure: string | undefined;
}

/** Tries so many cases. Resolves with the shortest one that fails and what is wrong; with undefined when none does. */
export async function check<Case>(
  { cases, examples = [], run }: Model<Case>,
  { runs, seed }: Draw,
): Promise<string | undefined> {
  const property = fc.asyncProperty(cases, async (one) => {
    const faults = await run(one);
    if (faults.length > 0) throw new Error(faults.join('; '));
  });
  const parameters = { numRuns: runs, seed, examples: examples.map((one): [Case] => [one]) };
  const { failed, counterexample, counterexamplePath, errorInstance } = await fc.check(property, parameters);
  if (!failed) return undefined;
  return `seed ${seed}, path ${counterexamplePath}: ${errorInstance}: ${JSON.stringify(counterexample?.[0])}`;
}

/**
 * Tries those of which the name begins with that of the arguments `[name] [runs [seed]]`, and prints what comes of it. Without
 * a seed one is drawn. Resolves with whether all holds.
 */
export async function proveEach(
  all: Record<string, (draw: Draw) => Promise<Tried>>,
  args: readonly string[],
  defaultRuns: number,
): Promise<boolean> {
  const isNumber = (arg: string) => /^\d+$/u.test(arg);
  const [runs = defaultRuns, seed = Date.now() % 2 ** 31] = args.filter(isNumber).map(Number);
  const wanted = args.find((arg) => !isNumber(arg)) ?? '';
  let holds = true;
  for (const [name, tryIt] of Object.entries(all)) {
    if (!name.startsWith(wanted)) continue;
    const begunAt = performance.now();
    const { counts, failure } = await tryIt({ runs, seed });
    const seconds = Math.round((performance.now() - begunAt) / 1_000);
    const what = `${name}: ${counts} in ${seconds} s, seed ${seed}`;
    holds = printOutcome(what, failure === undefined ? [] : [failure]) && holds;
  }
  return holds;
}
