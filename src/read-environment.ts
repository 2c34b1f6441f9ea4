/** Every problem of an environment, each by its variable's name. */
export class ConfigError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.name = 'ConfigError';
    this.problems = problems;
  }
}

const DURATIONS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
/** The longest that a timer of Node's can wait. */
const LONGEST_DURATION_MS = 2 ** 31 - 1;

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
      problems.push(`${name} ${(error as Error).message}; it is "${maskSecrets(value)}"`);
      return undefined as Value;
    }
  }

  return {
    checked,
    text: (name: string, fallback: string) => checked(name, fallback, (value) => value),
    header: (name: string, fallback: string) => checked(name, fallback, parseHeader),
    port: (name: string, fallback: number) => checked(name, String(fallback), parsePort),
    duration: (name: string, fallback: string, { least = 0 } = {}) =>
      checked(name, fallback, (value) => parseDuration(value, least)),
    origin: (name: string) => checked(name, '', (value) => (value ? parseOrigin(value) : null)),
    origins: (name: string, fallback: string) =>
      checked(name, fallback, (value) => [...new Set(splitList(value).map(parseOrigin))]),
    proxy: (name: string) => checked(name, '', (value) => (value ? parseUrl(value).href : undefined)),
    oneOf: <Choice extends string>(name: string, choices: readonly Choice[], fallback: Choice) =>
      checked(name, fallback, (value) => parseChoice(value, choices)),
    /** Throws ConfigError if anything was wrong. */
    finish() {
      if (problems.length > 0) throw new ConfigError(problems);
    },
  };
}

/** Problems are printed, and logs are read by many. */
function maskSecrets(value: string): string {
  return value.replace(/\/\/[^/@]*@/u, '//***@');
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

/** `500ms`, `1.5h`, `0` → ms. */
export function parseDuration(value: string, least = 0): number {
  const match = /^(\d+(?:\.\d+)?)\s*(ms|s|m|h|d)$/u.exec(value);
  const ms =
    value === '0' ? 0 : Number(match?.[1]) * DURATIONS[(match?.[2] ?? 'ms') as keyof typeof DURATIONS];
  if (ms >= least && ms <= LONGEST_DURATION_MS) return Math.round(ms);
  throw new Error(
    `must be a duration${least > 0 ? ' above 0' : ''}, such as 500ms, 15s, 10m, 24h or 7d, of 24 days at most`,
  );
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
