import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { createRandom } from '../../support/create-random.ts';
import { type Coverage, openCoverage } from './coverage.ts';
import { choose, type Draw, mutateBytes } from './mutate-bytes.ts';

/** Coverage is read once for so many inputs, because reading it takes as long as some hundred inputs. */
const BATCH = 500;
const MAX_CORPUS = 3_000;
/** The share of the inputs that are read with coverage, which makes reading some five times slower, and the most of them. */
const GUIDED_SHARE = 1 / 10;
const MAX_GUIDED = 10_000;
/** More failures are seldom other ones. */
const MAX_FAILURES = 5;

/** A reader under test. */
export interface Target {
  seeds: readonly Buffer[];
  /** Texts with a meaning for the reader. */
  tokens: readonly Buffer[];
  /** The files whose coverage decides which inputs are kept. */
  files: RegExp;
  /** Reads an input. An input of a new behaviour is kept as well. */
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
  /** The inputs that were kept, and the blocks that ran. */
  corpus: Buffer[];
  blocks: number;
  failures: { input: Buffer; fault: string }[];
}

interface FuzzOptions {
  runs: number;
  seed: number;
  /** Coverage slows down everything else in the process. */
  isGuided?: boolean;
}

/** The texts with a meaning for a reader. */
export function readTokens(reader: string): Buffer[] {
  const tokens = JSON.parse(readFileSync(path.join(import.meta.dirname, 'tokens.json'), 'utf8'));
  return tokens[reader].map((token: string) => Buffer.from(token));
}

/** Reads mutated inputs, and keeps those that lead to something new. */
export async function fuzz(
  target: Target,
  { runs, seed, isGuided = true }: FuzzOptions,
): Promise<FuzzResult> {
  const draw = createRandom(seed);
  const coverage = isGuided ? await openCoverage(target.files) : undefined;
  const guidedRuns = Math.min(runs * GUIDED_SHARE, MAX_GUIDED);
  const corpus = [...target.seeds];
  const behaviours = new Set<string>();
  const result: FuzzResult = { inputs: 0, outcomes: new Map(), corpus, blocks: 0, failures: [] };

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
  const seen = (await coverage?.take()) ?? new Set<string>();
  while (result.inputs < runs && result.failures.length < MAX_FAILURES) {
    const batch = Array.from({ length: Math.min(BATCH, runs - result.inputs) }, () =>
      mutateBytes(choose(corpus, draw), { tokens: target.tokens, other: choose(corpus, draw), draw }),
    );
    for (const input of batch) await judge(input);
    // Reading goes on in microtasks, so nothing else would ever have its turn, such as the end of what was read.
    await setImmediate();
    if (coverage && result.inputs < guidedRuns + BATCH) await keepNew(batch, coverage);
    else await coverage?.close();
    for (let own = 0; target.judgeOwn && own < batch.length / 20; own += 1) {
      const { behaviour, fault } = await target.judgeOwn(draw);
      note(Buffer.alloc(0), behaviour, fault);
    }
    result.blocks = seen.size;
  }
  await coverage?.close();
  return result;

  /** Where a batch has run blocks for the first time, its inputs are read again, one by one. */
  async function keepNew(batch: readonly Buffer[], { take }: Coverage): Promise<void> {
    const added = (await take()).difference(seen);
    for (const block of added) seen.add(block);
    for (const input of batch) {
      if (added.size === 0) return;
      await target.judge(input);
      const found = (await take()).intersection(added);
      if (found.size > 0) keep(input);
      for (const block of found) added.delete(block);
    }
  }
}
