import { elementsOf, type Markup, type Mutation, mutation, pickSome, type Span } from '../markup.ts';

/** Where the fields of a page stand: inside these elements, or in these attributes of them. */
const FIELDS: [field: string, make: RegExp, attribute?: string][] = [
  ['episode', /^div\.epz$/u],
  ['day', /^div\.epztipe$/u],
  ['date', /^div\.newnime$/u],
  ['title', /^h2\.jdlflm$/u],
  ['link', /^a$/u, 'href'],
  ['cover', /^img\./u, 'src'],
  ['label', /^h2$/u],
  ['entry', /^a$/u],
  ['pager', /^(?:a|span)\.page-numbers(?:\.current)?$/u],
  ['pager link', /^a\.(?:next\.|prev\.)?page-numbers$/u, 'href'],
];

const GARBLES: [how: string, garble: (text: string) => string][] = [
  ['emptied', () => ''],
  ['blank', () => ' \u00a0 '],
  ['another word', () => 'Tamat'],
  ['cut in half', (text) => text.slice(0, Math.ceil(text.length / 2))],
  ['less its first half', (text) => text.slice(Math.ceil(text.length / 2))],
  ['twice', (text) => text + text],
  ['reversed', (text) => [...text].reverse().join('')],
  ['in capitals', (text) => text.toUpperCase()],
  ['with a character that is none', (text) => `${text.slice(0, -1)}\ufffd`],
  ['less its digits', (text) => text.replace(/\d/gu, '')],
  ['with a zero more', (text) => text.replace(/(\d+)/u, '$10')],
  ['below zero', (text) => text.replace(/(\d+)/u, '-$1')],
  ['with a fraction', (text) => text.replace(/(\d+)/u, '$1.5')],
  ['an enormous number', (text) => text.replace(/\d+/u, '9'.repeat(30))],
  ['zero', (text) => text.replace(/\d+/u, '0')],
  ['escaped twice', (text) => text.replace(/[aeiou]/u, (letter) => `&amp;#${letter.codePointAt(0)};`)],
  ['as its escape', (text) => text.replace(/[aeiou]/u, (letter) => `&#${letter.codePointAt(0)};`)],
  ['of no letters', () => '???'],
  ['a script', () => 'javascript:alert(1)'],
  ['very long', (text) => text + 'a'.repeat(5_000)],
];

/** Each field garbled, on one card and on all; and exchanged between two. */
export function* garbleFields(page: Markup): Generator<Mutation> {
  const { html } = page;
  const textAt = ({ start, end }: Place) => html.slice(start, end);
  for (const [field, make, attribute] of FIELDS) {
    const all = placesOf(page, make, attribute);
    for (const [how, garble] of GARBLES) {
      const put = (place: Place) => ({ ...place, text: garble(textAt(place)) });
      const changes = (place: Place) => put(place).text !== textAt(place);
      const garbled = (where: string, places: Place[]) =>
        mutation(page, `${field} garbled`, `${field} ${how}, ${where}`, places.map(put));
      for (const { item, place } of pickSome(all)) if (changes(item)) yield garbled(place, [item]);
      if (all.length > 1 && all.some(changes)) yield garbled('all', all);
    }
    for (const [one, other] of [
      [0, 1],
      [0, all.length - 1],
      [Math.floor(all.length / 2), all.length - 1],
    ] as const) {
      if (one >= other || other >= all.length) continue;
      const [first, second] = [all[one]!, all[other]!];
      const name = `${field} ${one + 1} and ${other + 1} exchanged`;
      yield mutation(page, `${field} exchanged`, name, [
        { ...first, text: textAt(second) },
        { ...second, text: textAt(first) },
      ]);
    }
  }
}

type Place = Pick<Span, 'start' | 'end'>;

function placesOf(page: Markup, make: RegExp, attribute: string | undefined): Place[] {
  const makes = new Set(page.elements.map((one) => one.make).filter((one) => make.test(one)));
  return [...makes]
    .flatMap((one) => elementsOf(page, one))
    .flatMap(({ innerStart, innerEnd, attributes }): Place[] => {
      const textStart = Math.max(innerStart, page.html.lastIndexOf('>', innerEnd - 1) + 1);
      if (!attribute) return textStart < innerEnd ? [{ start: textStart, end: innerEnd }] : [];
      const found = attributes.find(({ name }) => name === attribute);
      return found ? [{ start: found.end - found.value.length - 1, end: found.end - 1 }] : [];
    });
}
