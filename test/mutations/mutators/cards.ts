import { edit, elementsOf, type Markup, type Mutation, pickSome, type Span, textOf } from '../markup.ts';

/** Cards, and groups of the schedule, dropped, doubled, exchanged and put into another order. */
export function* moveCards(page: Markup): Generator<Mutation> {
  yield* move(page, 'card', elementsOf(page, 'li'));
  yield* move(page, 'group', elementsOf(page, 'div.kglist321'));
}

function* move(page: Markup, what: string, all: Span[]): Generator<Mutation> {
  const { html } = page;
  const remove = (spans: Span[]) =>
    edit(
      html,
      spans.map(({ start, end }) => ({ start, end, text: '' })),
    );
  const write = (texts: string[]) =>
    edit(
      html,
      all.map(({ start, end }, index) => ({ start, end, text: texts[index]! })),
    );
  const texts = all.map((span) => textOf(page, span));

  for (const { item, place } of pickSome(all)) {
    yield { kind: `${what} dropped`, name: `${what} ${place} dropped`, apply: () => remove([item]) };
  }
  for (const count of [2, 5, Math.ceil(all.length / 2), all.length - 1, all.length].filter(
    (n) => n <= all.length,
  )) {
    if (count < 2) continue;
    for (const [where, some] of [
      ['first', all.slice(0, count)],
      ['last', all.slice(-count)],
    ] as const) {
      const name = `the ${where} ${count} ${what}s of ${all.length} dropped`;
      yield { kind: `${what}s dropped`, name, apply: () => remove(some) };
    }
  }
  for (const { item, place } of pickSome(texts)) {
    for (const { item: at, place: where } of pickSome(all)) {
      const put = { start: at.end, end: at.end, text: item };
      yield {
        kind: `${what} doubled`,
        name: `${what} ${place} again after ${where}`,
        apply: () => edit(html, [put]),
      };
    }
    for (const { item: at, place: where } of pickSome(all)) {
      if (textOf(page, at) === item) continue;
      const put = { start: at.start, end: at.end, text: item };
      yield {
        kind: `${what} in another's place`,
        name: `${what} ${place} in place of ${where}`,
        apply: () => edit(html, [put]),
      };
    }
  }
  if (all.length < 2) return;
  yield { kind: `${what}s reordered`, name: `${what}s reversed`, apply: () => write(texts.toReversed()) };
  yield {
    kind: `${what}s reordered`,
    name: `${what}s rotated`,
    apply: () => write([...texts.slice(1), texts[0]!]),
  };
  yield {
    kind: `${what}s reordered`,
    name: `the first and the last ${what} exchanged`,
    apply: () => write([texts.at(-1)!, ...texts.slice(1, -1), texts[0]!]),
  };
}
