import { readFileSync } from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { type Answer, send, upload } from '../../support/upload-client.ts';
import type { Origins } from './odd-requests.ts';
import { runAll } from './run-all.ts';

/** A request with a Range or with conditions, from the tests of another server, and what is answered to it. */
interface ConditionalCase {
  name: string;
  /** The size of the file that it is sent for; 11 when it is left out. */
  size?: number;
  /**
   * `{tag}` stands for the tag of what is requested, without quotes, `{TAG}` for it in the other case, and `{date}` for
   * its `Last-Modified`, which may be moved by some seconds, as in `{date-1}`, or have one of its older forms. `{year+51}`
   * stands for the last two digits of the year 51 years later.
   */
  headers: Record<string, string>;
  /** What GET of the file answers: a status, or the first and the last byte of a 206. */
  file: number | readonly [number, number];
  /** The status that GET of a document of the listing answers, where that is another one. */
  document?: number;
}

const AT_ONCE = 8;
const DOCUMENT = '/api/anime/schedule';

/** By what the cases are from. The conditions have the order of RFC 9110, 13.2.2, in all pairs. */
const TABLE: Record<string, ConditionalCase[]> = JSON.parse(
  readFileSync(path.join(import.meta.dirname, 'conditional.json'), 'utf8'),
).servers;

export const CONDITIONAL_CASES: CompleteCase[] = Object.values(TABLE)
  .flat()
  .map((one) => ({ size: 11, document: typeof one.file === 'number' ? one.file : 200, ...one }));

type CompleteCase = Required<ConditionalCase>;

/** What is requested, and what its unconditional answer has. */
interface Target {
  path: string;
  tag: string;
  /** `Last-Modified`, in ms since 1970. */
  changedAt: number;
}

/** Sends every request with ranges or conditions; resolves with what is wrong about the answers. */
export async function runConditional({ listing, uploads }: Origins): Promise<string[]> {
  const cases = CONDITIONAL_CASES;
  const files = new Map<number, Target>();
  for (const size of new Set(cases.map((one) => one.size)))
    files.set(size, await openTarget(uploads, (await upload(uploads, contentOf(size))).file));
  const document = await openTarget(listing, DOCUMENT);
  const run = async (one: CompleteCase) => {
    const file = await checkFile(uploads, files.get(one.size)!, one);
    const wrong = [...file, ...(await checkDocument(listing, document, one))];
    return wrong.map((what) => `${one.name}: ${what}`);
  };
  return (await runAll(cases, AT_ONCE, run)).flat();
}

async function openTarget(origin: string, path: string): Promise<Target> {
  const { headers } = await send(origin, { method: 'HEAD', path });
  return {
    path,
    tag: String(headers.etag).slice(1, -1),
    changedAt: Date.parse(String(headers['last-modified'])),
  };
}

/** The headers of a case for what is requested. */
function headersFor({ tag, changedAt }: Target, { headers }: CompleteCase): Record<string, string> {
  const otherCase = (letter: string) => (letter < 'a' ? letter.toLowerCase() : letter.toUpperCase());
  const [weekday, day = '', month, year = '', time] = new Date(changedAt).toUTCString().split(/,? /u);
  const longDay = new Intl.DateTimeFormat('en', { weekday: 'long', timeZone: 'UTC' }).format(changedAt);
  const render = (value: string) =>
    value
      .replaceAll('{tag}', tag)
      .replaceAll('{TAG}', tag.replaceAll(/[a-z]/giu, otherCase))
      .replaceAll('{date, RFC 850}', `${longDay}, ${day}-${month}-${year.slice(2)} ${time} GMT`)
      .replaceAll('{date, asctime}', `${weekday} ${month} ${day.replace(/^0/u, ' ')} ${time} ${year}`)
      .replaceAll(/\{year\+(\d+)\}/gu, (_, years) => String(Number(year) + Number(years)).slice(-2))
      .replaceAll(/\{date([+-]\d+)?\}/gu, (_, seconds = 0) =>
        new Date(changedAt + Number(seconds) * 1_000).toUTCString(),
      );
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, render(value)]));
}

async function checkFile(origin: string, target: Target, one: CompleteCase): Promise<string[]> {
  const { file, size } = one;
  const sending = { path: target.path, headers: headersFor(target, one) };
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

async function checkDocument(origin: string, target: Target, one: CompleteCase): Promise<string[]> {
  const sending = { path: target.path, headers: headersFor(target, one) };
  return [
    ...expectStatus('GET of a document', await send(origin, sending), one.document),
    ...expectStatus('HEAD of a document', await send(origin, { ...sending, method: 'HEAD' }), one.document),
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
