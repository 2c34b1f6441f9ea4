import { edit, type Markup, type Mutation, pickSome } from '../markup.ts';

/** Each class name of the page renamed: everywhere, and where it occurs once. */
export function* renameClasses({ html, elements }: Markup): Generator<Mutation> {
  const places = elements.flatMap(({ make, attributes }) =>
    attributes
      .filter(({ name }) => name === 'class')
      .flatMap(({ value, start, end }) => value.split(' ').map((name) => ({ name, make, start, end }))),
  );
  for (const [name, all] of Map.groupBy(places, (place) => place.name)) {
    const word = new RegExp(`(?<![\\w-])${RegExp.escape(name)}(?![\\w-])`, 'u');
    const rename = ({ start, end }: { start: number; end: number }) => ({
      start,
      end,
      text: html.slice(start, end).replace(word, 'baru123'),
    });
    yield {
      kind: 'class renamed everywhere',
      name: `class ${name} renamed`,
      apply: () => edit(html, all.map(rename)),
    };
    for (const { item, place } of pickSome(all)) {
      yield {
        kind: 'class renamed once',
        name: `class ${name} renamed on ${item.make}, ${place}`,
        apply: () => edit(html, [rename(item)]),
      };
    }
  }
}
