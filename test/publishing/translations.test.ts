import { expect, test } from 'vitest';
import { LANGUAGES, TRANSLATIONS } from '../../src/pages/i18n/translations.ts';

/** Every text by its path, such as `anime.day`. */
function textsIn(value: unknown, path: string): [path: string, text: string][] {
  if (typeof value === 'string') return [[path, value]];
  return Object.entries(value as object).flatMap(([key, part]) => textsIn(part, `${path}.${key}`));
}

const ENGLISH = new Map(textsIn(TRANSLATIONS.en, ''));

/** The values that a text names; each language has its own words for a number. */
const placeholdersIn = (text: string) => [...new Set(text.match(/(?<=\{)\w+/gu))].toSorted();

test.each(LANGUAGES)('the texts in %s are those in English, with the same placeholders', (language) => {
  const texts = textsIn(TRANSLATIONS[language], '');
  expect(texts.map(([path]) => path).toSorted()).toEqual([...ENGLISH.keys()].toSorted());
  for (const [path, text] of texts) {
    const english = ENGLISH.get(path);
    if (text && english) expect(placeholdersIn(text), path).toEqual(placeholdersIn(english));
  }
});
