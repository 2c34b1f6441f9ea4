/** Separates a name, which may be missing, from the numbers after it. */
export function readArguments(args: readonly string[]): { name: string; numbers: number[] } {
  const isNumber = (arg: string) => /^\d+$/u.test(arg);
  return { name: args.find((arg) => !isNumber(arg)) ?? '', numbers: args.filter(isNumber).map(Number) };
}

/** A seed for a run that is not given one. */
export function drawSeed(): number {
  return Date.now() % 2 ** 31;
}

/** `holds` or `FAILS`, as every proof begins its lines. */
export function describeOutcome(holds: boolean): string {
  return holds ? 'holds' : 'FAILS';
}
