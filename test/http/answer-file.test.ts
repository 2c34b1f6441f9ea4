import { describe, expect, test } from 'vitest';
import { answerFile, type FileConditions } from '../../src/http/uploads/answer-file.ts';
import { describeUpload } from '../support/uploads.ts';

const UPLOADED_AT = Date.parse('2026-08-15T21:30:05.700Z');
const DATE = 'Sat, 15 Aug 2026 21:30:05 GMT';
const TAG = `"${'ab'.repeat(32)}"`;

function ask(conditions: FileConditions, more: Parameters<typeof describeUpload>[1] = {}) {
  const staged = { size: 100, sha256: 'ab'.repeat(32) };
  return answerFile(describeUpload(staged, { uploadedAt: UPLOADED_AT, ...more }), conditions, {
    now: UPLOADED_AT,
  });
}

test('a file with an upload time in the future has the current time as Last-Modified', () => {
  const now = UPLOADED_AT - 60_000;
  const description = describeUpload({ size: 1, sha256: 'ab' }, { uploadedAt: UPLOADED_AT });
  const { headers } = answerFile(description, {}, { now });
  expect(headers['Last-Modified']).toBe(new Date(now).toUTCString());
  const conditions = { 'if-modified-since': String(headers['Last-Modified']) };
  expect(answerFile(description, conditions, { now }).status).toBe(304);
});

describe('a request without conditions', () => {
  test('gets the whole file, inline if its type is safe', () => {
    const { status, headers, range } = ask({});
    expect([status, range]).toEqual([200, { start: 0, end: 99 }]);
    expect(headers).toEqual({
      'X-Content-Type-Options': 'nosniff',
      'Content-Security-Policy': "default-src 'none'; sandbox; media-src 'self'",
      'Cross-Origin-Resource-Policy': 'cross-origin',
      'Referrer-Policy': 'no-referrer',
      ETag: TAG,
      'Last-Modified': DATE,
      'Cache-Control': 'no-cache',
      'Content-Type': 'image/png',
      'Content-Disposition': 'inline; filename=foto.png',
      'Accept-Ranges': 'bytes',
      'X-Robots-Tag': 'noindex',
      'Content-Length': '100',
    });
  });

  test.each(['text/html', 'image/svg+xml', 'application/pdf', 'text/javascript', 'anything at all'])(
    'gets a file of type %s as an attachment of plain bytes',
    (mediaType) => {
      const { headers } = ask({}, { mediaType });
      expect(headers['Content-Type']).toBe('application/octet-stream');
      expect(headers['Content-Disposition']).toMatch(/^attachment; /u);
    },
  );

  test('gets an empty body for an empty file', () => {
    const { status, headers, range } = ask({}, { size: 0 });
    expect([status, headers['Content-Length'], range]).toEqual([200, '0', undefined]);
  });
});

