import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { readMultipart } from '../../../src/http/uploads/multipart.ts';
import {
  multipartContext,
  multipartRequest,
  receiveMultipart,
  splitBody,
} from '../../support/receive-multipart.ts';

/** Returns the file that the service reads from a body in these chunks; undefined when it refuses the body. */
function receive(pieces: Buffer[], boundary: string): Promise<Buffer | undefined> {
  return receiveMultipart(pieces, boundary).catch((error: unknown) => {
    expect(error).toMatchObject({ code: 'invalid-request' });
    return undefined;
  });
}

const HEADER = 'Content-Disposition: form-data; name="file"; filename="a.bin"';
const FIELD = 'Content-Disposition: form-data; name="comment"';
/** What holds for any body is tried by `npm run prove -- fuzz`, against a reader of its own. */
describe('a multipart body', () => {
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
