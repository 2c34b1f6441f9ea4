import { describeError } from '../domain/errors.ts';
import { redactSetting } from '../domain/setting-url.ts';
import { countTypos } from '../domain/typos.ts';

/** The problems of an environment, all at once, each with the name of its variable. */
export class ConfigError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.name = 'ConfigError';
    this.problems = problems;
  }
}

/** Creates a reader that collects the problems of the variables that it reads, and throws them together in `finish`. */
export function createEnvironmentReader(environment: NodeJS.ProcessEnv) {
  const problems: string[] = [];
  const known: string[] = [];
  /** The values that are right, by their variables. */
  const values = new Map<string, unknown>();
  const showValue = (value: string) => `; it is "${redactSetting(value)}"`;

  /** An empty variable counts as not set. `parse` throws an Error that says what the value must be. */
  function read<Value>(
    name: string,
    fallback: string,
    parse: (value: string) => Value,
    show = showValue,
  ): Value {
    known.push(name);
    const value = environment[name]?.trim() || fallback;
    try {
      const parsed = parse(value);
      values.set(name, parsed);
      return parsed;
    } catch (error) {
      problems.push(`${name} ${describeError(error)}${show(value)}`);
      // The value is never used, because `finish` throws when there is a problem.
      return undefined as Value;
    }
  }

  return {
    read,
    /** Reads a variable that is not shown when it is wrong; empty by default. */
    readSecret: <Value>(name: string, parse: (value: string) => Value) => read(name, '', parse, () => ''),
    /** Reads a variable that contains no secret, and is shown in full when it is wrong; empty by default. */
    readPublic: <Value>(name: string, parse: (value: string) => Value) =>
      read(name, '', parse, (value) => `; it is "${value}"`),
    /** Adds a problem that concerns several variables. */
    forbid: (isWrong: boolean, problem: string) => {
      if (isWrong) problems.push(problem);
    },
    /** Forbids that two variables that were read have the same value; 0 and null stand for none. */
    forbidSame(name: string, other: string, reason: string): void {
      if (values.get(name) && values.get(name) === values.get(other))
        problems.push(`${name} must differ from ${other}: ${reason}`);
    },
    /** Throws ConfigError when there were problems. To be called after everything has been read. */
    finish() {
      problems.push(...describeMisspelt(environment, known));
      if (problems.length > 0) throw new ConfigError(problems);
    },
  };
}

/** Names of other programs that are a typo away from a short one of ours. */
const FOREIGN_NAMES = ['HOSTS', 'POST', 'SERVER'];
/** What Kubernetes and Docker set for the port of a service, such as UPLOADS_PORT for one that is called uploads. */
const LINK = /^(?:tcp|udp):\/\//u;

/**
 * Describes the variables that are set under a name that is `known` but for a typo; case and `_` are not compared. Where the
 * variable that was meant is set too, the name is not reported: the operator may want both.
 */
function describeMisspelt(environment: NodeJS.ProcessEnv, known: readonly string[]): string[] {
  const valueIn = (name: string) => environment[name]?.trim() ?? '';
  const missing = known.filter((name) => !valueIn(name));
  return Object.keys(environment).flatMap((name) => {
    if (known.includes(name) || !valueIn(name) || LINK.test(valueIn(name))) return [];
    const meant = missing.find((candidate) => isMeant(bareName(name), bareName(candidate)));
    return meant === undefined ? [] : [`${name} is not a variable of Tayang; did you mean ${meant}?`];
  });
}

function bareName(name: string): string {
  return name.toUpperCase().replaceAll('_', '');
}

/** The first letter is rarely wrong: GHOST and REPORT are other words. */
function isMeant(name: string, known: string): boolean {
  return name[0] === known[0] && !FOREIGN_NAMES.includes(name) && countTypos(name, known) <= 1;
}
