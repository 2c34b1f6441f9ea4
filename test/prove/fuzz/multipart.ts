import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { AppError } from '../../../src/domain/errors.ts';
import { receiveMultipart, splitBody } from '../../support/receive-multipart.ts';
import { readStrictly, type StrictPart } from '../../support/strict-multipart.ts';
import type { Target, Verdict } from './fuzz.ts';
import { apply, type Mutated, mutationsOf, originalsOf } from './mutations.ts';
import TOKENS from './tokens.json' with { type: 'json' };

/*
 * An input is a body after two bytes: the first chooses the boundary, the second the chunks in which the body arrives.
 */

const FOLDER = path.resolve(import.meta.dirname, '../../../fixtures/fuzz/multipart');
const CORPUS = {
  seeds: readdirSync(FOLDER).map((name) => readFileSync(path.join(FOLDER, name))),
  tokens: TOKENS.multipart,
};
const BOUNDARIES = ['B', 'b-', '--', "x'y", 'a b', '----WebKitFormBoundary7MA4YWxk'];
const FILE = 'Content-Disposition: form-data; name="file"; filename="a.bin"';
const FIELD = 'Content-Disposition: form-data; name="comment"';
const TYPE = 'Content-Type: application/octet-stream';

/** A body that has to be accepted. */
interface Valid {
  boundary: string;
  /** What the file consists of. */
  pieces: string[];
  hasField: boolean;
  chunks: number;
}

const valid: fc.Arbitrary<Valid> = fc.record({
  boundary: fc.constantFrom(...BOUNDARIES),
  pieces: fc.array(fc.constantFrom(...CORPUS.tokens), { maxLength: 12 }),
  hasField: fc.boolean(),
  chunks: fc.nat(255),
});

/** Reads a body as the service does, and compares it with a reader that shares no code with it. */
async function judgeBody(input: Buffer): Promise<Verdict> {
  const [choice = 0, chunks = 0] = input;
  const boundary = BOUNDARIES[choice % BOUNDARIES.length] ?? '';
  const body = input.subarray(2);
  const parts = readStrictly(body, boundary);
  try {
    const taken = await receiveMultipart(splitBody(body, cutsOf(chunks, body.length)), boundary);
    return { outcome: 'accepted', fault: findFault(parts, taken) };
  } catch (error) {
    const isRefusal = error instanceof AppError && error.code === 'invalid-request';
    return {
      outcome: 'refused',
      fault: isRefusal ? undefined : `the body is not refused properly: ${error}`,
    };
  }
}

/** One part of an accepted body has the name of a file, and the bytes are those of this part. */
function findFault(parts: StrictPart[] | undefined, taken: Buffer): string | undefined {
  if (!parts) return 'a body is accepted that has no clear parts';
  const files = parts.filter(({ headers }) => headers.some((line) => /filename/iu.test(line)));
  const found = files.some(({ content }) => content.equals(taken));
  return found ? undefined : 'the bytes are not those of a file of the body';
}

/** Whole, byte by byte, or in a few chunks. */
function cutsOf(chunks: number, length: number): number[] {
  if (chunks === 1) return Array.from({ length: Math.min(length, 2_000) }, (_, at) => at);
  return Array.from({ length: chunks % 5 }, (_, cut) => (chunks * 31 + cut * 97) % (length + 1));
}

async function judgeValid({ boundary, pieces, hasField, chunks }: Valid): Promise<Verdict> {
  const content = Buffer.from(`\r\n${pieces.join('')}`.replaceAll(`\r\n--${boundary}`, '\r\n-x').slice(2));
  const before = hasField ? `--${boundary}\r\n${FIELD}\r\n\r\nhello\r\n` : '';
  const head = Buffer.from(`${before}--${boundary}\r\n${FILE}\r\n${TYPE}\r\n\r\n`);
  const body = Buffer.concat([head, content, Buffer.from(`\r\n--${boundary}--\r\n`)]);
  const taken = await receiveMultipart(splitBody(body, cutsOf(chunks, body.length)), boundary);
  return { outcome: 'accepted', fault: taken.equals(content) ? undefined : 'the file has other bytes' };
}

export const multipart: Target<Mutated | Valid> = {
  cases: fc.oneof({ weight: 19, arbitrary: mutationsOf(CORPUS) }, { weight: 1, arbitrary: valid }),
  examples: originalsOf(CORPUS),
  judge: (input) => ('seed' in input ? judgeBody(apply(input, CORPUS)) : judgeValid(input)),
};
