import { describe, expect, test } from 'vitest';
import { displayName, extensionOf } from '../../src/uploads/file-name.ts';

const BIDI = '\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069';
const INVISIBLE = '\u00ad\u200b\u200c\u200d\u2060\ufeff\u2028\u2029';

describe('a shown name', () => {
  test.each([
    ['foto.png', 'foto.png'],
    ['e\u0301.txt', 'é.txt'],
    [`a${BIDI}b${INVISIBLE}c.txt`, 'abc.txt'],
    ['photo\u202egnp.exe', 'photognp.exe'],
    ['  padded.txt ', 'padded.txt'],
    ['', 'file'],
    ['\u200b \u202e', 'file'],
    ['\u0000', 'file'],
    ['a/b', 'b'],
    [String.raw`a\b`, 'b'],
    ['\ud800.txt', '\ufffd.txt'],
  ])('%j is %j', (name, shown) => {
    expect(displayName(name)).toBe(shown);
  });

  test.each(['x', 'é', '写', '🌸'])(
    'of many %s has at most 255 bytes, no split characters, and its extension',
    (one) => {
      for (const before of ['', 'a', 'ab', 'abc']) {
        const shown = displayName(`${before}${one.repeat(1_000)}.tar.gz`);
        expect(Buffer.byteLength(shown)).toBeLessThanOrEqual(255);
        expect(Buffer.byteLength(shown)).toBeGreaterThan(248);
        expect(shown).toMatch(new RegExp(`^${before}(${one})+.*\\.gz$`, 'u'));
        expect(shown).not.toContain('\ufffd');
      }
    },
  );

  test('drops an extension that would leave no space for the name', () => {
    const shown = displayName(`a.${'写'.repeat(500)}`);
    expect(Buffer.byteLength(shown)).toBeLessThanOrEqual(255);
    expect(shown).toMatch(/^a\.写+$/u);
  });
});

describe('an extension', () => {
  test.each([
    ['foto.png', 'png'],
    ['FOTO.JPG', 'jpg'],
    ['a.tar.gz', 'gz'],
    ['film.mp4 ', 'mp4'],
    ['a.7z', '7z'],
    [`${'x'.repeat(5_000)}.webm`, 'webm'],
    ['photo.png\u202e', 'png'],
    ['none', ''],
    ['.profile', ''],
    ['dot.', ''],
    ['a.b c', ''],
    ['a.файл', ''],
    ['a.ph%70', ''],
    ['a."><script>', ''],
    ['a.thisislongerthananyextension', ''],
    ['..', ''],
    ['a.png/b', ''],
  ])('of %j is "%s"', (name, extension) => {
    expect(extensionOf(name)).toBe(extension);
  });
});
