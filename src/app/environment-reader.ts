import { describeError } from '../domain/errors.ts';
import { redactSetting } from '../domain/setting-url.ts';
import { countTypos } from '../domain/typos.ts';
import { DAY_MS, parseDuration, parseSize } from '../domain/units.ts';

/** The problems of an environment, all at once, each with the name of its variable. */
export class ConfigError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.name = 'ConfigError';
    this.problems = problems;
  }
}

/** The longest delay of Node's timers. */
const MAX_TIMER_MS = 2 ** 31 - 1;

interface Range {
  min?: number;
  max?: number;
}

/** Creates a reader that collects the problems of the variables that it reads, and throws them together in `finish`. */
export function createEnvironmentReader(environment: NodeJS.ProcessEnv) {
  const problems: string[] = [];
  const known: string[] = [];

  /** An empty variable counts as not set. `parse` throws an Error that says what the value must be. */
  function checked<Value>(
    name: string,
    fallback: string,
    parse: (value: string) => Value,
    show = (value: string) => `; it is "${redactSetting(value)}"`,
  ): Value {
    known.push(name);
    const value = environment[name]?.trim() || fallback;
    try {
      return parse(value);
    } catch (error) {
      problems.push(`${name} ${describeError(error)}${show(value)}`);
      // The value is never used, because `finish` throws when there is a problem.
      return undefined as Value;
    }
  }

  return {
    checked,
    /** A variable that is not shown when it is wrong; empty by default. */
    secret: <Value>(name: string, parse: (value: string) => Value) => checked(name, '', parse, () => ''),
    text: (name: string, fallback: string) => checked(name, fallback, (value) => value),
    header: (name: string, fallback: string) => checked(name, fallback, parseHeader),
    port: (name: string, fallback: number) => checked(name, String(fallback), parsePort),
    portOrOff: (name: string) => checked(name, 'off', (value) => (value === 'off' ? null : parsePort(value))),
    duration: (name: string, fallback: string, range: Range = {}) =>
      checked(name, fallback, (value) => parseDurationWithin(value, range)),
    size: (name: string, fallback: string) => checked(name, fallback, parsePositiveSize),
    count: (name: string, fallback: number, max: number) =>
      checked(name, String(fallback), (value) => parseCount(value, max)),
    origin: (name: string) => checked(name, '', (value) => (value ? parseOrigin(value) : null)),
    origins: (name: string, fallback: string) =>
      checked(name, fallback, (value) => [...new Set(splitList(value).map(parseOrigin))]),
    proxy: (name: string) => checked(name, '', (value) => (value ? parseUrl(value).href : undefined)),
    oneOf: <Choice extends string>(name: string, choices: readonly Choice[], fallback: Choice) =>
      checked(name, fallback, (value) => parseChoice(value, choices)),
    /** Adds a problem that concerns several variables. */
    forbid: (isWrong: boolean, problem: string) => {
      if (isWrong) problems.push(problem);
    },
    /** Throws ConfigError when there were problems. To be called after everything has been read. */
    finish() {
      for (const { name, meant } of findMisspelt(environment, known))
        problems.push(`${name} is not a variable of Tayang; did you mean ${meant}?`);
      if (problems.length > 0) throw new ConfigError(problems);
    },
  };
}

/** Leaves out empty items, as after a last comma, but keeps one when there is no other, so that it is a problem. */
function splitList(value: string): string[] {
  const items = value.split(',').map((item) => item.trim());
  const filled = items.filter(Boolean);
  return filled.length > 0 ? filled : items;
}

function parsePort(value: string): number {
  const port = Number(value);
  if (/^\d+$/u.test(value) && port <= 65_535) return port;
  throw new Error('must be a port from 0 to 65535; 0 picks a free one');
}

function parseDurationWithin(value: string, { min = 0, max = MAX_TIMER_MS }: Range): number {
  const ms = parseDuration(value);
  if (ms !== undefined && ms >= min && ms <= max) return ms;
  const range = `${min > 0 ? ' above 0' : ''}, of ${Math.floor(max / DAY_MS)} days at most`;
  throw new Error(`must be a duration, such as 500ms, 15s, 10m, 24h or 7d${range}`);
}

function parsePositiveSize(value: string): number {
  const bytes = parseSize(value);
  if (bytes) return bytes;
  throw new Error('must be a size above 0, such as 512 KB, 100 MB or 10 GB');
}

function parseCount(value: string, max: number): number {
  const count = Number(value);
  if (/^[1-9]\d*$/u.test(value) && count <= max) return count;
  throw new Error(`must be a whole number from 1 to ${max}`);
}

function parseOrigin(value: string): string {
  const url = parseUrl(value.trim());
  if (url.pathname === '/' && !url.search && !url.hash && !url.username && !url.password) return url.origin;
  throw new Error('must be an origin without a path, such as https://example.org');
}

function parseUrl(value: string): URL {
  const url = URL.parse(value);
  if (url && /^https?:$/u.test(url.protocol)) return url;
  throw new Error('must be an address that begins with http:// or https://');
}

function parseHeader(value: string): string {
  if (/^[\x20-\x7e]{1,256}$/u.test(value)) return value;
  throw new Error('must be printable ASCII, of 256 characters at most');
}

function parseChoice<Choice extends string>(value: string, choices: readonly Choice[]): Choice {
  const choice = choices.find((known) => known === value);
  if (choice) return choice;
  throw new Error(`must be one of ${choices.join(', ')}`);
}

/** Names shorter than this are close to many others. Their first letter is rarely wrong: GHOST and REPORT are other words. */
const SHORT_LENGTH = 6;
/** Names of this length may have two typos. */
const LONG_LENGTH = 10;
/** Names of other programs that are a typo away from a short one of ours. */
const FOREIGN_NAMES = ['HOSTS', 'POST', 'SERVER'];
/** What Kubernetes and Docker set for the port of a service, such as UPLOADS_PORT for one that is called uploads. */
const LINK = /^(?:tcp|udp):\/\//u;

/**
 * Finds variables that are set under a name that is `known` but for a typo; case and `_` are not compared. Where the
 * variable that was meant is set too, the name is not reported: the operator may want both.
 */
function findMisspelt(environment: NodeJS.ProcessEnv, known: readonly string[]) {
  const valueIn = (name: string) => environment[name]?.trim() ?? '';
  const missing = known.filter((name) => !valueIn(name));
  return Object.keys(environment).flatMap((name) => {
    if (known.includes(name) || !valueIn(name) || LINK.test(valueIn(name))) return [];
    const meant = missing.find((candidate) => isMeant(bareName(name), bareName(candidate)));
    return meant === undefined ? [] : [{ name, meant }];
  });
}

function bareName(name: string): string {
  return name.toUpperCase().replaceAll('_', '');
}

function isMeant(name: string, known: string): boolean {
  if (known.length < SHORT_LENGTH && (name[0] !== known[0] || FOREIGN_NAMES.includes(name))) return false;
  return countTypos(name, known) <= (known.length < LONG_LENGTH ? 1 : 2);
}
