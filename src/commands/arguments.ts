import { type ParseArgsConfig, parseArgs } from 'node:util';

/** A command line that cannot be understood. The message is a sentence for the user. */
export class UsageError extends Error {}

/** Parses the arguments of a command, by default without positionals. Throws UsageError. */
export function parseArguments<Config extends ParseArgsConfig>(args: string[], config: Config) {
  try {
    return parseArgs({ ...config, args });
  } catch (error) {
    // The first sentence names the problem; the others explain features that no command has.
    const [reason] = (error instanceof Error ? error.message : String(error)).split('. ');
    throw new UsageError(`${reason}.`);
  }
}
