import {
  type Edit,
  elementsOf,
  type Markup,
  type Mutation,
  makesOf,
  mutateAllAndSome,
  mutation,
  pickSome,
  type Span,
  textOf,
} from '../markup.ts';

type Break = (page: Markup, span: Span) => Edit[];

const put = (start: number, end: number, text: string): Edit[] => [{ start, end, text }];

/** The mutations of one element. Those of end tags skip an element without one. */
const BREAKS: Record<string, Break> = {
  'element removed': (_page, { start, end }) => put(start, end, ''),
  'element emptied': (_page, { innerStart, innerEnd }) => put(innerStart, innerEnd, ''),
  'start tag lost': (_page, { start, innerStart }) => put(start, innerStart, ''),
  'end tag lost': (_page, { innerEnd, end }) => put(innerEnd, end, ''),
  'end tag twice': (_page, { tag, end }) => put(end, end, `</${tag}>`),
  'tags lost': (_page, { start, innerStart, innerEnd, end }) => [
    ...put(start, innerStart, ''),
    ...put(innerEnd, end, ''),
  ],
  'element twice': (page, span) => put(span.end, span.end, textOf(page, span)),
  'element commented out': (page, span) => put(span.start, span.end, `<!--${textOf(page, span)}-->`),
  'tag renamed': ({ html }, { tag, start, innerStart, innerEnd, end }) => [
    ...put(start, start + 1 + tag.length, '<bdo'),
    ...(end > innerEnd && html.startsWith('</', innerEnd) && end > innerStart
      ? put(innerEnd, end, '</bdo>')
      : []),
  ],
};

/** Each make of element broken in each way: one of them, and all of them. */
export function* breakElements(page: Markup): Generator<Mutation> {
  for (const make of makesOf(page)) {
    const all = elementsOf(page, make);
    const areApart = all.every((one, index) => one.end <= (all[index + 1]?.start ?? one.end));
    for (const [kind, breakOne] of Object.entries(BREAKS)) {
      for (const { item, place } of pickSome(all)) {
        const edits = breakOne(page, item).filter(({ start, end, text }) => end > start || text !== '');
        if (edits.length > 0) yield mutation(page, kind, `${make}: ${kind}, ${place}`, edits);
      }
      if (all.length > 1 && areApart) {
        const edits = all.flatMap((one) => breakOne(page, one));
        yield mutation(page, kind, `${make}: ${kind}, all ${all.length}`, edits);
      }
    }
  }
}

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
