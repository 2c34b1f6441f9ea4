import { type Markup, type Mutation, mutation, pickSome } from '../markup.ts';

/** The text torn without regard for its tags: cut off, a piece lost, a character lost. */
export function* tear(page: Markup): Generator<Mutation> {
  yield* cutOff(page);
  yield* losePieces(page);
  yield* loseDelimiters(page);
}

/** Before, within and after a tag of each make, evenly over the page, and at each of its last characters. */
function* cutOff({ html, elements }: Markup): Generator<Mutation> {
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

/** A piece is missing while the end is there: from one card into another, or within one. */
function* losePieces(page: Markup): Generator<Mutation> {
  const inner = page.elements.filter(({ end, innerEnd }) => end > innerEnd);
  for (const step of [1, 3, 11, 40]) {
    for (const { item, place } of pickSome(inner.slice(0, -step))) {
      const other = inner[inner.indexOf(item) + step]!;
      for (const [from, to] of [
        [item.start, other.start],
        [item.innerStart, other.innerStart],
        [item.innerStart + 1, other.innerStart + 1],
        [item.start + 2, other.start + 2],
        [item.innerStart, Math.max(other.innerEnd, item.innerStart)],
      ] as const) {
        if (to <= from) continue;
        const name = `${to - from} characters lost at ${from} (${item.make} ${place}, to ${other.make})`;
        yield mutation(page, 'piece lost', name, [{ start: from, end: to, text: '' }]);
      }
    }
  }
}

/** One quote, bracket, slash or equals sign, of each make of element. */
function* loseDelimiters(page: Markup): Generator<Mutation> {
  for (const [make, all] of Map.groupBy(page.elements, (element) => element.make))
    for (const { item, place } of pickSome(all))
      for (const [from, to] of [
        [item.start, item.innerStart],
        [item.innerEnd, item.end],
      ] as const)
        for (const { index, 0: sign } of page.html.slice(from, to).matchAll(/[<>"'=]|(?<=<)\//gu)) {
          const at = from + index;
          const edit = { start: at, end: at + 1, text: '' };
          yield mutation(page, 'delimiter lost', `${sign} lost at ${at} (${make} ${place})`, [edit]);
        }
}
