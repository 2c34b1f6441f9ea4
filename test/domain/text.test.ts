import { expect, test } from 'vitest';
import { AppError } from '../../src/domain/errors.ts';
import { cleanText, excerpt, isVisible } from '../../src/domain/text.ts';
import { startCpuTimer } from '../support/cpu-time.ts';

test.each([
  ...['Yume∞mita ½ ☆ Ü', '“Kutipan” – "Dua" & \'Tiga\'', 'Re:Zero / 2nd', '夢の国 ♥', 'Kekasih 💫 Hati'],
  ...['👩‍👩‍👧 Keluarga', '👩🏽‍🚀 Angkasa', '❤️‍🔥', '☆️ 1️⃣', 'Ão', 'ภาษา हिन्दी'],
])('a real title is unchanged: %s', (title) => {
  expect(cleanText(title)).toBe(title);
  expect(isVisible(title)).toBe(true);
});

test.each([
  ['white space of every kind', ' \n Satu\u00a0\u3000 Dua\tTiga\r\n', 'Satu Dua Tiga'],
  ['line separators', 'Satu\u2028Dua\u2029Tiga\u0085Empat\u000bLima', 'Satu Dua Tiga Empat Lima'],
  ['a colour of a terminal', '\u001b[31mNaga\u001b[0m', '[31mNaga[0m'],
  ['a C1 escape', 'Na\u009b31mga', 'Na31mga'],
  ['nulls, bells and backspaces', 'N\u0000a\u0007g\u0008a\u007f', 'Naga'],
  ['bidi controls', '\u202eNaga\u202c \u2066Kecil\u2069\u200f\u061c', 'Naga Kecil'],
  ['zero-width characters', 'N\u200ba\u200cg\u200da\u2060', 'Naga'],
  ['a byte order mark', '\ufeffNa\ufeffga', 'Naga'],
  ['lone surrogates', 'Na\ud83dga\udc00', 'Naga'],
  ['soft hyphens, tags and selectors of nothing', 'Na\u00adga\u{e0041}\ufe0f', 'Naga'],
  ['noncharacters', 'Na\ufffe\uffffga', 'Naga'],
  ['a joiner beside one emoji alone', '💫\u200d Naga \u200d💫', '💫 Naga 💫'],
])('cleanText removes or replaces %s', (_what, text, cleaned) => {
  expect(cleanText(text)).toBe(cleaned);
  expect(cleanText(cleaned)).toBe(cleaned);
});

test.each([
  ['nothing', ''],
  ['spaces', ' \u00a0\u3000'],
  ['zero-width characters', '\u200b\u200d\ufeff\u2060'],
  ['bidi controls', '\u202e\u202c'],
  ['combining marks', '\u0301\u0302\u20dd'],
  ['Hangul fillers', '\u3164\u115f\u1160\uffa0'],
  ['blank Braille patterns', '\u2800\u2800'],
  ['variation selectors', '\ufe0f\ufe0e'],
  ['replacement characters', '\ufffd\ufffc'],
])('a text of only %s is not visible', (_what, text) => {
  expect(isVisible(cleanText(text))).toBe(false);
});

test('an excerpt has at most the given length, and splits no surrogate pair', () => {
  expect(excerpt('Naga  Kecil', 20)).toBe('Naga Kecil');
  expect(excerpt('Naga Kecil', 6)).toBe('Naga…');
  expect(excerpt('💫💫💫', 4)).toBe('💫…');
});

test('cleaning takes linear time', () => {
  const cpuMs = startCpuTimer();
  for (const piece of ['\u200d', '👩\u200d', '\ufe0f', ' ', '\u2800'])
    cleanText(piece.repeat(2_000_000 / piece.length));
  expect(cpuMs()).toBeLessThan(3_000);
});

test('the message of an error has no control characters and a limited length, whatever it quotes', () => {
  const { message } = new AppError('source-moved', `titled "\u001b[2J\u202e\n${'x'.repeat(100_000)}"`);
  expect(message).toMatch(/^titled "\[2J x+…$/u);
  expect(message).toHaveLength(1_000);
});
