import { redactSetting } from '../domain/redact.ts';
import { parseDuration, parseSize } from '../domain/units.ts';

/** Every problem of an environment, each by its variable's name. */
export class ConfigError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.name = 'ConfigError';
    this.problems = problems;
  }
}

const DAY_MS = 86_400_000;
/** The longest that a timer of Node's can wait. */
const MAX_TIMER_MS = 2 ** 31 - 1;

interface Range {
  least?: number;
  most?: number;
}

export type EnvironmentReader = ReturnType<typeof createReader>;

/** Reads variables one by one and notes what is wrong, so that all of it is told at once by `finish`. */
export function createReader(environment: NodeJS.ProcessEnv) {
  const problems: string[] = [];

  /** A variable that is empty counts as not set. `parse` throws an Error that says what the value must be. */
  function checked<Value>(name: string, fallback: string, parse: (value: string) => Value): Value {
    const value = environment[name]?.trim() || fallback;
    try {
      return parse(value);
    } catch (error) {
      problems.push(`${name} ${(error as Error).message}; it is "${redactSetting(value)}"`);
      return undefined as Value;
    }
  }

  return {
    checked,
    text: (name: string, fallback: string) => checked(name, fallback, (value) => value),
    header: (name: string, fallback: string) => checked(name, fallback, parseHeader),
    port: (name: string, fallback: number) => checked(name, String(fallback), parsePort),
    portOrOff: (name: string) => checked(name, 'off', (value) => (value === 'off' ? null : parsePort(value))),
    duration: (name: string, fallback: string, range: Range = {}) =>
      checked(name, fallback, (value) => readDuration(value, range)),
    size: (name: string, fallback: string) => checked(name, fallback, readSize),
    count: (name: string, fallback: number, most: number) =>
      checked(name, String(fallback), (value) => readCount(value, most)),
    origin: (name: string) => checked(name, '', (value) => (value ? parseOrigin(value) : null)),
    origins: (name: string, fallback: string) =>
      checked(name, fallback, (value) => [...new Set(splitList(value).map(parseOrigin))]),
    proxy: (name: string) => checked(name, '', (value) => (value ? parseUrl(value).href : undefined)),
    oneOf: <Choice extends string>(name: string, choices: readonly Choice[], fallback: Choice) =>
      checked(name, fallback, (value) => parseChoice(value, choices)),
    /** Notes what is wrong between variables. */
    forbid: (isWrong: boolean, problem: string) => {
      if (isWrong) problems.push(problem);
    },
    /** Throws ConfigError if anything was wrong. */
    finish() {
      if (problems.length > 0) throw new ConfigError(problems);
    },
  };
}

/** An item of a comma-separated list may be followed by nothing, the list may not be empty. */
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

function readDuration(value: string, { least = 0, most = MAX_TIMER_MS }: Range): number {
  const ms = parseDuration(value);
  if (ms !== undefined && ms >= least && ms <= most) return ms;
  const range = `${least > 0 ? ' above 0' : ''}, of ${Math.floor(most / DAY_MS)} days at most`;
  throw new Error(`must be a duration, such as 500ms, 15s, 10m, 24h or 7d${range}`);
}

function readSize(value: string): number {
  const bytes = parseSize(value);
  if (bytes) return bytes;
  throw new Error('must be a size above 0, such as 512 KB, 100 MB or 10 GB');
}

function readCount(value: string, most: number): number {
  const count = Number(value);
  if (/^[1-9]\d*$/u.test(value) && count <= most) return count;
  throw new Error(`must be a whole number from 1 to ${most}`);
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
