import { supportedMimeTypes } from 'file-type';
import { describe, expect, test } from 'vitest';
import { BINARY, detectMediaType, PLAIN_TEXT, servedType } from '../../src/uploads/media-type.ts';
import SAMPLES from './media-samples.json' with { type: 'json' };

/** The type that is detected, what it is, and its bytes as a text in Latin-1. */
type Sample = [string, string, string];

/** The number of first bytes that a staged upload keeps. */
const HEAD_BYTES = 4_100;

/** The bytes of a text in Latin-1. */
const bytesOf = (text: string) => Buffer.from(text, 'latin1');
const typeOf = (content: Buffer) => detectMediaType(content.subarray(0, HEAD_BYTES));
/** These bytes at the beginning of a large file. */
const beginning = (bytes: Buffer, fill = 0) => Buffer.concat([bytes, Buffer.alloc(HEAD_BYTES, fill)]);

describe('a type that is shown inline', () => {
  test.each(SAMPLES.shown as Sample[])('is %s: %s', async (type, _what, content) => {
    expect(servedType(await typeOf(beginning(bytesOf(content))))).toBe(type);
  });

  test.each(SAMPLES.texts as [string, string][])('is plain text: %s', async (_what, content) => {
    expect(await typeOf(Buffer.from(content))).toBe(PLAIN_TEXT);
    expect(servedType(PLAIN_TEXT)).toBe(PLAIN_TEXT);
  });

  test.each([0, 1, 2])('is plain text although its head ends within a character (%i)', async (shift) => {
    const long = Buffer.from('x'.repeat(shift) + '写'.repeat(5_000));
    expect(await typeOf(long)).toBe(PLAIN_TEXT);
  });
});

describe('a type that is downloaded', () => {
  test.each(SAMPLES.downloaded as Sample[])('is %s: %s', async (type, _what, content) => {
    expect(await typeOf(bytesOf(content))).toBe(type);
    expect(servedType(type)).toBe(BINARY);
  });
});

test('nothing that can be detected, or that an older version stored, is served as anything else', () => {
  const stored = ['text/html', 'image/svg+xml', 'application/xhtml+xml', BINARY, 'toString', ''];
  const served = new Set([...supportedMimeTypes, ...stored].map(servedType));
  expect([...served].sort()).toEqual([
    BINARY,
    'audio/aac',
    'audio/flac',
    'audio/mp4',
    'audio/mpeg',
    'audio/ogg',
    'audio/wav',
    'image/avif',
    'image/gif',
    'image/jpeg',
    'image/png',
    'image/webp',
    'video/mp4',
    'video/webm',
  ]);
});

test('a forged header does not make the detection fail', async () => {
  const samples = [...SAMPLES.shown, ...SAMPLES.downloaded].map(([, , content = '']) => bytesOf(content));
  for (const whole of [...samples, bytesOf('PK\x03\x04')]) {
    for (let length = 1; length <= whole.length; length += 1) {
      const cut = whole.subarray(0, length);
      for (const content of [cut, beginning(cut, 0xff), beginning(cut)]) {
        expect(await typeOf(content)).toMatch(/^(image|video|audio|application|text)\/(?!html|svg)/u);
      }
    }
  }
});
