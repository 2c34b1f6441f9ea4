import { createRequire } from 'node:module';
import { type Config, readConfig } from '../app/config.ts';
import { ConfigError } from '../app/environment-reader.ts';
import { describeError } from '../domain/errors.ts';
import { UsageError } from './arguments.ts';

/** Returns the environment, with the variables of `.env` that it does not set. Throws UsageError when it cannot be read. */
export function loadEnvironment(): NodeJS.ProcessEnv {
  try {
    process.loadEnvFile();
  } catch (error) {
    // What is thrown by Node always has a code.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return process.env;
    throw new UsageError(`The file .env cannot be read: ${describeError(error)}.`);
  }
  return process.env;
}

/** Returns the configuration, or undefined after it has printed every problem. */
export function loadConfig(environment: NodeJS.ProcessEnv): Config | undefined {
  try {
    return readConfig(environment, readVersion());
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const problems = error.problems.map((problem) => `  ${problem}`).join('\n');
    console.error(`The configuration cannot be used:\n${problems}`);
    return undefined;
  }
}

/** The version in package.json. */
export function readVersion(): string {
  // The field is required in a package.json of npm.
  const { version } = createRequire(import.meta.url)('../../package.json') as { version: string };
  return version;
}
