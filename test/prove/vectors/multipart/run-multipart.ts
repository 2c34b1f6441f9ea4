import { isDeepStrictEqual } from 'node:util';
import { type Answer, send } from '../../../support/upload-client.ts';
import type { MultipartCase } from './multipart-case.ts';

/** In how many pieces a body is sent at most: byte by byte where it is short enough. */
const MAX_CHUNKS = 4_000;

/**
 * Sends a body to POST /upload, in one piece or in many, and reads back what is stored. Resolves with what differs from
 * the expectation, or with undefined.
 */
export async function runMultipartCase(
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