describe('a Range of', () => {
  test.each([
    ['bytes=0-9', 0, 9],
    ['bytes=90-', 90, 99],
    ['bytes=-10', 90, 99],
    ['bytes=0-', 0, 99],
    ['bytes=99-99', 99, 99],
    ['bytes=50-1000', 50, 99],
    ['bytes=-100', 0, 99],
    ['bytes=-1000', 0, 99],
    ['bytes=0-99999999999999999999999', 0, 99],
    ['bytes=0-0', 0, 0],
  ])('%s gets 206 with that part', (range, start, end) => {
    const answer = ask({ range });
    expect([answer.status, answer.range]).toEqual([206, { start, end }]);
    expect(answer.headers).toMatchObject({
      'Content-Range': `bytes ${start}-${end}/100`,
      'Content-Length': String(end - start + 1),
      ETag: TAG,
    });
  });

  test.each(['bytes=100-', 'bytes=100-200', 'bytes=-0'])('%s gets 416', (range) => {
    const answer = ask({ range });
    expect([answer.status, answer.range]).toEqual([416, undefined]);
    expect(answer.headers['Content-Range']).toBe('bytes */100');
  });

  test.each(['bytes= 0-9', 'bytes=0-9 ', 'BYTES=0-9'])('"%s" equals bytes=0-9', (range) => {
    expect(ask({ range })).toEqual(ask({ range: 'bytes=0-9' }));
  });

  test('is ignored by HEAD', () => {
    for (const range of ['bytes=0-9', 'bytes=100-']) {
      const description = describeUpload({ size: 100, sha256: 'ab'.repeat(32) }, { uploadedAt: UPLOADED_AT });
      expect(answerFile(description, { range }, { method: 'HEAD', now: UPLOADED_AT })).toEqual(ask({}));
    }
  });

  test.each(['bytes=1 0-2 0', 'bytes=0-1, 5-9', 'bytes=-5,0-1', `bytes=${'0-0,'.repeat(3_000)}0-0`])(
    '"%s" is ignored, because it has several ranges',
    (range) => {
      expect(ask({ range })).toEqual(ask({}));
    },
  );

  test.each([
    ...['', 'bytes', 'bytes=', 'bytes=-', 'bytes=a-b', 'bytes=1-2-3', 'lines=0-9', 'bytes=0-1,5-9'],
    ...['kilobytes=0-9', 'bytes=9-0'],
  ])('"%s" is ignored, because it is malformed', (range) => {
    expect(ask({ range })).toEqual(ask({}));
  });

  test.each(['bytes=0-', 'bytes=0-0', 'bytes=-1'])('%s of an empty file gets 416', (range) => {
    const answer = ask({ range }, { size: 0 });
    expect([answer.status, answer.headers['Content-Range']]).toEqual([416, 'bytes */0']);
  });
});

test('a part is sent only where If-Range names the current version', () => {
  expect(ask({ range: 'bytes=0-9', 'if-range': TAG }).status).toBe(206);
  expect(ask({ range: 'bytes=0-9', 'if-range': '"another"' })).toEqual(ask({}));
  expect(ask({ range: 'bytes=100-', 'if-range': '"another"' })).toEqual(ask({}));
});

test('a condition that is true does not change the response, and one that is false gets 412', () => {
  expect(ask({ 'if-match': TAG })).toEqual(ask({}));
  expect(ask({ 'if-match': TAG, range: 'bytes=0-9' }).status).toBe(206);
  const { status, headers, range } = ask({ 'if-match': '"another"', range: 'bytes=100-' });
  expect([status, range]).toEqual([412, undefined]);
  expect(headers['Content-Security-Policy']).toContain("default-src 'none'; sandbox");
});

test('If-None-Match with the tag gets 304, and with another one the file', () => {
  const { status, headers, range } = ask({ 'if-none-match': TAG, range: 'bytes=0-9' });
  expect([status, range, headers.ETag]).toEqual([304, undefined, TAG]);
  expect(headers).not.toHaveProperty('Content-Length');
  expect(ask({ 'if-none-match': '"another"' })).toEqual(ask({}));
});

test.each([
  ['写真 1.png', `inline; filename="?? 1.png"; filename*=UTF-8''%E5%86%99%E7%9C%9F%201.png`],
  ['a"b\\c.png', 'inline; filename="c.png"'],
  ['a"b.png', String.raw`inline; filename="a\"b.png"`],
  ['\u202egnp.exe', 'inline; filename=gnp.exe'],
  ['\ud800.png', `inline; filename="?.png"; filename*=UTF-8''%EF%BF%BD.png`],
  ['a\r\nSet-Cookie: x', 'inline; filename="aSet-Cookie: x"'],
  ['', 'inline; filename=file'],
])('the name %j is sent as %s', (originalname, disposition) => {
  const told = ask({}, { originalname }).headers['Content-Disposition'];
  expect(told?.replace(/filename="([\w.]+)"$/u, 'filename=$1')).toBe(
    disposition.replace(/filename="([\w.]+)"$/u, 'filename=$1'),
  );
});
