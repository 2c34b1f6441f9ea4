import { type Markup, type Mutation, mutateAllAndSome } from '../markup.ts';

/** Each attribute of each make of element removed, and emptied: everywhere, and on one. */
export function* breakAttributes(page: Markup): Generator<Mutation> {
  const places = page.elements.flatMap(({ make, attributes }) =>
    attributes.map(({ name, start, end }) => ({ what: `${make}[${name}]`, name, start, end })),
  );
  for (const [what, all] of Map.groupBy(places, (place) => place.what))
    for (const how of ['removed', 'emptied'])
      yield* mutateAllAndSome(page, [`attribute ${how}`, `attribute ${how}`], all, {
        name: (place) => `${what} ${how}${place ? '' : ' everywhere'}`,
        put: ({ name, start, end }) => ({ start, end, text: how === 'removed' ? '' : `${name}=""` }),
      });
}
