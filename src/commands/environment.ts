import { lstatSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { parseEnv } from 'node:util';
import { type Config, readConfig } from '../app/config.ts';
import { ConfigError } from '../app/environment-reader.ts';
import { findForeign, stepsTo } from '../app/trusted-path.js';
import { describeError } from '../domain/errors.ts';
import { CommandError } from './arguments.ts';
import { findStrayLines } from './env-file.ts';

/**
 * Reads the configuration from the environment and the variables of `.env` that it does not set, which are set from then
 * on. `defaults` and `fixed` come after and before both. Throws CommandError with every problem.
 */
export function loadConfig(defaults: NodeJS.ProcessEnv = {}, fixed: NodeJS.ProcessEnv = {}): Config {
  const problems = setFromEnvFile();
  try {
    const config = readConfig({ ...defaults, ...process.env, ...fixed }, packageVersion());
    if (problems.length === 0) return config;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    problems.push(...error.problems);
  }
  throw configurationError(problems);
}

/** Sets the variables of `.env` that the environment does not set, such as the keys of S3. Throws CommandError. */
export function loadEnvironment(): void {
  const problems = setFromEnvFile();
  if (problems.length > 0) throw configurationError(problems);
}

function configurationError(problems: readonly string[]): CommandError {
  const lines = problems.map((problem) => `  ${problem}`).join('\n');
  return new CommandError(`The configuration cannot be used:\n${lines}`);
}

/** Sets the variables of `.env` that the environment does not set. Returns the problems of the file. */
function setFromEnvFile(): string[] {
  const text = readEnvFile();
  for (const [name, value] of Object.entries(parseEnv(text))) process.env[name] ??= value;
  return findStrayLines(text).map(
    (number) => `line ${number} of .env is no assignment; write NAME=value, or # before a comment`,
  );
}

/** The text of `.env`, empty where there is no such file. Editors of Windows begin it with a mark of its encoding. */
function readEnvFile(): string {
  try {
    refuseForeignEnvFile();
    const bytes = readFileSync('.env');
    const isUtf16 = bytes.subarray(0, 2).equals(UTF_16_MARK);
    return new TextDecoder(isUtf16 ? 'utf-16le' : 'utf-8').decode(bytes);
  } catch (error) {
    if (error instanceof CommandError) throw error;
    // Every other error here is thrown by Node, and has a code.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw new CommandError(`The file .env cannot be read: ${describeError(error)}.`);
  }
}

/**
 * `.env` decides what this user reads and writes, and a command may be started in any folder, so no other user may be able to
 * write the file. The owner of the program may, because they can change the program anyway.
 */
function refuseForeignEnvFile(): void {
  const user = process.getuid?.();
  if (user === undefined) return;
  const program = stepsTo(import.meta.filename);
  const programOwners = [...program].map((step) => lstatSync(step).uid);
  const foreign = findForeign('.env', [user, ...programOwners], program);
  if (foreign === undefined) return;
  const advice = 'make sure that only you can, or set the variables in the environment';
  throw new CommandError(`The file .env is not used, because another user can change ${foreign}: ${advice}.`);
}

const UTF_16_MARK = Buffer.from([0xff, 0xfe]);

/** The version in package.json. */
export function packageVersion(): string {
  // The field is required in a package.json of npm.
  const { version } = createRequire(import.meta.url)('../../package.json') as { version: string };
  return version;
}
