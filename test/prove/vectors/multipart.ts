import { readFileSync } from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { type Answer, send } from '../../support/upload-client.ts';
import { runAll } from './run-all.ts';
import { renderText, repeat, type Text } from './text.ts';

/** Cases from the tests of other multipart readers, written down anew, and what POST /upload must make of them. */
interface Table {
  boundary: string;
  /** By the reader whose tests the cases are from. */
  readers: Record<string, Row[]>;
}

interface Row {
  /** What is odd about the body. */
  name: string;
  /** `{ "file" }` is a part with the file `a.txt`, `{ "field" }` one with a value, and `{ "part" }` one with these headers. */
  body: Piece[];
  boundary?: string;
  contentType?: string;
  /** The status of a refusal; a body without one is stored, as `a.txt`, with the content of `{ "file" }` or `tayang`. */
  refused?: number;
  as?: Text;
  content?: Piece;
}

/** Text is sent as UTF-8. */
type Piece =
  | string
  | Piece[]
  | { repeat: Piece; times: number }
  | { hex: string }
  | { file: Piece; headers?: Piece[] }
  | { field: string; value?: Piece; headers?: Piece[] }
  | { part: Piece[]; content?: Piece };

interface MultipartCase {
  name: string;
  body: Buffer;
  contentType: string;
  expected: { content: Buffer; name: string } | number;
}

/** In how many pieces a body is sent at most: byte by byte where it is short enough. */
const MAX_CHUNKS = 600;
const AT_ONCE = 8;
const CONTENT = 'tayang';

const TABLE: Table = JSON.parse(readFileSync(path.join(import.meta.dirname, 'multipart.json'), 'utf8'));

/** The cases by the reader whose tests they are from. */
export const MULTIPART_CASES: Record<string, MultipartCase[]> = Object.fromEntries(
  Object.entries(TABLE.readers).map(([reader, rows]) => [reader, rows.map(toCase)]),
);

function toCase({ name, body, boundary = TABLE.boundary, refused, ...row }: Row): MultipartCase {
  const bytes = (piece: Piece) => Buffer.from(render(piece, boundary), 'latin1');
  const sent = body.find((piece) => typeof piece === 'object' && 'file' in piece)?.file;
  const {
    contentType = `multipart/form-data; boundary=${boundary}`,
    as = 'a.txt',
    content = sent ?? CONTENT,
  } = row;
  const expected = refused ?? { content: bytes(content), name: renderText(as) };
  return { name, body: bytes(body), contentType, expected };
}

/** Renders the bytes of a piece, as Latin-1. */
function render(piece: Piece, boundary: string): string {
  const all = (pieces: Piece[]) => pieces.map((one) => render(one, boundary));
  const part = (headers: Piece[], content: Piece = CONTENT) =>
    [`--${boundary}`, ...all(headers), '', render(content, boundary), ''].join('\r\n');
  const disposition = (parameters: string) => `Content-Disposition: form-data; name=${parameters}`;
  if (typeof piece === 'string') return Buffer.from(piece).toString('latin1');
  if (Array.isArray(piece)) return all(piece).join('');
  if ('hex' in piece) return Buffer.from(piece.hex, 'hex').toString('latin1');
  if ('file' in piece)
    return part([disposition('"file"; filename="a.txt"'), ...(piece.headers ?? [])], piece.file);
  if ('field' in piece)
    return part([disposition(`"${piece.field}"`), ...(piece.headers ?? [])], piece.value ?? 'nilai');
  if ('part' in piece) return part(piece.part, piece.content);
  return repeat(render(piece.repeat, boundary), piece.times);
}

/** Sends every body, whole or in chunks; resolves with what is wrong about the answers. */
export async function runMultipart(
  origin: string,
  cases: readonly MultipartCase[],
  isChunked: boolean,
): Promise<string[]> {
  const run = async (one: MultipartCase) => {
    const wrong = await runMultipartCase(origin, one, isChunked);
    return wrong ? [`${one.name}: ${wrong}`] : [];
  };
  return (await runAll(cases, AT_ONCE, run)).flat();
}

/**
 * Sends a body to POST /upload and reads back what is stored. Resolves with what differs from
 * the expectation, or with undefined.
 */
async function runMultipartCase(
  origin: string,
  { body, contentType, expected }: MultipartCase,
  isChunked: boolean,
): Promise<string | undefined> {
  const headers = { 'Content-Type': contentType };
  const chunkBytes = isChunked ? Math.ceil((body.length + 1) / MAX_CHUNKS) : undefined;
  const answer = await send(origin, { method: 'POST', path: '/upload', headers, body, chunkBytes });
  if (typeof expected === 'number') return answer.status === expected ? undefined : present(answer);
  if (answer.status !== 200) return present(answer);
  const { originalname, url_file } = answer.json().result;
  const stored = await send(origin, { path: new URL(url_file).pathname });
  if (isDeepStrictEqual({ content: stored.body, name: originalname }, expected)) return undefined;
  return `stored as ${JSON.stringify(originalname)} with ${stored.body.length} bytes: ${JSON.stringify(stored.text.slice(0, 60))}`;
}

function present({ status, text }: Answer): string {
  return `answered ${status}: ${text.slice(0, 200)}`;
}
