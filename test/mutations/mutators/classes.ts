import { type Markup, type Mutation, mutateAllAndSome } from '../markup.ts';

/** Each class name of the page renamed: everywhere, and where it occurs once. */
export function* renameClasses(page: Markup): Generator<Mutation> {
  const places = page.elements.flatMap(({ make, attributes }) =>
    attributes
      .filter(({ name }) => name === 'class')
      .flatMap(({ value, start, end }) => value.split(' ').map((name) => ({ name, make, start, end }))),
  );
  for (const [name, all] of Map.groupBy(places, (place) => place.name)) {
    const word = new RegExp(`(?<![\\w-])${RegExp.escape(name)}(?![\\w-])`, 'u');
    yield* mutateAllAndSome(page, ['class renamed everywhere', 'class renamed once'], all, {
      name: (place) => `class ${name} renamed${place ? ` on ${place.make}` : ''}`,
      put: ({ start, end }) => ({ start, end, text: page.html.slice(start, end).replace(word, 'baru123') }),
    });
  }
}
