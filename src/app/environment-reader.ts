import { describeError } from '../domain/errors.ts';
import { redactSetting, UnescapedPasswordError } from '../domain/setting-url.ts';
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

type Parse<Value> = (value: string) => Value;

/** Collects the problems of the variables that it reads, and throws them together in `finish`. */
export interface EnvironmentReader {
  /** An empty variable counts as not set. `parse` throws an Error that says what the value must be. */
  read<Value>(name: string, fallback: string, parse: Parse<Value>): Value;
  /** Reads a variable that is not shown when it is wrong; empty by default. */
  readSecret<Value>(name: string, parse: Parse<Value>): Value;
  /** Reads a variable that contains no secret, and is shown in full when it is wrong; empty by default. */
  readPublic<Value>(name: string, parse: Parse<Value>): Value;
  /** Adds a problem that concerns several variables. */
  forbid(isWrong: boolean, problem: string): void;
  /** Forbids that two variables that were read have the same value; 0 and null stand for none. */
  forbidSame(name: string, other: string, reason: string): void;
  /**
   * Throws ConfigError when there were problems. To be called after everything has been read. `check` finds the problems of
   * variables that are valid, each on its own.
   */
  finish(check: () => string[]): void;
}

export function createEnvironmentReader(environment: NodeJS.ProcessEnv): EnvironmentReader {
  const problems: string[] = [];
  const known: string[] = [];
  /** The values that are right, by their variables. */
  const values = new Map<string, unknown>();
  const showValue = (value: string) => `; it is "${redactSetting(value)}"`;

  function read<Value>(name: string, fallback: string, parse: Parse<Value>, show = showValue): Value {
    known.push(name);
    const value = environment[name]?.trim() || fallback;
    try {
      const parsed = parse(value);
      values.set(name, parsed);
      return parsed;
    } catch (error) {
      const shown = error instanceof UnescapedPasswordError ? '' : show(value);
      problems.push(`${name} ${describeError(error)}${shown}`);
      // The value is never used, because `finish` throws when there is a problem.
      return undefined as Value;
    }
  }

  return {
    read,
    readSecret: (name, parse) => read(name, '', parse, () => ''),
    readPublic: (name, parse) => read(name, '', parse, (value) => `; it is "${value}"`),
    forbid(isWrong, problem) {
      if (isWrong) problems.push(problem);
    },
    forbidSame(name, other, reason) {
      if (values.get(name) && values.get(name) === values.get(other))
        problems.push(`${name} must differ from ${other}: ${reason}`);
    },
    finish(check) {
      problems.push(...describeMisspelt(environment, known));
      if (problems.length === 0) problems.push(...check());
      if (problems.length > 0) throw new ConfigError(problems);
    },
  };
}

/** Names of other programs that are a typo away from a short one of ours. */
const FOREIGN_NAMES = ['HOSTS', 'POST', 'SERVER'];
/** Kubernetes and Docker set such values for the port of a service, as UPLOADS_PORT for a service called uploads. */
const LINK = /^(?:tcp|udp):\/\//u;

/**
 * Describes the variables that are set under a name that is `known` but for a typo; case and `_` are not compared. If
 * the correct variable is set too, the name is not reported: the operator may want both.
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
