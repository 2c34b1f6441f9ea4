import { promisify } from 'node:util';
import zlib from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { type Answer, answer as answerAt, type Conditions } from '../../src/http/answer.ts';
import { createDocument, type Encoding } from '../../src/publishing/document.ts';

const TEXT = JSON.stringify(Array.from({ length: 200 }, (_, index) => ({ title: 'Naga ∞', episode: index })));
const CHANGED_AT = Date.UTC(2026, 10, 20, 1, 2, 3, 456);
const LAST_MODIFIED = 'Fri, 20 Nov 2026 01:02:03 GMT';
const DOCUMENT = await createDocument('application/json; charset=utf-8', TEXT, CHANGED_AT);

const answer = (document: typeof DOCUMENT, conditions: Conditions, now = CHANGED_AT + 60_000) =>
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

function encodingFor(acceptEncoding: string | string[] | undefined, document = DOCUMENT): string {
  const headers = headersOf(answer(document, { 'accept-encoding': acceptEncoding }));
  return headers['Content-Encoding'] ?? 'identity';
}

function etagFor(encoding: Encoding, document = DOCUMENT): string {
  return headersOf(answer(document, { 'accept-encoding': encoding })).ETag ?? '';
}

const statusFor = (conditions: Conditions) => answer(DOCUMENT, conditions).status;

describe('the encoding', () => {
  test.each([
    [undefined, 'identity'],
    ['', 'identity'],
    ['gzip', 'gzip'],
    ['GZip', 'gzip'],
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip, zstd', 'zstd'],
    ['*', 'br'],
    ['gzip;q=0.3, zstd;q=0.3, br;q=0.3', 'br'],
    ['br;q=0.5, gzip', 'gzip'],
    ['br;q=0.2,zstd ; q=0.3 , gzip; q=0.1', 'zstd'],
    ['gzip;q=0.5', 'gzip'],
    ['br;q=0.001', 'br'],
    ['identity, gzip;q=0.9', 'identity'],
    ['gzip;q=0', 'identity'],
    ['br;q=0, *', 'zstd'],
    ['br;q=0.0, zstd;q=0.000, *', 'gzip'],
    ['br;q=0, zstd;q=0, gzip;q=0', 'identity'],
    ['identity;q=0.5, *;q=0', 'identity'],
    ['identity;q=0, *', 'br'],
    ['zstd, *;q=0', 'zstd'],
    ['deflate, compress', 'identity'],
    ['snappy, gzip;q=0.1', 'gzip'],
    [['gzip', 'br'], 'br'],
  ])('for %j is %s', (acceptEncoding, encoding) => {
    expect(encodingFor(acceptEncoding)).toBe(encoding);
  });

  test.each(['identity;q=0', '*;q=0', 'deflate, identity;q=0', 'br;q=0, identity;q=0', 'deflate, *;q=0'])(
    'for %s is not available',
    (acceptEncoding) => {
      const ask = () => answer(DOCUMENT, { 'accept-encoding': acceptEncoding });
      expect(ask).toThrow(expect.objectContaining({ name: 'AppError', code: 'not-acceptable' }));
      expect(ask).toThrow('is offered here: br, zstd, gzip, identity');
    },
  );

  test('is identity when no other makes the document shorter', async () => {
    expect(encodingFor('br, zstd, gzip', await createDocument('application/json', '{}', 0))).toBe('identity');
  });

  test('does not depend on requests of other clients', () => {
    for (let asked = 0; asked < 250; asked += 1) {
      expect(encodingFor(`gzip;q=0.${asked + 1}, br;q=0`)).toBe('gzip');
      expect(encodingFor('zstd')).toBe('zstd');
    }
  });
});

describe('the whole document', () => {
  test.each(ALL)('is sent as %s', async (encoding) => {
    const whole = answer(DOCUMENT, { 'accept-encoding': encoding });
    expect(whole.status).toBe(200);
    expect(String(await DECODERS[encoding](Buffer.concat(whole.body)))).toBe(TEXT);
    expect(headersOf(whole)).toEqual({
      ETag: expect.stringMatching(/^"[^"\s]+"$/u),
      'Last-Modified': LAST_MODIFIED,
      'Cache-Control': 'public, max-age=60, stale-while-revalidate=600, stale-if-error=86400',
      Vary: 'Accept-Encoding',
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Length': String(Buffer.concat(whole.body).length),
      ...(encoding !== 'identity' && { 'Content-Encoding': encoding }),
    });
  });

  test('has a different tag for each encoding and each content', async () => {
    const other = await createDocument('application/json; charset=utf-8', `${TEXT} `, CHANGED_AT);
    const tags = ALL.flatMap((encoding) => [etagFor(encoding), etagFor(encoding, other)]);
    expect(new Set(tags).size).toBe(2 * ALL.length);
  });

  test('has the same tags after a restart', async () => {
    const again = await createDocument('application/json; charset=utf-8', TEXT, CHANGED_AT);
    expect(ALL.map((encoding) => etagFor(encoding, again))).toEqual(ALL.map((encoding) => etagFor(encoding)));
  });
});

describe('a client that has the document', () => {
  const tag = etagFor('br');

  test.each(ALL)('gets 304 for the tag of its %s copy, whatever encoding it accepts', (encoding) => {
    for (const asked of ALL) {
      expect(statusFor({ 'accept-encoding': asked, 'if-none-match': etagFor(encoding) })).toBe(304);
    }
  });

  test.each(ALL)('gets 304 with the headers that caches need, and no body, for %s', (encoding) => {
    const conditions = { 'accept-encoding': encoding };
    const kept = ['ETag', 'Last-Modified', 'Cache-Control', 'Vary'];
    const whole = Object.entries(headersOf(answer(DOCUMENT, conditions)));
    const unchanged = answer(DOCUMENT, { ...conditions, 'if-none-match': tag });
    expect(headersOf(unchanged)).toEqual(Object.fromEntries(whole.filter(([name]) => kept.includes(name))));
    expect(Object.keys(headersOf(unchanged))).toHaveLength(kept.length);
    expect(unchanged.body).toEqual([]);
  });
});

describe('a document with a date in the future, because a clock was set back,', () => {
  const setBack = CHANGED_AT - 3_600_000;
  const lastModified = (conditions: Conditions, now: number) =>
    headersOf(answer(DOCUMENT, conditions, now))['Last-Modified'];

  test('has the current time as Last-Modified', () => {
    expect(lastModified({}, setBack)).toBe(new Date(setBack).toUTCString());
    expect(lastModified({ 'if-none-match': etagFor('br') }, setBack)).toBe(new Date(setBack).toUTCString());
    expect(lastModified({}, CHANGED_AT)).toBe(LAST_MODIFIED);
  });

  test('gets 200 for If-Modified-Since with that time', () => {
    const conditions = { 'if-modified-since': new Date(setBack).toUTCString() };
    expect(answer(DOCUMENT, conditions, setBack + 60_000).status).toBe(200);
  });
});
