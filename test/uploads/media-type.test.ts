import { deflateSync, gzipSync } from 'node:zlib';
import { supportedMimeTypes } from 'file-type';
import { describe, expect, test } from 'vitest';
import { BINARY, detectMediaType, servedType, TEXT } from '../../src/uploads/media-type.ts';

/** The number of first bytes that a staged upload keeps. */
const HEAD_BYTES = 4_100;

const bytes = (...pieces: (string | Buffer)[]): Buffer =>
  Buffer.concat(pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece, 'latin1') : piece)));
const typeOf = (content: Buffer) => detectMediaType(content.subarray(0, HEAD_BYTES));

function chunk(type: string, data: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  return bytes(length, type, data, Buffer.alloc(4));
}

const HEADER = chunk('IHDR', bytes('\0\0\0\x01\0\0\0\x01\x08\x06\0\0\0'));
const png = (...between: Buffer[]) =>
  bytes(
    '\x89PNG\r\n\x1a\n',
    HEADER,
    ...between,
    chunk('IDAT', deflateSync(Buffer.alloc(5))),
    chunk('IEND', bytes()),
  );
const jpeg = (data: Buffer) =>
  bytes('\xff\xd8\xff\xe0\0\x10JFIF\0\x01\x01\0\0\x01\0\x01\0\0', data, '\xff\xd9');
const ftyp = (brand: string, ...others: string[]) =>
  bytes(
    '\0\0\0',
    String.fromCharCode(16 + 4 * others.length),
    'ftyp',
    brand,
    '\0\0\0\0',
    ...others,
    '\0\0\0\x08moov',
  );
const ebml = (type: string) =>
  bytes(
    '\x1a\x45\xdf\xa3\x9f\x42\x86\x81\x01\x42\xf7\x81\x01\x42\xf2\x81\x04\x42\xf3\x81\x08\x42\x82',
    String.fromCharCode(0x80 + type.length),
    type,
    '\x42\x87\x81\x02\x42\x85\x81\x02\x18\x53\x80\x67',
  );
const ogg = (codec: string) => bytes('OggS\0\x02', Buffer.alloc(20), '\x01\x1e', codec, Buffer.alloc(40));
/** An MP3 with a cover of `cover` bytes in its tag. */
function mp3(cover: number): Buffer {
  const size = [21, 14, 7, 0].map((shift) => String.fromCharCode((cover >> shift) & 0x7f)).join('');
  return bytes('ID3\x04\0\0', size, Buffer.alloc(cover), '\xff\xfb\x90\x64', Buffer.alloc(500));
}

describe('a type that is shown inline', () => {
  test.each<[string, string, Buffer]>([
    ['image/png', 'a picture', png()],
    ['image/png', 'a picture with a large colour profile', png(chunk('iCCP', Buffer.alloc(10_000)))],
    ['image/png', 'a picture that moves', png(chunk('acTL', Buffer.alloc(8)))],
    ['image/jpeg', 'a photo of many bytes', jpeg(Buffer.alloc(100_000))],
    ['video/mp4', 'a film of a shop', ftyp('M4V ', 'isom')],
    ['image/gif', 'a GIF', bytes('GIF89a\x01\0\x01\0\x80\0\0')],
    ['image/webp', 'a WebP', bytes('RIFF\x24\0\0\0WEBPVP8 \x18\0\0\0')],
    ['image/avif', 'an AVIF', ftyp('avif', 'mif1', 'miaf')],
    ['video/mp4', 'an MP4', ftyp('isom', 'iso2', 'avc1', 'mp41')],
    ['video/webm', 'a WebM', ebml('webm')],
    ['audio/mpeg', 'a song with a large cover', mp3(50_000)],
    ['audio/mpeg', 'a song without tag', mp3(0).subarray(10)],
    ['audio/ogg', 'a Vorbis song', ogg('\x01vorbis')],
    ['audio/ogg', 'an Opus song', ogg('OpusHead')],
    ['audio/wav', 'a WAV', bytes('RIFF\x24\0\0\0WAVEfmt ')],
    ['audio/flac', 'a FLAC', bytes('fLaC\0\0\0\x22')],
    ['audio/mp4', 'a song of a shop', ftyp('M4A ', 'isom')],
    ['video/mp4', 'a film of a phone, in QuickTime', ftyp('qt  ', 'qt  ')],
    ['audio/ogg', 'a FLAC song in Ogg', ogg('\x7fFLAC')],
  ])('is %s: %s', async (type, _what, content) => {
    expect(servedType(await typeOf(content))).toBe(type);
  });

  test.each<[string, Buffer | string]>([
    ['nothing', ''],
    ['a word', 'halo'],
    ['UTF-8', Buffer.from('Jum’at, こんにちは 🌸\n')],
    ['UTF-8 with a mark', Buffer.from('\ufeffhalo')],
    ['tabs, line ends and colours', 'a\tb\r\nc\f\x1b[31mred'],
    ['a page', '<!doctype html><script>alert(1)</script>'],
    ['an SVG', '<svg xmlns="http://www.w3.org/2000/svg"/>'],
    ['an SVG that declares itself', '<?xml version="1.0" encoding="utf-8"?>\n<svg/>'],
    ['XML behind a mark', Buffer.from('\ufeff<?xml version="1.0"?><x/>')],
    ['JSON', '{"a":1}'],
    ['a script', '#!/bin/sh\necho halo'],
  ])('is plain text: %s', async (_what, content) => {
    expect(await typeOf(Buffer.from(content))).toBe(TEXT);
    expect(servedType(TEXT)).toBe(TEXT);
  });

  test.each([0, 1, 2])('is plain text although its head ends within a character (%i)', async (shift) => {
    const long = Buffer.from('x'.repeat(shift) + '写'.repeat(5_000));
    expect(await typeOf(long)).toBe(TEXT);
  });
});

describe('a type that is downloaded', () => {
  test.each<[string, string, Buffer | string]>([
    [BINARY, 'text with a NUL', 'halo\0'],
    [BINARY, 'text with a backspace', 'halo\b'],
    [BINARY, 'text in Latin-1', bytes('caf\xe9 au lait')],
    [BINARY, 'text in UTF-16', Buffer.from('\ufeffhalo', 'utf16le')],
    [BINARY, 'a cut picture', bytes('\x89PNG\r\n\x1a\n')],
    ['application/pdf', 'a PDF', '%PDF-1.7\n'],
    ['application/gzip', 'a gzip', gzipSync('halo')],
    ['video/matroska', 'Matroska', ebml('matroska')],
    ['image/heic', 'HEIC', ftyp('heic', 'mif1')],
    ['video/ogg', 'a Theora film', ogg('\x80theora')],
    ['application/ogg', 'an Ogg of an unknown codec', ogg('BBCD\0')],
    ['text/calendar', 'a calendar', 'BEGIN:VCALENDAR\r\n'],
  ])('is %s: %s', async (type, _what, content) => {
    expect(await typeOf(Buffer.from(content))).toBe(type);
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
  const beginnings = [
    png(),
    ftyp('isom'),
    ebml('webm'),
    mp3(60),
    ogg('\x01vorbis'),
    gzipSync('x'),
    bytes('PK\x03\x04'),
  ];
  for (const beginning of beginnings) {
    for (let length = 1; length <= beginning.length; length += 1) {
      const cut = beginning.subarray(0, length);
      for (const content of [cut, bytes(cut, Buffer.alloc(300, 0xff)), bytes(cut, Buffer.alloc(300))]) {
        expect(await typeOf(content)).toMatch(/^(image|video|audio|application|text)\/(?!html|svg)/u);
      }
    }
  }
});
