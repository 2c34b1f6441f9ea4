/** A case from the tests of another multipart reader, written down anew, and what POST /upload must make of it. */
export interface MultipartCase {
  /** What is odd about the body. */
  name: string;
  body: Buffer;
  contentType: string;
  /** The file that must be stored, or the status of the refusal. */
  expected: StoredFile | number;
  /** What the other reader does instead, and why the service does not; absent where both agree. */
  differs?: string;
}

export interface StoredFile {
  content: Buffer;
  name: string;
}

interface Oddity {
  contentType?: string;
  differs?: string;
}

export const BOUNDARY = 'Vk7dQ';
const CONTENT_TYPE = `multipart/form-data; boundary=${BOUNDARY}`;

/** Text of a body is sent as UTF-8. */
type Bytes = string | Buffer;

export const DISPOSITION = 'Content-Disposition: form-data; name="file"; filename="a.txt"';

/** A part with these header lines, its delimiter before it and the line end of the next one after it. */
export function part(headers: string[], content: Bytes = 'tayang'): Buffer {
  const head = [`--${BOUNDARY}`, ...headers, '', ''].join('\r\n');
  return concat(head, content, '\r\n');
}

/** The file of a body, with more header lines where something is odd about them. */
export function file(content: Bytes = 'tayang', ...headers: string[]): Buffer {
  return part([DISPOSITION, ...headers], content);
}

/** A file whose Content-Disposition ends like this, after the name of the field. */
export function fileNamed(parameters: string): Buffer {
  return part([`Content-Disposition: form-data; name="file"; ${parameters}`]);
}

export function field(name: string, value: Bytes = 'nilai', ...headers: string[]): Buffer {
  return part([`Content-Disposition: form-data; name="${name}"`, ...headers], value);
}

export function body(...parts: Bytes[]): Buffer {
  return concat(...parts, `--${BOUNDARY}--\r\n`);
}

export function concat(...pieces: Bytes[]): Buffer {
  return Buffer.concat(pieces.map((piece) => Buffer.from(piece)));
}

/** A case whose file must be stored: by default `a.txt` with the content of `file()`. */
export function stores(
  name: string,
  bytes: Bytes,
  { content = 'tayang', as = 'a.txt', ...oddity }: Oddity & { content?: Bytes; as?: string } = {},
): MultipartCase {
  return makeCase(name, bytes, { content: Buffer.from(content), name: as }, oddity);
}

/** A case that must be refused: by default with 400. */
export function refuses(
  name: string,
  bytes: Bytes,
  { status = 400, ...oddity }: Oddity & { status?: number } = {},
): MultipartCase {
  return makeCase(name, bytes, status, oddity);
}

function makeCase(
  name: string,
  bytes: Bytes,
  expected: MultipartCase['expected'],
  { contentType = CONTENT_TYPE, differs }: Oddity,
): MultipartCase {
  return { name, body: Buffer.from(bytes), contentType, expected, ...(differs ? { differs } : {}) };
}
