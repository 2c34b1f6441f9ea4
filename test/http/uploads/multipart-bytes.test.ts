import { once } from 'node:events';
import type { Readable } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { readMultipart } from '../../../src/http/uploads/multipart.ts';
import { MORE } from '../../support/more-runs.ts';
import {
  multipartContext,
  multipartRequest,
  receiveMultipart,
  splitBody,
} from '../../support/receive-multipart.ts';
import { readStrictly } from '../../support/strict-multipart.ts';

/** Returns the file that the service reads from a body in these chunks; undefined when it refuses the body. */
function receive(pieces: Buffer[], boundary: string): Promise<Buffer | undefined> {
  return receiveMultipart(pieces, boundary).catch((error: unknown) => {
    expect(error).toMatchObject({ code: 'invalid-request' });
    return undefined;
  });
}

const HEADER = 'Content-Disposition: form-data; name="file"; filename="a.bin"';
const FIELD = 'Content-Disposition: form-data; name="comment"';
const BOUNDARIES = ['B', 'b-', '-', '--', 'B--', 'aa', "x'y", 'a b', '----WebKitFormBoundary7MA4YWxk'];

/** Pieces of bodies that a parser could misinterpret. */
const snippets = (boundary: string) =>
  fc
    .array(
      fc.oneof(
        { weight: 3, arbitrary: fc.uint8Array({ maxLength: 8 }).map((bytes) => Buffer.from(bytes)) },
        fc
          .constantFrom(
            ...[
              '\r\n',
              '\r',
              '\n',
              '\r\n\r\n',
              '-',
              '--',
              ' ',
              'a',
              boundary,
              `--${boundary}`,
              `${HEADER}\r\n\r\n`,
            ],
            ...[
              `\r\n--${boundary}`,
              `\r\n--${boundary}--`,
              `\r\n--${boundary}\r\n`,
              `\r\n--${boundary.slice(0, -1)}`,
            ],
          )
          .map((text) => Buffer.from(text)),
      ),
      { maxLength: 6 },
    )
    .map((pieces) => Buffer.concat(pieces));

const bodies = fc.constantFrom(...BOUNDARIES).chain((boundary) => {
  const padding = fc.constantFrom('', '', '', ' ', '\t \t');
  const line = (end: string) => padding.map((spaces) => `--${boundary}${end}${spaces}\r\n`);
  const part = fc
    .tuple(
      line(''),
      fc.constantFrom(HEADER, HEADER, FIELD),
      snippets(boundary),
      fc.constantFrom('\r\n', '\r\n', ''),
    )
    .map(([delimiter, header, content, end]) =>
      Buffer.concat([Buffer.from(`${delimiter}${header}\r\n\r\n`), content, Buffer.from(end)]),
    );
  const outside = fc.oneof({ weight: 3, arbitrary: fc.constant(Buffer.alloc(0)) }, snippets(boundary));
  return fc.record({
    boundary: fc.constant(boundary),
    body: fc
      .tuple(outside, fc.array(part, { minLength: 1, maxLength: 3 }), line('--'), outside)
      .map(([before, parts, closing, after]) =>
        Buffer.concat([before, ...parts, Buffer.from(closing), after]),
      ),
    cuts: fc.oneof(
      fc.array(fc.nat(500), { maxLength: 6 }),
      fc.constant(Array.from({ length: 500 }, (_, i) => i)),
    ),
  });
});

