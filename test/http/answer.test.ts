import type { IncomingHttpHeaders } from 'node:http';
import { promisify } from 'node:util';
import zlib from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { type Answer, answer as answerAt } from '../../src/http/answer.ts';
import { createDocument, type Encoding } from '../../src/publishing/document.ts';
import ACCEPTED from './encodings.json' with { type: 'json' };

/** Conditions are tried through the server, in `conditional.test.ts`. */

const TEXT = JSON.stringify(Array.from({ length: 200 }, (_, index) => ({ title: 'Naga ∞', episode: index })));
const CHANGED_AT = Date.UTC(2026, 10, 20, 1, 2, 3, 456);
const LAST_MODIFIED = 'Fri, 20 Nov 2026 01:02:03 GMT';
const DOCUMENT = await createDocument('application/json; charset=utf-8', TEXT, CHANGED_AT);

const answer = (document: typeof DOCUMENT, conditions: IncomingHttpHeaders, now = CHANGED_AT + 60_000) =>
  answerAt(document, conditions, now);

const DECODERS: Record<Encoding, (bytes: Buffer) => Promise<Buffer>> = {
  br: promisify(zlib.brotliDecompress),
  zstd: promisify(zlib.zstdDecompress),
  gzip: promisify(zlib.gunzip),
  identity: async (bytes) => bytes,
};
const ALL = Object.keys(DECODERS) as Encoding[];

function headersOf({ headers }: Answer): Record<string, string> {
  const names = headers.filter((_, index) => index % 2 === 0);
  return Object.fromEntries(names.map((name, index) => [name, headers[2 * index + 1] ?? '']));
}

function encodingFor(acceptEncoding: string | undefined, document = DOCUMENT): string {
  const headers = headersOf(answer(document, { 'accept-encoding': acceptEncoding }));
  return headers['Content-Encoding'] ?? 'identity';
}

function etagFor(encoding: Encoding, document = DOCUMENT): string {
  return headersOf(answer(document, { 'accept-encoding': encoding })).ETag ?? '';
}

describe('the encoding', () => {
  test.each(ACCEPTED.chosen as [string, string][])('for "%s" is %s', (acceptEncoding, encoding) => {
    expect(encodingFor(acceptEncoding)).toBe(encoding);
  });

  test('is identity without Accept-Encoding, and when no other makes the document shorter', async () => {
    expect(encodingFor(undefined)).toBe('identity');
    expect(encodingFor('br, zstd, gzip', await createDocument('application/json', '{}', 0))).toBe('identity');
  });

  test.each(ACCEPTED.refused)('for %s is not available', (acceptEncoding) => {
    const ask = () => answer(DOCUMENT, { 'accept-encoding': acceptEncoding });
    expect(ask).toThrow(expect.objectContaining({ name: 'AppError', code: 'not-acceptable' }));
    expect(ask).toThrow('is offered here: br, zstd, gzip, identity');
  });

  test('is identity for an Accept-Encoding of 10 KB, which would take milliseconds to read', () => {
    expect(encodingFor(`${'x,'.repeat(5_000)}gzip`)).toBe('identity');
  });

  test('does not depend on requests of other clients', () => {
    for (let asked = 0; asked < 250; asked += 1) {
      expect(encodingFor(`gzip;q=0.${asked + 1}, br;q=0`)).toBe('gzip');
      expect(encodingFor('zstd')).toBe('zstd');
    }
  });
});

describe.each(ALL)('a document as %s', (encoding) => {
  test('is sent whole', async () => {
    const whole = answer(DOCUMENT, { 'accept-encoding': encoding });
    expect(whole.status).toBe(200);
    expect(String(await DECODERS[encoding](Buffer.from(whole.body!)))).toBe(TEXT);
    expect(headersOf(whole)).toEqual({
      ETag: expect.stringMatching(/^"[^"\s]+"$/u),
      'Last-Modified': LAST_MODIFIED,
      'X-Content-Type-Options': 'nosniff',
      'Cache-Control': 'public, max-age=60, stale-while-revalidate=600, stale-if-error=86400',
      Vary: 'Accept-Encoding',
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Length': String(whole.body?.length),
      ...(encoding !== 'identity' && { 'Content-Encoding': encoding }),
    });
  });

  test('is 304 for its tag, whatever encoding is accepted, with the headers that caches need', () => {
    for (const asked of ALL) {
      const whole = headersOf(answer(DOCUMENT, { 'accept-encoding': asked }));
      const unchanged = answer(DOCUMENT, { 'accept-encoding': asked, 'if-none-match': etagFor(encoding) });
      const { 'Content-Length': _, 'Content-Encoding': _coding, ...described } = whole;
      expect(unchanged).toMatchObject({ status: 304, body: undefined });
      expect(headersOf(unchanged)).toEqual(described);
    }
  });
});

test('the tag is another one for each encoding and each content, and the same after a restart', async () => {
  const [again, other] = await Promise.all(
    [TEXT, `${TEXT} `].map((text) => createDocument('application/json; charset=utf-8', text, CHANGED_AT)),
  );
  const tags = ALL.flatMap((encoding) => [etagFor(encoding), etagFor(encoding, other)]);
  expect(new Set(tags).size).toBe(2 * ALL.length);
  expect(ALL.map((encoding) => etagFor(encoding, again))).toEqual(ALL.map((encoding) => etagFor(encoding)));
});

test('a document with a date in the future, because a clock was set back, is dated now', () => {
  const setBack = CHANGED_AT - 3_600_000;
  const lastModified = (conditions: IncomingHttpHeaders, now: number) =>
    headersOf(answer(DOCUMENT, conditions, now))['Last-Modified'];
  expect(lastModified({}, setBack)).toBe(new Date(setBack).toUTCString());
  expect(lastModified({ 'if-none-match': etagFor('br') }, setBack)).toBe(new Date(setBack).toUTCString());
  expect(lastModified({}, CHANGED_AT)).toBe(LAST_MODIFIED);
  const conditions = { 'if-modified-since': new Date(setBack).toUTCString() };
  expect(answer(DOCUMENT, conditions, setBack + 60_000).status).toBe(200);
});
