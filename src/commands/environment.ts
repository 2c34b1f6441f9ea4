import { createRequire } from 'node:module';
import { type Config, readConfig } from '../app/config.ts';
import { ConfigError } from '../app/environment.ts';

/** The environment, with `.env` for what it does not set. */
export function loadEnvironment(): NodeJS.ProcessEnv {
  try {
    process.loadEnvFile();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  return process.env;
}

/** The configuration, or undefined after every problem has been printed. */
export function loadConfig(environment: NodeJS.ProcessEnv): Config | undefined {
  const { version } = createRequire(import.meta.url)('../../package.json') as { version: string };
  try {
    return readConfig(environment, version);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    console.error(
      `The configuration cannot be used:\n${error.problems.map((problem) => `  ${problem}`).join('\n')}`,
    );
    return undefined;
  }
}
