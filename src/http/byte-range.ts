import type { ByteRange } from '../uploads/storage.ts';

/**
 * Parses a Range header into one range of bytes of a file; `unsatisfiable` when it begins behind the end. Undefined for
 * several ranges and for anything malformed: RFC 9110 lets a server ignore those and send the whole file.
 */
export function parseRangeHeader(range: string, size: number): ByteRange | 'unsatisfiable' | undefined {
  const [, first = '', last = ''] = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/iu.exec(range) ?? [];
  if (first === '' && last === '') return undefined;
  if (first === '') return parseSuffix(Number(last), size);
  if (last !== '' && Number(last) < Number(first)) return undefined;
  if (Number(first) >= size) return 'unsatisfiable';
  return { start: Number(first), end: last === '' ? size - 1 : Math.min(Number(last), size - 1) };
}

/** `bytes=-N`: the last N bytes. */
function parseSuffix(length: number, size: number): ByteRange | 'unsatisfiable' {
  if (length === 0 || size === 0) return 'unsatisfiable';
  return { start: Math.max(0, size - length), end: size - 1 };
}
