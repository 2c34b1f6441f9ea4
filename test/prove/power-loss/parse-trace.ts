/** A system call of a trace that has returned. */
export interface TracedCall {
  name: string;
  /** The arguments as strace writes them. */
  args: string;
  /** The value that was returned; negative for an error. */
  result: number;
  /** How many calls had returned when this one began. */
  begunAfter: number;
}

const LINE = /^\d+ +(?:<\.\.\. )?(\w+)/u;
const UNFINISHED = ' <unfinished ...>';

/**
 * Reads what `strace -f -xx -o` has written: the calls in the order in which they returned. A call during which another
 * thread was traced takes two lines.
 */
export function parseTrace(text: string): TracedCall[] {
  const calls: TracedCall[] = [];
  const unfinished = new Map<string, { start: string; begunAfter: number }>();
  for (const line of text.split('\n')) {
    const name = LINE.exec(line)?.[1];
    if (!name || line.includes('+++ ') || line.includes('--- ')) continue;
    const thread = line.slice(0, line.indexOf(' '));
    if (line.endsWith(UNFINISHED)) {
      const start = line.slice(0, -UNFINISHED.length);
      unfinished.set(thread, { start, begunAfter: calls.length });
      continue;
    }
    const isResumed = line.includes(' resumed>');
    const begun = isResumed ? unfinished.get(thread) : undefined;
    const whole = begun ? begun.start + line.slice(line.indexOf(' resumed>') + ' resumed>'.length) : line;
    calls.push({ name, ...splitCall(whole), begunAfter: begun?.begunAfter ?? calls.length });
  }
  return calls;
}

function splitCall(line: string): { args: string; result: number } {
  const end = line.lastIndexOf(') = ');
  return {
    args: line.slice(line.indexOf('(') + 1, end === -1 ? undefined : end),
    // A process that ends does not return from its last call.
    result: end === -1 ? -1 : Number.parseInt(line.slice(end + ') = '.length), 10),
  };
}

/** The texts in quotation marks, decoded from `\x68\x65`. */
export function quotedBytes(args: string): Buffer[] {
  return [...args.matchAll(/"([^"]*)"/gu)].map(([, hex = '']) => decode(hex));
}

/** The path of the descriptor that is the first argument, and its number: `22<\x2f\x74>`. */
export function descriptorOf(args: string): { fd: number; path: string } {
  const [, fd, path = ''] = /^(\d+)<([^>]*)>/u.exec(args) ?? [];
  return { fd: Number(fd), path: decode(path).toString() };
}

/** The last argument. */
export function lastNumber(args: string): number {
  return Number(args.slice(args.lastIndexOf(', ') + 2));
}

function decode(hex: string): Buffer {
  return Buffer.from(hex.replaceAll('\\x', ''), 'hex');
}
