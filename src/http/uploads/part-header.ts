import { malformed } from './body-errors.ts';

/**
 * Prepares the header block of a part for the parser. Refuses a block whose field or file name parsers could read in
 * different ways: with several dispositions, or with a parameter twice. Removes control characters from quoted values:
 * some file names contain them, and the parser would refuse the body. NUL, CR and LF are kept and refused. The block
 * begins and ends with a line end. Throws AppError `invalid-request`.
 */
export function cleanPartHeader(block: Buffer): Buffer {
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

const QUOTED = /"(?:[^"\\\r\n]|\\[^\r\n])*"/gu;
/** The line of a disposition and the lines that it is folded into. */
const DISPOSITION = /\r\ncontent-disposition[ \t]*:(?:[^\r]|\r\n[ \t])*/giu;
const PARAMETER = /;\s*(?<name>[^\s;="]+)\s*=/gu;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to remove
const CONTROL = /[\x01-\x08\x0b\x0c\x0e-\x1f\x7f]/u;
const CONTROLS = new RegExp(CONTROL, 'gu');
