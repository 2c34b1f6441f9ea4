import { describeError } from '../domain/errors.ts';
import { parseSize } from '../domain/units.ts';
import { parseAddressRange } from '../network/ip-address.ts';
import { parseBlockEntry } from '../uploads/moderation/block-list.ts';
import { parseArguments, suggest, UsageError } from './arguments.ts';
import type { FileFilter } from './uploads-list.ts';

/** What each action takes: the number of its operands, what they are, and options beside --json. */
const ACTIONS = {
  list: { min: 0, max: 0, what: '', options: ['reported', 'address', 'type', 'larger'] },
  show: { min: 1, max: 1, what: 'the id of a file', options: [] },
  remove: { min: 1, max: 1, what: 'the id of a file', options: ['legal', 'block'] },
  block: { min: 1, max: 1_000, what: 'sha256:HEX or address:CIDR', options: [] },
  unblock: { min: 1, max: 1_000, what: 'sha256:HEX or address:CIDR', options: [] },
  blocked: { min: 0, max: 0, what: '', options: [] },
  reports: { min: 0, max: 1, what: 'the id of a file', options: [] },
} as const;
type Action = keyof typeof ACTIONS;

/** The parsed arguments of the command. */
export interface UploadsRequest {
  action: Action;
  operands: string[];
  json: boolean;
  isLegal: boolean;
  blocks: boolean;
  filter: FileFilter;
}

/** Parses the arguments of `uploads`. Throws UsageError. */
export function parseUploadsArguments(args: string[]): UploadsRequest {
  const { values, positionals } = parseArguments(args, {
    allowPositionals: true,
    options: {
      json: { type: 'boolean', default: false },
      legal: { type: 'boolean', default: false },
      block: { type: 'boolean', default: false },
      reported: { type: 'boolean', default: false },
      address: { type: 'string' },
      type: { type: 'string' },
      larger: { type: 'string' },
    },
  });
  const { action, operands: named } = parseAction(positionals);
  const operands = action.endsWith('block') ? named.map(parseEntry) : named;
  refuseUnknownOptions(action, values);
  const { json, legal, block, reported, address, type, larger } = values;
  const filter = {
    isReported: reported,
    range: parseOption(
      address,
      parseAddressRange,
      '--address',
      'an address or a range, such as 203.0.113.0/24',
    ),
    mediaType: parseOption(type, parseMediaType, '--type', 'a media type, such as image or image/png'),
    largerThan: parseOption(larger, parseSize, '--larger', 'a size, such as 512 KB or "10 MB"'),
  };
  return { action, operands, json, isLegal: legal, blocks: block, filter };
}

function parseAction([name, ...operands]: string[]): { action: Action; operands: string[] } {
  // The names of an object's own properties are its keys.
  const known = Object.keys(ACTIONS) as Action[];
  const action = known.find((one) => one === name);
  if (!action) {
    const problem =
      name === undefined ? 'Name an action.' : `There is no action "${name}".${suggest(name, known)}`;
    throw new UsageError(`${problem} The actions are ${known.join(', ')}.`);
  }
  const { min, max, what } = ACTIONS[action];
  if (operands.length < min) throw new UsageError(`"${action}" needs ${what}.`);
  if (operands.length > max) throw new UsageError(`"${action}" cannot take "${operands[max]}" as well.`);
  return { action, operands };
}

function parseEntry(text: string): string {
  try {
    return parseBlockEntry(text);
  } catch (error) {
    throw new UsageError(`${describeError(error)}.`);
  }
}

function refuseUnknownOptions(action: Action, values: object): void {
  const known: readonly string[] = ['json', ...ACTIONS[action].options];
  const unknown = Object.entries(values).find(([name, value]) => value && !known.includes(name));
  if (unknown) throw new UsageError(`"${action}" has no option --${unknown[0]}.`);
}

function parseOption<Value>(
  text: string | undefined,
  parse: (text: string) => Value | undefined,
  name: string,
  form: string,
): Value | undefined {
  if (text === undefined) return undefined;
  const value = parse(text);
  if (value === undefined) throw new UsageError(`${name} must be ${form}; it is "${text}".`);
  return value;
}

function parseMediaType(text: string): string | undefined {
  const [, type] = /^([a-z\d][\w.+-]*(?:\/[a-z\d][\w.+-]*)?)(?:\/\*)?$/iu.exec(text) ?? [];
  return type?.toLowerCase();
}

/** The id in an argument: an id itself, or an address of the file's page, its bytes, its report or its deletion. */
export function parseFileArgument(text: string): string {
  const [, id = text] =
    /^(?:https?:\/\/[^/]+)?\/?(?:(?:[fr]|dl?)\/)?([0-9a-z]+)(?:\.[0-9a-z]+)?(?:(?<=\/d\/\w+)\/[\w-]+)?\/?(?:[?#].*)?$/u.exec(
      text,
    ) ?? [];
  return id;
}
