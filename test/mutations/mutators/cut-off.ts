import { type Markup, type Mutation, pickSome } from '../markup.ts';

/** The page cut off: before, within and after a tag of each make, evenly over the page, and at each of its last characters. */
export function* cutOff({ html, elements }: Markup): Generator<Mutation> {
  const makes = Map.groupBy(elements, ({ make }) => make);
  const atTags = [...makes.values()].flatMap((all) =>
    pickSome(all).flatMap(({ item: { start, innerStart, innerEnd, end } }) => [
      start,
      start + 2,
      innerStart - 1,
      innerStart,
      Math.floor((innerStart + innerEnd) / 2),
      innerEnd,
      end - 1,
      end,
    ]),
  );
  const evenly = Array.from({ length: 40 }, (_, step) => Math.floor((html.length * step) / 40));
  const end = html.lastIndexOf('</html>');
  const atEnd = Array.from({ length: 40 }, (_, left) => end + 10 - left);
  for (const at of new Set([...atTags, ...evenly, ...atEnd, html.length - 2])) {
    yield { kind: 'cut off', name: `cut off at ${at} of ${html.length}`, apply: () => html.slice(0, at) };
  }
}
