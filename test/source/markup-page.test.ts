import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseMarkup } from '../../src/source/markup/page.ts';

test('a tag or a class finds the same elements as a general search', () => {
  const name = fc.constantFrom('kartu', 'Kartu', 'KARTU', 'kartu-anime', 'judul');
  const space = fc.constantFrom(' ', '  ', '\t', '\n', '\f', '\r', '\v', '\u00a0', '');
  const value = fc.array(fc.tuple(name, space)).map((pairs) => pairs.flat().join(''));
  const tag = fc.constantFrom('div', 'DIV', 'a', 'li', 'p', 'svg', 'noscript', 'template', 'script', 'h1');
  const opening = fc
    .tuple(tag, fc.constantFrom('class', 'CLASS', 'id'), value)
    .map(([one, attribute, text]) => `<${one} ${attribute}="${text}">`);
  const closing = tag.map((one) => `</${one}>`);
  const html = fc
    .array(fc.oneof(opening, closing, fc.constant('<!-- x --> x')))
    .map((parts) => parts.join(''));
  fc.assert(
    fc.property(html, (text) => {
      const page = parseMarkup(text);
      for (const one of ['.kartu', '.kartu-anime', '.judul'])
        expect(page.find(one)).toEqual(page.find(`*${one}`));
      for (const one of ['div', 'a', 'li', 'svg', 'script', 'h1'])
        expect(page.find(one)).toEqual(page.find(`:is(${one})`));
    }),
  );
});
