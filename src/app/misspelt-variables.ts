/** Shorter names are too close to the names of other programs' variables, such as HOST to HOSTS. */
const MIN_LENGTH = 6;
/** From this length on, a name may have two typos instead of one. */
const LONG_LENGTH = 9;

/** A variable that is set under a name that nothing reads, and the name that was probably meant. */
interface Misspelt {
  name: string;
  meant: string;
}

/**
 * Finds variables whose name is `known` but for one typo, or two in a long one; case and `_` are not compared. Where the
 * variable that was meant is set too, the name is not reported: the operator may want both.
 */
export function findMisspelt(environment: NodeJS.ProcessEnv, known: readonly string[]): Misspelt[] {
  const isSet = (name: string) => Boolean(environment[name]?.trim());
  const missing = known.filter((name) => !isSet(name));
  return Object.keys(environment).flatMap((name) => {
    if (known.includes(name) || !isSet(name)) return [];
    const meant = findClosest(name, missing);
    return meant === undefined ? [] : [{ name, meant }];
  });
}

function findClosest(name: string, candidates: readonly string[]): string | undefined {
  const bare = bareName(name);
  const close = candidates
    .map((candidate) => ({ candidate, typos: countTypos(bare, bareName(candidate)) }))
    .filter(({ typos }) => typos < Infinity)
    .sort((a, b) => a.typos - b.typos);
  return close[0]?.candidate;
}

function bareName(name: string): string {
  return name.toUpperCase().replaceAll('_', '');
}

/** How many typos lie between a name and a known one; Infinity for too many. */
function countTypos(name: string, known: string): number {
  const max = maxTypos(known);
  // Each typo changes the length by one at most, which rules most names of an environment out.
  return Math.abs(name.length - known.length) > max ? Infinity : levenshtein(name, known, max);
}

function maxTypos({ length }: string): number {
  if (length < MIN_LENGTH) return -1;
  return length < LONG_LENGTH ? 1 : 2;
}

/** The Levenshtein distance: how many characters are added, left out or changed; Infinity for more than `max`. */
function levenshtein(one: string, other: string, max: number): number {
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
  const distance = previous.at(-1) ?? 0;
  return distance > max ? Infinity : distance;
}
