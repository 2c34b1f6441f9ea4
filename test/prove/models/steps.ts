import fc from 'fast-check';

/** The kinds of steps that a scenario may have: how often each is drawn, and what a step of it says beside its `type`. */
type Kinds = Record<string, readonly [weight: number, fields: Record<string, fc.Arbitrary<unknown>>]>;

/** A step of one of these kinds. */
export type StepOf<All extends Kinds> = {
  [Type in keyof All]: { type: Type } & {
    [Field in keyof All[Type][1]]: All[Type][1][Field] extends fc.Arbitrary<infer Value> ? Value : never;
  };
}[keyof All];

/** What a runner does at each step. */
export type Handlers<Step extends { type: string }> = {
  [Type in Step['type']]: (step: Extract<Step, { type: Type }>) => unknown;
};

/** Draws scenarios of up to so many steps. */
export function stepsOf<All extends Kinds>(kinds: All, maxLength: number): fc.Arbitrary<StepOf<All>[]> {
  const alternatives = Object.entries(kinds).map(([type, [weight, fields]]) => ({
    weight,
    arbitrary: fc.record({ type: fc.constant(type), ...fields }),
  }));
  const step = fc.oneof(...alternatives) as fc.Arbitrary<unknown> as fc.Arbitrary<StepOf<All>>;
  return fc.array(step, { minLength: 1, maxLength, size: 'max' });
}

/** So many operations of a process happen; each number chooses among the first so many that wait. */
export function choices(maxLength: number, among: number): fc.Arbitrary<number[]> {
  return fc.array(fc.nat(among - 1), { minLength: 1, maxLength, size: 'max' });
}

/** Takes one step after another, until something is wrong. */
export async function takeSteps<Step extends { type: string }>(
  steps: readonly Step[],
  handlers: Handlers<Step>,
  faults: readonly string[],
): Promise<void> {
  for (const step of steps) {
    await handlers[step.type as Step['type']](step as never);
    if (faults.length > 0) return;
  }
}