describe('a multipart body', () => {
  test('is read exactly as a strict reader reads it, or refused', async () => {
    let accepted = 0;
    await fc.assert(
      fc.asyncProperty(bodies, async ({ body, boundary, cuts }) => {
        const taken = await receive(splitBody(body, cuts), boundary);
        if (!taken) return;
        accepted += 1;
        const files = readStrictly(body, boundary)?.filter(({ headers }) => headers[0] === HEADER);
        expect(files).toEqual([{ headers: [HEADER], content: taken }]);
      }),
      { numRuns: 1_000 * MORE },
    );
    expect(accepted).toBeGreaterThan(50 * MORE);
  });

  test('that is valid is accepted with any content without a line that begins with the boundary', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc
          .constantFrom(...BOUNDARIES.slice(4))
          .chain((boundary) => fc.tuple(fc.constant(boundary), snippets(`${boundary}0`))),
        fc.array(fc.nat(500), { maxLength: 6 }),
        async ([boundary, raw], cuts) => {
          const text = `\r\n${raw.toString('latin1')}`.replaceAll(`\r\n--${boundary}`, '\r\n-x').slice(2);
          const content = Buffer.from(text, 'latin1');
          const head = Buffer.from(`--${boundary}\r\n${HEADER}\r\n\r\n`);
          const body = Buffer.concat([head, content, Buffer.from(`\r\n--${boundary}--\r\n`)]);
          expect(await receive(splitBody(body, cuts), boundary)).toEqual(content);
        },
      ),
      { numRuns: 300 * MORE },
    );
  });

  test('may be split into chunks anywhere', async () => {
    const content = Buffer.from('x\r\n--Bo\r\n-\r\n--\r\r\n\n\r\n--Bound\r\n\r\n');
    const body = Buffer.concat([
      Buffer.from(`before\r\n--Boundary \t\r\n${HEADER}\r\n\r\n`),
      content,
      Buffer.from(`\r\n--Boundary\r\n${FIELD}\r\n\r\nhello\r\n--Boundary--  \r\nafter\r\n`),
    ]);
    for (let at = 0; at <= body.length; at += 1) {
      expect(await receive(splitBody(body, [at]), 'Boundary')).toEqual(content);
      expect(await receive(splitBody(body, [at, at + 1, at + 3]), 'Boundary')).toEqual(content);
    }
  });

  const head = `--B\r\n${HEADER}\r\n\r\n`;
  test.each([
    ['a line of the file begins with the boundary', `${head}one\r\n--Bravo\r\ntwo\r\n--B--\r\n`],
    ['a line of the file begins with the closing delimiter', `${head}one\r\n--B--ravo\r\n--B--\r\n`],
    ['a delimiter follows a header at once', `${head}--B\r\n${FIELD}\r\n\r\nhello\r\n--B--\r\n`],
    ['a delimiter is within a header', `--B\r\n${HEADER}\r\n--B\r\n\r\none\r\n--B--\r\n`],
    ['two delimiters follow each other', `--B\r\n--B\r\n${HEADER}\r\n\r\none\r\n--B--\r\n`],
    ['another file follows the closing delimiter', `${head}one\r\n--B--\r\n${head}two\r\n--B--\r\n`],
    ['another file follows and does not end', `${head}one\r\n--B--\r\n${head}two`],
    ['it has no closing delimiter', `${head}one\r\n--B\r\n`],
    ['its closing delimiter is cut off', `${head}one\r\n--B-`],
    ['a part has no header', '--B\r\n\r\none\r\n--B--\r\n'],
    ['a part has two dispositions', `--B\r\n${HEADER}\r\n${FIELD}\r\n\r\none\r\n--B--\r\n`],
    ['a part has two file names', `--B\r\n${HEADER}; FileName=b\r\n\r\none\r\n--B--\r\n`],
    ['a second file name is on a folded line', `--B\r\n${HEADER};\r\n filename=b\r\n\r\none\r\n--B--\r\n`],
    ['it is empty', ''],
  ])('is refused at once when %s', async (_, text) => {
    const body = Buffer.from(text);
    for (let at = 0; at <= body.length; at += 1)
      expect(await receive(splitBody(body, [at]), 'B')).toBeUndefined();
  });
});

test.each([
  ['a parameter within quotes', `${HEADER}; x="; filename=b"`],
  ['the name of another header', `${HEADER}\r\nContent-Type: text/plain; name="a"; name="b"`],
  ['both forms of a file name', `${HEADER}; filename*=UTF-8''b`],
])('a disposition is not refused for %s', async (_what, header) => {
  const body = Buffer.from(`--B\r\n${header}\r\n\r\none\r\n--B--\r\n`);
  expect(await receive([body], 'B')).toEqual(Buffer.from('one'));
});

test('a complete body whose file is never finished is refused after a timeout', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const request = multipartRequest([Buffer.from(`--B\r\n${HEADER}\r\n\r\none\r\n--B--\r\n`)], 'B');
  const stage = (stream: Readable) =>
    new Promise<never>(
      (_, reject) => void stream.resume().once('close', () => stream.errored && reject(stream.errored)),
    );
  const reading = readMultipart(multipartContext(request), stage, new Promise<never>(() => {}), 'file');
  const refused = expect(reading).rejects.toMatchObject({ code: 'invalid-request' });
  await once(request, 'end');
  await vi.advanceTimersByTimeAsync(200_000);
  await refused;
});
