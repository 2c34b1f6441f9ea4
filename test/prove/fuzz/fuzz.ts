import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { createRandom } from '../../support/create-random.ts';
import { choose, type Draw, mutateBytes } from './mutate-bytes.ts';

/** Inputs between which other work has its turn. */
const BATCH = 500;
const MAX_CORPUS = 3_000;
/** More failures are seldom other ones. */
const MAX_FAILURES = 5;

/** A reader under test. */
export interface Target {
  seeds: readonly Buffer[];
  /** Texts with a meaning for the reader. */
  tokens: readonly Buffer[];
  /** Reads an input. One of a new behaviour is kept. */
  judge(input: Buffer): Promise<Verdict> | Verdict;
  /** Makes an input of its own, and judges it; by default there are none. */
  judgeOwn?(draw: Draw): Promise<Verdict>;
}

export interface Verdict {
  behaviour: string;
  /** What is wrong; undefined when nothing is. */
  fault?: string | undefined;
}

export interface FuzzResult {
  inputs: number;
  /** How many inputs had each outcome, the first word of the behaviour. */
  outcomes: Map<string, number>;
  /** The inputs that were kept. */
  corpus: Buffer[];
  failures: { input: Buffer; fault: string }[];
}

/** The texts with a meaning for a reader. */
export function readTokens(reader: string): Buffer[] {
  const tokens = JSON.parse(readFileSync(path.join(import.meta.dirname, 'tokens.json'), 'utf8'));
  return tokens[reader].map((token: string) => Buffer.from(token));
}

/** Reads mutated inputs, and keeps those that lead to something new. */
export async function fuzz(target: Target, { runs, seed }: { runs: number; seed: number }) {
  const draw = createRandom(seed);
  const corpus = [...target.seeds];
  const behaviours = new Set<string>();
  const result: FuzzResult = { inputs: 0, outcomes: new Map(), corpus, failures: [] };

  async function judge(input: Buffer): Promise<void> {
    const { behaviour, fault } = await target.judge(input);
    note(input, behaviour, fault);
    if (behaviours.has(behaviour) || fault !== undefined) return;
    behaviours.add(behaviour);
    keep(input);
  }

  function note(input: Buffer, behaviour: string, fault: string | undefined): void {
    const [outcome = ''] = behaviour.split(' ');
    result.inputs += 1;
    result.outcomes.set(outcome, (result.outcomes.get(outcome) ?? 0) + 1);
    if (fault !== undefined) result.failures.push({ input, fault });
  }

  function keep(input: Buffer): void {
    if (corpus.length < MAX_CORPUS) corpus.push(input);
    else corpus[target.seeds.length + Math.floor(draw() * (MAX_CORPUS - target.seeds.length))] = input;
  }

  for (const input of target.seeds) await judge(input);
  while (result.inputs < runs && result.failures.length < MAX_FAILURES) {
    const batch = Math.min(BATCH, runs - result.inputs);
    for (let count = 0; count < batch; count += 1) {
      const material = { tokens: target.tokens, other: choose(corpus, draw), draw };
      await judge(mutateBytes(choose(corpus, draw), material));
    }
    // Reading goes on in microtasks, so nothing else would ever have its turn, such as the end of what was read.
    await setImmediate();
    for (let own = 0; target.judgeOwn && own < batch / 20; own += 1) {
      const { behaviour, fault } = await target.judgeOwn(draw);
      note(Buffer.alloc(0), behaviour, fault);
    }
  }
  return result;
}
