import { describeError } from '../domain/errors.ts';
import { parseSize } from '../domain/units.ts';
import { idInAddress } from '../domain/upload-address.ts';
import { parseAddressRange } from '../network/ip-address.ts';
import { parseBlockEntry } from '../uploads/moderation/block-list.ts';
import { parseArguments, suggest, UsageError } from './arguments.ts';
import {
  UPLOADS_ACTIONS,
  UPLOADS_OPTIONS,
  type UploadsAction,
  type UploadsActionName,
} from './uploads-actions.ts';
import type { FileFilter } from './uploads-list.ts';

/** The forms of the options with a value. */
const RANGE = 'an address or a range, such as 203.0.113.0/24';
const TYPE = 'a media type, such as image or image/png';
const SIZE = 'a size, such as 512 KB or "10 MB"';

/** The parsed arguments of the command. */
export interface UploadsRequest {
  action: UploadsActionName;
  /** The file that is named; empty for none. */
  id: string;
  /** What is to be blocked or unblocked, each once. */
  entries: string[];
  json: boolean;
  isLegal: boolean;
  blocks: boolean;
  filter: FileFilter;
}

/** Parses the arguments of `uploads`. Throws UsageError. */
export function parseUploadsArguments(args: string[]): UploadsRequest {
  const { values, positionals } = parseArguments(args, {
    allowPositionals: true,
    options: UPLOADS_OPTIONS,
  });
  const [name, ...operands] = positionals;
  const action = parseAction(name);
  const { min, max, what, options }: UploadsAction = UPLOADS_ACTIONS[action];
  if (operands.length < min) throw new UsageError(`"${action}" needs ${what}.`);
  if (operands.length > max) throw new UsageError(`"${action}" cannot take "${operands[max]}" as well.`);
  const known: readonly string[] = ['json', ...options];
  const unknown = Object.entries(values).find(([name, value]) => value && !known.includes(name));
  if (unknown) throw new UsageError(`"${action}" has no option --${unknown[0]}.`);
  const entries = action.endsWith('block') ? new Set(operands.map(parseEntry)) : [];
  const { json, legal, block, reported, address, type, larger } = values;
  return {
    action,
    id: idInAddress(operands[0] ?? ''),
    entries: [...entries],
    json,
    isLegal: legal,
    blocks: block,
    filter: {
      isReported: reported,
      range: parseOption('--address', RANGE, address, parseAddressRange),
      mediaType: parseOption('--type', TYPE, type, parseMediaType),
      largerThan: parseOption('--larger', SIZE, larger, parseSize),
    },
  };
}

function parseAction(name: string | undefined): UploadsActionName {
  // The names of an object's own properties are its keys.
  const known = Object.keys(UPLOADS_ACTIONS) as UploadsActionName[];
  const action = known.find((one) => one === name);
  if (action) return action;
  const problem =
    name === undefined ? 'Name an action.' : `There is no action "${name}".${suggest(name, known)}`;
  throw new UsageError(`${problem} The actions are ${known.join(', ')}.`);
}

function parseEntry(text: string): string {
  try {
    return parseBlockEntry(text);
  } catch (error) {
    throw new UsageError(`${describeError(error)}.`);
  }
}

function parseOption<Value>(
  name: string,
  form: string,
  text: string | undefined,
  parse: (text: string) => Value | undefined,
): Value | undefined {
  const value = text === undefined ? undefined : parse(text);
  if (text !== undefined && value === undefined)
    throw new UsageError(`${name} must be ${form}; it is "${text}".`);
  return value;
}

function parseMediaType(text: string): string | undefined {
  const [, type] = /^([a-z\d][\w.+-]*(?:\/[a-z\d][\w.+-]*)?)(?:\/\*)?$/iu.exec(text) ?? [];
  return type?.toLowerCase();
}
