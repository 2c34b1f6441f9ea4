/** Shorter names are too near to names of other programs, such as HOST to HOSTS. */
const MIN_LENGTH = 6;
/** One more slip is forgiven in a name of this length. */
const LONG_LENGTH = 9;

/** A variable that is set under a name that nothing reads, and the name that was probably meant. */
interface Misspelt {
  name: string;
  meant: string;
}

/**
 * Finds variables whose name is one slip away from one of `known`, or two for a long one; case and `_` are not compared.
 * A name counts only where the one that was meant is not set: then both may be what the operator wants.
 */
export function findMisspelt(environment: NodeJS.ProcessEnv, known: readonly string[]): Misspelt[] {
  const isSet = (name: string) => Boolean(environment[name]?.trim());
  const missing = known.filter((name) => !isSet(name));
  return Object.keys(environment).flatMap((name) => {
    if (known.includes(name) || !isSet(name)) return [];
    const meant = nearest(name, missing);
    return meant === undefined ? [] : [{ name, meant }];
  });
}

function nearest(name: string, candidates: readonly string[]): string | undefined {
  const bare = bareName(name);
  const near = candidates
    .map((candidate) => ({ candidate, slips: slipsBetween(bare, bareName(candidate)) }))
    .filter(({ slips }) => slips < Infinity)
    .sort((a, b) => a.slips - b.slips);
  return near[0]?.candidate;
}

function bareName(name: string): string {
  return name.toUpperCase().replaceAll('_', '');
}

/** How many slips lie between a name and a known one; Infinity for too many. */
function slipsBetween(name: string, known: string): number {
  const max = maxSlips(known);
  // Each slip changes the length by one at most, which tells most names of an environment apart.
  return Math.abs(name.length - known.length) > max ? Infinity : countSlips(name, known, max);
}

function maxSlips({ length }: string): number {
  if (length < MIN_LENGTH) return -1;
  return length < LONG_LENGTH ? 1 : 2;
}

/** The Levenshtein distance, how many characters are added, left out or changed; Infinity for more than `max`. */
function countSlips(one: string, other: string, max: number): number {
  let previous = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (let row = 1; row <= one.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= other.length; column += 1) {
      const changed = (previous[column - 1] ?? 0) + (one[row - 1] === other[column - 1] ? 0 : 1);
      current.push(Math.min(changed, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    if (Math.min(...current) > max) return Infinity;
    previous = current;
  }
  const slips = previous.at(-1) ?? 0;
  return slips > max ? Infinity : slips;
}
