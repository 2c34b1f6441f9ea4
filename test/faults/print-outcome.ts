/** Prints whether something holds, and what is wrong where it does not. Returns whether it holds. */
export function printOutcome(what: string, failures: readonly string[]): boolean {
  console.log(`${failures.length === 0 ? 'holds' : 'FAILS'}  ${what}`);
  for (const failure of failures) console.log(`       ${failure}`);
  return failures.length === 0;
}
