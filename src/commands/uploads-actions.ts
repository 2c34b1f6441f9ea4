/** The options of `uploads`, as they are parsed. `value`: what one takes, in the usage. */
export const UPLOADS_OPTIONS = {
  json: { type: 'boolean', default: false },
  reported: { type: 'boolean', default: false },
  address: { type: 'string', value: 'CIDR' },
  type: { type: 'string', value: 'TYPE' },
  larger: { type: 'string', value: 'SIZE' },
  legal: { type: 'boolean', default: false },
  block: { type: 'boolean', default: false },
} as const;

export interface UploadsAction {
  /** How many operands it takes. */
  min: number;
  max: number;
  /** An operand in the usage, and in a message. */
  operand?: string;
  what?: string;
  /** Beside --json. */
  options: readonly (keyof typeof UPLOADS_OPTIONS)[];
}

const FILE = { operand: 'ID', what: 'the id of a file' };
const ENTRIES = { operand: 'sha256:HEX|address:CIDR', what: 'sha256:HEX or address:CIDR' };
const MAX_ENTRIES = 1_000;

export const UPLOADS_ACTIONS = {
  list: { min: 0, max: 0, options: ['reported', 'address', 'type', 'larger'] },
  show: { min: 1, max: 1, ...FILE, options: [] },
  remove: { min: 1, max: 1, ...FILE, options: ['legal', 'block'] },
  block: { min: 1, max: MAX_ENTRIES, ...ENTRIES, options: [] },
  unblock: { min: 1, max: MAX_ENTRIES, ...ENTRIES, options: [] },
  blocked: { min: 0, max: 0, options: [] },
  reports: { min: 0, max: 1, ...FILE, options: [] },
} satisfies Record<string, UploadsAction>;

export type UploadsActionName = keyof typeof UPLOADS_ACTIONS;

/** An action as it is written after `uploads`: `remove ID [--legal] [--block]`. */
export function describeUploadsAction(name: UploadsActionName): string {
  const { min, max, operand, options }: UploadsAction = UPLOADS_ACTIONS[name];
  const parts: string[] = [name];
  if (operand) {
    const operands = max > 1 ? `${operand} …` : operand;
    parts.push(min === 0 ? `[${operands}]` : operands);
  }
  return [...parts, ...options.map(describeOption)].join(' ');
}

function describeOption(name: keyof typeof UPLOADS_OPTIONS): string {
  const option: { type: string; value?: string } = UPLOADS_OPTIONS[name];
  return option.value ? `[--${name} ${option.value}]` : `[--${name}]`;
}
