import { AppError } from '../../domain/errors.ts';
import { cutOff } from './explain-multipart.ts';

/** The header block of one part may be this long, as it may in the parser. */
const MAX_HEADER_BYTES = 16 * 1024;
/** White space that may follow a delimiter on its line. */
const MAX_PADDING_BYTES = 64;

const CRLF = '\r\n';
const BLANK_LINE = '\r\n\r\n';
const NOTHING = Buffer.alloc(0);

export interface DelimiterFilter {
  /** Returns what the parser may read of the body so far. Throws AppError `invalid-request`. */
  push(chunk: Buffer): Buffer[];
  /** Returns the last bytes for the parser. Throws AppError `invalid-request` when the body is not complete. */
  end(): Buffer;
}

/** Takes what it can of the data; returns what is left, or `null` to wait for more bytes behind all of it. */
type Step = (data: Buffer, output: Buffer[]) => Buffer | null;

/**
 * Stands before a multipart parser and lets through only bodies that cannot be read in two ways (RFC 2046, 5.1.1). A
 * line that begins with the delimiter must be one, a part must have a header block and a delimiter of its own, and no
 * delimiter may follow the closing one. Preamble, epilogue and padding do not reach the parser. docs/decisions/0016.
 */
export function createDelimiterFilter(boundary: string): DelimiterFilter {
  const delimiter = Buffer.from(`${CRLF}--${boundary}`, 'latin1');
  const closing = Buffer.concat([delimiter, Buffer.from('--')]);
  // A body may begin with its delimiter, without a line before it.
  let waiting: Buffer = Buffer.from(CRLF);
  let isAtStart = false;
  let step: Step = skipPreamble;

  function skipPreamble(data: Buffer): Buffer | null {
    const at = data.indexOf(delimiter);
    if (at === -1) return keepTail(data);
    step = readDelimiterLine;
    return data.subarray(at + delimiter.length);
  }

  function readDelimiterLine(data: Buffer, output: Buffer[]): Buffer | null {
    const end = data.indexOf(CRLF);
    if (end === -1 && data.length <= MAX_PADDING_BYTES) return wait(data);
    const line = data.toString('latin1', 0, end === -1 ? data.length : end);
    if (isClosing(line)) step = skipEpilogue;
    else if (/^[ \t]*$/u.test(line)) step = readHeader;
    else throw malformed('a line begins with the boundary and is no delimiter');
    output.push(step === skipEpilogue ? closing : delimiter);
    return data.subarray(end);
  }

  /** The block begins with the line end of the delimiter, which no other delimiter may share. */
  function readHeader(data: Buffer, output: Buffer[]): Buffer | null {
    const end = data.indexOf(BLANK_LINE);
    if (end === -1 && data.length <= MAX_HEADER_BYTES) return wait(data);
    const block = data.subarray(0, end);
    const isBroken = end <= 0 || end > MAX_HEADER_BYTES || block.includes(delimiter);
    if (isBroken) throw malformed('a part has no proper header');
    output.push(cleanHeader(data.subarray(0, end + CRLF.length)));
    isAtStart = true;
    step = passContent;
    return data.subarray(end + CRLF.length);
  }

  /** The content begins with the line end that closes the header block, which no delimiter may share. */
  function passContent(data: Buffer, output: Buffer[]): Buffer | null {
    const at = data.indexOf(delimiter);
    if (at === 0 && isAtStart) throw malformed('a delimiter comes right after a header');
    const rest = at === -1 ? keepTail(data) : data.subarray(at + delimiter.length);
    const content = data.subarray(0, at === -1 ? data.length - waiting.length : at);
    if (content.length > 0) {
      output.push(content);
      isAtStart = false;
    }
    if (at !== -1) step = readDelimiterLine;
    return rest;
  }

  function skipEpilogue(data: Buffer): Buffer | null {
    if (data.includes(delimiter)) throw malformed('it goes on after its closing delimiter');
    return keepTail(data);
  }

  function wait(data: Buffer): null {
    waiting = data;
    return null;
  }

  /** Waits with the end of the data if that may be the beginning of a delimiter, which has no CR but its first byte. */
  function keepTail(data: Buffer): null {
    const tail = data.subarray(-(delimiter.length - 1));
    const at = tail.lastIndexOf(CRLF[0] as string);
    const isBeginning = at !== -1 && delimiter.subarray(0, tail.length - at).equals(tail.subarray(at));
    return wait(isBeginning ? tail.subarray(at) : NOTHING);
  }

  return {
    push(chunk) {
      const output: Buffer[] = [];
      let data: Buffer | null = waiting.length > 0 ? Buffer.concat([waiting, chunk]) : chunk;
      waiting = NOTHING;
      while (data && data.length > 0) data = step(data, output);
      return output;
    },
    end() {
      if (step === skipEpilogue) return NOTHING;
      if (step === readDelimiterLine && isClosing(waiting.toString('latin1'))) return closing;
      throw cutOff();
    },
  };
}

function isClosing(line: string): boolean {
  return /^--[ \t]*$/u.test(line);
}

/**
 * Takes control characters out of quoted values, for names come with them and the parser refuses the whole body then.
 * NUL, CR and LF stay, and are refused.
 */
function cleanHeader(block: Buffer): Buffer {
  const text = block.toString('latin1');
  if (!CONTROL.test(text)) return block;
  const cleaned = text.replace(QUOTED, (quoted) => quoted.replace(CONTROLS, ''));
  return Buffer.from(cleaned, 'latin1');
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const CONTROL = /[\x01-\x08\x0b\x0c\x0e-\x1f\x7f]/u;
const CONTROLS = new RegExp(CONTROL, 'gu');
const QUOTED = /"(?:[^"\\\r\n]|\\[^\r\n])*"/gu;

function malformed(reason: string): AppError {
  return new AppError('invalid-request', `the multipart body is malformed: ${reason}`);
}
