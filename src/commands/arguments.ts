import { type ParseArgsConfig, parseArgs } from 'node:util';
import { findNearest } from '../domain/typos.ts';

/** A failure of a command, in a sentence for the user. */
export class CommandError extends Error {}

/** A command line that cannot be understood. */
export class UsageError extends CommandError {}

/** The options of every command. */
const COMMON_OPTIONS = ['help', 'version'];

/** Parses the arguments of a command, by default without positionals. Throws UsageError. */
export function parseArguments<Config extends ParseArgsConfig>(args: string[], config: Config) {
  try {
    return parseArgs({ ...config, args });
  } catch (error) {
    // The first sentence names the problem; the others explain features that no command has.
    const [reason = ''] = (error instanceof Error ? error.message : String(error)).split(/\.\s/u);
    const [, unknown = ''] = /^Un[^']* '-*([^']*)'$/u.exec(reason) ?? [];
    const options = [...Object.keys(config.options ?? {}), ...COMMON_OPTIONS].map((name) => `--${name}`);
    throw new UsageError(`${reason}.${suggest(`--${unknown}`, options)}`);
  }
}

/** ` Did you mean list?`, or nothing if no word is near. */
export function suggest(word: string, known: readonly string[]): string {
  const nearest = findNearest(word, known);
  return nearest === undefined ? '' : ` Did you mean ${nearest}?`;
}
