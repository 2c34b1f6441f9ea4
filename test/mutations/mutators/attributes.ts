import { edit, type Markup, type Mutation, pickSome } from '../markup.ts';

/** Each attribute of each make of element removed, and emptied: everywhere, and on one. */
export function* breakAttributes({ html, elements }: Markup): Generator<Mutation> {
  const places = elements.flatMap(({ make, attributes }) =>
    attributes.map(({ name, start, end }) => ({ what: `${make}[${name}]`, name, start, end })),
  );
  for (const [what, all] of Map.groupBy(places, (place) => place.what)) {
    for (const [how, text] of [
      ['removed', () => ''],
      ['emptied', (name: string) => `${name}=""`],
    ] as const) {
      const put = ({ name, start, end }: (typeof all)[number]) => ({ start, end, text: text(name) });
      yield {
        kind: `attribute ${how}`,
        name: `${what} ${how} everywhere`,
        apply: () => edit(html, all.map(put)),
      };
      for (const { item, place } of pickSome(all)) {
        yield {
          kind: `attribute ${how}`,
          name: `${what} ${how}, ${place}`,
          apply: () => edit(html, [put(item)]),
        };
      }
    }
  }
}
