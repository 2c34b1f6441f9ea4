import { isDeepStrictEqual } from 'node:util';
import { type Answer, send, upload } from '../../../support/upload-client.ts';
import type { ConditionalCase, Validators } from './conditional-case.ts';

const DOCUMENT = '/api/anime/schedule';

interface Origins {
  listing: string;
  uploads: string;
}

type Runner = (one: ConditionalCase) => Promise<string[]>;

/** What is requested, and what its unconditional answer has. */
interface Target {
  path: string;
  validators: Validators;
}

/** Uploads a file of each size, and returns a function that runs a case; it resolves with what is wrong about the answers. */
export async function prepareConditional(origins: Origins, cases: ConditionalCase[]): Promise<Runner> {
  const { listing, uploads } = origins;
  const files = new Map<number, Target>();
  for (const size of new Set(cases.map((one) => one.size)))
    files.set(size, await openTarget(uploads, (await upload(uploads, contentOf(size))).file));
  const document = await openTarget(listing, DOCUMENT);
  return async (one) => {
    const file = files.get(one.size);
    if (!file) throw new Error(`there is no file of ${one.size} bytes`);
    return [...(await checkFile(uploads, file, one)), ...(await checkDocument(listing, document, one))];
  };
}

async function openTarget(origin: string, path: string): Promise<Target> {
  const { headers } = await send(origin, { method: 'HEAD', path });
  const changedAt = Date.parse(String(headers['last-modified']));
  return { path, validators: { etag: String(headers.etag), changedAt } };
}

async function checkFile(
  origin: string,
  { path, validators }: Target,
  { headers, file, size }: ConditionalCase,
): Promise<string[]> {
  const sending = { path, headers: headers(validators) };
  const [got, head] = [await send(origin, sending), await send(origin, { ...sending, method: 'HEAD' })];
  const content = contentOf(size);
  if (typeof file === 'number')
    return [
      ...expectStatus('GET of the file', got, file),
      ...expectStatus('HEAD of the file', head, file === 416 ? 200 : file),
      ...(file === 200 && !got.body.equals(content) ? ['the file has other bytes'] : []),
    ];
  const [first, last] = file;
  const part = { range: `bytes ${first}-${last}/${size}`, bytes: content.subarray(first, last + 1) };
  const received = { range: got.headers['content-range'], bytes: got.body };
  return [
    ...expectStatus('GET of the file', got, 206),
    ...expectStatus('HEAD of the file', head, 200),
    ...(isDeepStrictEqual(received, part) ? [] : [`the part is ${received.range}`]),
  ];
}

async function checkDocument(
  origin: string,
  { path, validators }: Target,
  { headers, document }: ConditionalCase,
): Promise<string[]> {
  const sending = { path, headers: headers(validators) };
  return [
    ...expectStatus('GET of a document', await send(origin, sending), document),
    ...expectStatus('HEAD of a document', await send(origin, { ...sending, method: 'HEAD' }), document),
  ];
}

/** A 304 must have no body, and the tag of what the client has. */
function expectStatus(what: string, { status, body, headers }: Answer, expected: number): string[] {
  if (status !== expected) return [`${what}: ${status} and not ${expected}`];
  if (status === 304 && (body.length > 0 || !headers.etag)) return [`${what}: a body, or no ETag, with 304`];
  return [];
}

function contentOf(size: number): Buffer {
  return Buffer.from(Array.from({ length: size }, (_, at) => at % 251));
}
