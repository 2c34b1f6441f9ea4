import { describe, expect, test } from 'vitest';
import { asciiName, displayName, extensionOf } from '../../src/domain/file-name.ts';
import NAMES from './file-names.json' with { type: 'json' };

describe('a shown name', () => {
  // A lone surrogate is no JSON.
  test.each([...(NAMES.shown as [string, string][]), ['\ud800.txt', '\ufffd.txt']])(
    '%j is %j',
    (name, shown) => {
      expect(displayName(name)).toBe(shown);
    },
  );

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

describe('a name for clients that read ASCII alone', () => {
  test.each(NAMES.ascii as [string, string][])('%j is %j', (name, ascii) => {
    expect(asciiName(name)).toBe(ascii);
  });
});

describe('an extension', () => {
  test.each(NAMES.extensions as [string, string][])('of %j is "%s"', (name, extension) => {
    expect(extensionOf(name)).toBe(extension);
  });
});
