/** Names shorter than this are close to many others, so more is asked of what may be meant by them. */
const SHORT_LENGTH = 6;
/** From this length on, a name may have two typos instead of one. */
const LONG_LENGTH = 9;
/** Names of other programs that are a typo away from a short one of ours. */
const FOREIGN_NAMES = ['HOSTS', 'POST', 'SERVER'];
/** What Kubernetes and Docker set for the port of a service, such as UPLOADS_PORT for one that is called uploads. */
const LINK = /^(?:tcp|udp):\/\//u;

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
  const valueIn = (name: string) => environment[name]?.trim() ?? '';
  const missing = known.filter((name) => !valueIn(name));
  return Object.keys(environment).flatMap((name) => {
    if (known.includes(name) || !valueIn(name) || LINK.test(valueIn(name))) return [];
    const meant = findClosest(bareName(name), missing);
    return meant === undefined ? [] : [{ name, meant }];
  });
}

function findClosest(name: string, candidates: readonly string[]): string | undefined {
  for (const typos of [0, 1, 2]) {
    const closest = candidates.find((candidate) => isMeant(name, bareName(candidate), typos));
    if (closest !== undefined) return closest;
  }
  return undefined;
}

function bareName(name: string): string {
  return name.toUpperCase().replaceAll('_', '');
}

function isMeant(name: string, known: string, typos: number): boolean {
  if (typos > (known.length < LONG_LENGTH ? 1 : 2)) return false;
  // The first letter of a short name is rarely wrong: GHOST and REPORT are other words.
  if (known.length < SHORT_LENGTH && (name[0] !== known[0] || FOREIGN_NAMES.includes(name))) return false;
  return isWithin(typos, name, known);
}

/** Whether so many typos make one word of the other: letters that are added, left out, changed, or swapped with the next. */
function isWithin(typos: number, one: string, other: string): boolean {
  if (one === other) return true;
  if (typos === 0) return false;
  if (one[0] === other[0]) return isWithin(typos, one.slice(1), other.slice(1));
  const isSwapped = one[0] === other[1] && one[1] === other[0];
  return (
    isWithin(typos - 1, one.slice(1), other) ||
    isWithin(typos - 1, one, other.slice(1)) ||
    isWithin(typos - 1, one.slice(1), other.slice(1)) ||
    (isSwapped && isWithin(typos - 1, one.slice(2), other.slice(2)))
  );
}
