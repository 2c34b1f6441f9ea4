import { setImmediate } from 'node:timers/promises';
import { check, type Draw, type Model, proveEach } from '../check.ts';
import { multipart } from './multipart.ts';

const RUNS = 20_000;

/** A reader under test. */
export interface Target<Input> extends Omit<Model<Input>, 'run'> {
  judge(input: Input): Promise<Verdict> | Verdict;
}

export interface Verdict {
  outcome: 'accepted' | 'refused';
  /** What is wrong; undefined when nothing is. */
  fault?: string | undefined;
}

export const TARGETS = {
  multipart: (draw: Draw) => fuzz(multipart, draw),
};

/** `fuzz [multipart] [runs [seed]]` */
export const proveFuzz = (args: string[]): Promise<boolean> => proveEach(TARGETS, args, RUNS);

async function fuzz<Input>(target: Target<Input>, draw: Draw) {
  const outcomes = { accepted: 0, refused: 0 };
  const run = async (input: Input) => {
    const { outcome, fault } = await target.judge(input);
    outcomes[outcome] += 1;
    // Reading goes on in microtasks, so nothing else would ever have its turn, such as the end of what was read.
    await setImmediate();
    return fault === undefined ? [] : [fault];
  };
  const failure = await check({ ...target, run }, draw);
  return { failure, counts: `${outcomes.accepted} accepted, ${outcomes.refused} refused` };
}
