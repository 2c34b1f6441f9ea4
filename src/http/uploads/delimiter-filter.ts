import { type AppError, invalidRequest } from '../../domain/errors.ts';
import { cutOff } from '../request-body.ts';

/** The longest header block of a part; the parser has the same limit. */
const MAX_HEADER_BYTES = 16 * 1024;
/** How much white space may follow a delimiter on its line. */
const MAX_PADDING_BYTES = 64;

const CRLF = '\r\n';
const BLANK_LINE = '\r\n\r\n';
const EMPTY = Buffer.alloc(0);

/** The names in the header of a part. */
export interface PartNames {
  /** As it was sent. */
  field: string;
  hasFileName: boolean;
  hasExtendedFileName: boolean;
}

/** Consumes data; returns the rest, or `null` when it needs more bytes to continue. */
type Step = (data: Buffer, output: Buffer[]) => Buffer | null;

/**
 * Filters the input of a multipart parser: refuses bodies that parsers could read in different ways (RFC 2046, 5.1.1).
 * A line that begins with the delimiter must be one, a part must have a header block and a delimiter of its own, and no
 * delimiter may follow the closing one. Preamble, epilogue and padding are dropped. docs/decisions/0016 says why.
 */
export function createDelimiterFilter(boundary: string) {
  const delimiter = Buffer.from(`${CRLF}--${boundary}`, 'latin1');
  const closing = Buffer.concat([delimiter, Buffer.from('--')]);
  // The delimiter at the very beginning of a body has no line end before it.
  let pending: Buffer = Buffer.from(CRLF);
  const parts: PartNames[] = [];
  let isContentEmpty = false;
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
    else throw malformed('a line begins with the boundary but is not a delimiter');
    output.push(step === skipEpilogue ? closing : delimiter);
    return data.subarray(end);
  }

  /** The header block begins with the line end of its delimiter. The next delimiter must have a line end of its own. */
  function readHeader(data: Buffer, output: Buffer[]): Buffer | null {
    const end = data.indexOf(BLANK_LINE);
    if (end === -1 && data.length <= MAX_HEADER_BYTES) return wait(data);
    const block = data.subarray(0, end);
    const isBroken = end <= 0 || end > MAX_HEADER_BYTES || block.includes(delimiter);
    if (isBroken) throw malformed('a part has no proper header');
    const header = cleanPartHeader(data.subarray(0, end + CRLF.length));
    parts.push(readNames(header));
    output.push(header);
    isContentEmpty = true;
    step = passContent;
    return data.subarray(end + CRLF.length);
  }

  /** The content begins with the line end of the header block. The next delimiter must have a line end of its own. */
  function passContent(data: Buffer, output: Buffer[]): Buffer | null {
    const at = data.indexOf(delimiter);
    if (at === 0 && isContentEmpty) throw malformed('a delimiter comes right after a header');
    const rest = at === -1 ? keepTail(data) : data.subarray(at + delimiter.length);
    const content = data.subarray(0, at === -1 ? data.length - pending.length : at);
    if (content.length > 0) {
      output.push(content);
      isContentEmpty = false;
    }
    if (at !== -1) step = readDelimiterLine;
    return rest;
  }

  function skipEpilogue(data: Buffer): Buffer | null {
    if (data.includes(delimiter)) throw malformed('a delimiter follows the closing one');
    return keepTail(data);
  }

  function wait(data: Buffer): null {
    pending = data;
    return null;
  }

  /** Keeps the end of the data back if it may begin a delimiter, whose only CR is its first byte. */
  function keepTail(data: Buffer): null {
    const tail = data.subarray(-(delimiter.length - 1));
    const at = tail.lastIndexOf('\r');
    const isBeginning = at !== -1 && delimiter.subarray(0, tail.length - at).equals(tail.subarray(at));
    return wait(isBeginning ? tail.subarray(at) : EMPTY);
  }

  return {
    /** The parts whose headers have come, in their order. */
    parts: parts as readonly PartNames[],
    /** Returns the bytes to pass on to the parser. Throws AppError `invalid-request`. */
    push(chunk: Buffer): Buffer[] {
      const output: Buffer[] = [];
      let data: Buffer | null = pending.length > 0 ? Buffer.concat([pending, chunk]) : chunk;
      pending = EMPTY;
      while (data && data.length > 0) data = step(data, output);
      return output;
    },
    /** Returns the last bytes for the parser. Throws AppError `invalid-request` when the body is not complete. */
    end(): Buffer {
      if (step === skipEpilogue) return EMPTY;
      if (step === readDelimiterLine && isClosing(pending.toString('latin1'))) return closing;
      throw cutOff();
    },
  };
}

function malformed(reason: string): AppError {
  return invalidRequest(`the multipart body is malformed: ${reason}`);
}

function isClosing(line: string): boolean {
  return /^--[ \t]*$/u.test(line);
}

/**
 * Prepares the header block of a part for the parser. Refuses a block whose field or file name parsers could read in
 * different ways: with several dispositions, or with a parameter twice. Removes control characters from quoted values:
 * some file names contain them, and the parser would refuse the body. NUL, CR and LF are kept and refused. The block
 * begins and ends with a line end. Throws AppError `invalid-request`.
 */
function cleanPartHeader(block: Buffer): Buffer {
  const text = block.toString('latin1');
  const [disposition = '', ...others] = text.replace(QUOTED, '""').match(DISPOSITION) ?? [];
  const names = Array.from(disposition.matchAll(PARAMETER), ([, name]) => name?.toLowerCase());
  if (others.length > 0) throw malformed('a part has two Content-Dispositions');
  if (new Set(names).size < names.length) throw malformed('a Content-Disposition has a parameter twice');
  if (!CONTROL.test(text)) return block;
  return Buffer.from(
    text.replace(QUOTED, (quoted) => quoted.replace(CONTROLS, '')),
    'latin1',
  );
}

function readNames(header: Buffer): PartNames {
  const [disposition = ''] = header.toString('utf8').match(DISPOSITION) ?? [];
  const names = Array.from(disposition.replace(QUOTED, '""').matchAll(PARAMETER), ([, name = '']) =>
    name.toLowerCase(),
  );
  return {
    field: /;\s*name\s*=\s*"?(?<field>[^";\r\n]*)/iu.exec(disposition)?.groups?.field ?? '',
    hasFileName: names.includes('filename') || names.includes('filename*'),
    hasExtendedFileName: names.includes('filename*'),
  };
}

const QUOTED = /"(?:[^"\\\r\n]|\\[^\r\n])*"/gu;
/** The line of a disposition and the lines that it is folded into. */
const DISPOSITION = /\r\ncontent-disposition[ \t]*:(?:[^\r]|\r\n[ \t])*/giu;
const PARAMETER = /;\s*(?<name>[^\s;="]+)\s*=/gu;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to remove
const CONTROL = /[\x01-\x08\x0b\x0c\x0e-\x1f\x7f]/u;
const CONTROLS = new RegExp(CONTROL, 'gu');
