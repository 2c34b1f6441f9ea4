import fc from 'fast-check';
import { expect, test } from 'vitest';
import { AppError } from '../../src/domain/errors.ts';
import { cleanText, excerpt, isVisible } from '../../src/domain/text.ts';
import { costOf } from '../support/cost.ts';
import TEXTS from './texts.json' with { type: 'json' };

test.each(TEXTS.titles)('a real title is unchanged: %s', (title) => {
  expect(cleanText(title)).toBe(title);
  expect(isVisible(title)).toBe(true);
});

// A lone surrogate is no JSON.
test.each([
  ...(TEXTS.cleaned as [string, string, string][]),
  ['lone surrogates', 'Na\ud83dga\udc00', 'Naga'],
])('cleanText removes or replaces %s', (_what, text, cleaned) => {
  expect(cleanText(text)).toBe(cleaned);
  expect(cleanText(cleaned)).toBe(cleaned);
});

test('text of ASCII is cleaned as if it had other characters too', () => {
  const piece = fc.constantFrom(' ', '  ', '\t', '\n', '\u0000', '\u007f', '!', '~', 'a', 'Naga');
  const text = fc.array(piece).map((pieces) => pieces.join(''));
  // The zero-width space, which is removed, makes sure that every character is looked at.
  fc.assert(
    fc.property(text, (one) => {
      expect(cleanText(one)).toBe(cleanText(`\u200b${one}`));
    }),
  );
});

test.each(TEXTS.invisible as [string, string][])('a text of only %s is not visible', (_what, text) => {
  expect(isVisible(cleanText(text))).toBe(false);
});

test('an excerpt has at most the given length, and splits no surrogate pair', () => {
  expect(excerpt('Naga  Kecil', 20)).toBe('Naga Kecil');
  expect(excerpt('Naga Kecil', 6)).toBe('Naga…');
  expect(excerpt('💫💫💫', 4)).toBe('💫…');
});

test('cleaning takes linear time', () => {
  for (const piece of ['\u200d', '👩\u200d', '\ufe0f', ' ', '\u2800']) {
    const text = piece.repeat(500_000 / piece.length);
    expect(costOf(() => cleanText(text))).toBeLessThan(20);
  }
});

test('the message of an error has no control characters and a limited length, whatever it quotes', () => {
  const { message } = new AppError('source-moved', `titled "\u001b[2J\u202e\n${'x'.repeat(100_000)}"`);
  expect(message).toMatch(/^titled "\[2J x+…$/u);
  expect(message).toHaveLength(1_000);
});
