import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { AppError } from '../../../src/domain/errors.ts';
import { receiveMultipart, splitBody } from '../../support/receive-multipart.ts';
import { readStrictly, type StrictPart } from '../../support/strict-multipart.ts';
import { readTokens, type Target, type Verdict } from './fuzz.ts';
import { choose, type Draw } from './mutate-bytes.ts';

/*
 * An input is a body after two bytes: the first chooses the boundary, the second the chunks in which the body arrives.
 */

const CORPUS = path.resolve(import.meta.dirname, '../../../fixtures/fuzz/multipart');
const BOUNDARIES = ['B', 'b-', '--', "x'y", 'a b', '----WebKitFormBoundary7MA4YWxk'];
const FILE = 'Content-Disposition: form-data; name="file"; filename="a.bin"';
const FIELD = 'Content-Disposition: form-data; name="comment"';
const TYPE = 'Content-Type: application/octet-stream';
const TOKENS = readTokens('multipart');

/** Reads a body as the service does, and compares it with a reader that shares no code with it. */
async function judge(input: Buffer): Promise<Verdict> {
  const [choice = 0, chunks = 0] = input;
  const boundary = BOUNDARIES[choice % BOUNDARIES.length] ?? '';
  const body = input.subarray(2);
  const parts = readStrictly(body, boundary);
  try {
    const taken = await receiveMultipart(splitBody(body, cutsOf(chunks, body.length)), boundary);
    return { behaviour: `accepted ${describeParts(parts ?? [])}`, fault: findFault(parts, taken) };
  } catch (error) {
    const isRefusal = error instanceof AppError && error.code === 'invalid-request';
    return {
      behaviour: `refused ${parts ? 'clear' : 'unclear'} ${describeRefusal(error)}`,
      fault: isRefusal ? undefined : `the body is not refused properly: ${error}`,
    };
  }
}

/** The message without what it quotes. */
function describeRefusal(error: unknown): string {
  return error instanceof Error ? error.message.replace(/".*"/su, '') : '';
}

/** One part of an accepted body has the name of a file, and the bytes are those of this part. */
function findFault(parts: StrictPart[] | undefined, taken: Buffer): string | undefined {
  if (!parts) return 'a body is accepted that has no clear parts';
  const files = parts.filter(({ headers }) => headers.some((line) => /filename/iu.test(line)));
  const found = files.some(({ content }) => content.equals(taken));
  return found ? undefined : 'the bytes are not those of a file of the body';
}

function describeParts(parts: StrictPart[]): string {
  return parts
    .map(({ headers, content }) => `${headers.length}:${Math.min(content.length, 2)}`)
    .slice(0, 12)
    .join();
}

/** Whole, byte by byte, or in a few chunks. */
function cutsOf(chunks: number, length: number): number[] {
  if (chunks === 1) return Array.from({ length: Math.min(length, 2_000) }, (_, at) => at);
  return Array.from({ length: chunks % 5 }, (_, cut) => (chunks * 31 + cut * 97) % (length + 1));
}

/** A valid body with any content is accepted, and its bytes are right. */
async function judgeOwn(draw: Draw): Promise<Verdict> {
  const boundary = choose(BOUNDARIES, draw);
  const pieces = Array.from({ length: Math.floor(draw() * 12) }, () => choose(TOKENS, draw).toString());
  const content = Buffer.from(`\r\n${pieces.join('')}`.replaceAll(`\r\n--${boundary}`, '\r\n-x').slice(2));
  const before = draw() < 0.5 ? `--${boundary}\r\n${FIELD}\r\n\r\nhello\r\n` : '';
  const head = Buffer.from(`${before}--${boundary}\r\n${FILE}\r\n${TYPE}\r\n\r\n`);
  const body = Buffer.concat([head, content, Buffer.from(`\r\n--${boundary}--\r\n`)]);
  const cuts = cutsOf(Math.floor(draw() * 256), body.length);
  const taken = await receiveMultipart(splitBody(body, cuts), boundary).catch((error: unknown) => `${error}`);
  const isRight = typeof taken !== 'string' && taken.equals(content);
  return { behaviour: 'valid', fault: isRight ? undefined : `a valid body is not read: ${taken} ${body}` };
}

export const multipart: Target = {
  seeds: readdirSync(CORPUS).map((name) => readFileSync(path.join(CORPUS, name))),
  tokens: TOKENS,
  judge,
  judgeOwn,
};
