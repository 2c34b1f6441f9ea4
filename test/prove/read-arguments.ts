/** Reads `[name] [runs [seed]]`. Without a seed one is drawn. */
export function readArguments(args: readonly string[], defaultRuns: number) {
  const isNumber = (arg: string) => /^\d+$/u.test(arg);
  const [runs = defaultRuns, seed = Date.now() % 2 ** 31] = args.filter(isNumber).map(Number);
  return { name: args.find((arg) => !isNumber(arg)) ?? '', runs, seed };
}
