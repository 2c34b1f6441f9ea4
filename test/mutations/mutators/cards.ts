import { elementsOf, type Markup, type Mutation, mutation, pickSome, type Span, textOf } from '../markup.ts';

/** Cards, and groups of the schedule, dropped, doubled, exchanged and put into another order. */
export function* moveCards(page: Markup): Generator<Mutation> {
  yield* move(page, 'card', elementsOf(page, 'li'));
  yield* move(page, 'group', elementsOf(page, 'div.kglist321'));
}

function* move(page: Markup, what: string, all: Span[]): Generator<Mutation> {
  const texts = all.map((span) => textOf(page, span));
  const put = ({ start, end }: Span, text = '') => ({ start, end, text });
  const reordered = (name: string, order: readonly string[]) =>
    mutation(
      page,
      `${what}s reordered`,
      name,
      all.map((span, index) => put(span, order[index])),
    );

  for (const { item, place } of pickSome(all))
    yield mutation(page, `${what} dropped`, `${what} ${place} dropped`, [put(item)]);
  for (const count of [2, 5, Math.ceil(all.length / 2), all.length - 1, all.length]) {
    if (count < 2 || count > all.length) continue;
    for (const [where, some] of Object.entries({ first: all.slice(0, count), last: all.slice(-count) })) {
      const name = `the ${where} ${count} ${what}s of ${all.length} dropped`;
      yield mutation(
        page,
        `${what}s dropped`,
        name,
        some.map((span) => put(span)),
      );
    }
  }
  for (const { item: text, place } of pickSome(texts)) {
    for (const { item: at, place: where } of pickSome(all)) {
      const again = { start: at.end, end: at.end, text };
      yield mutation(page, `${what} doubled`, `${what} ${place} again after ${where}`, [again]);
    }
    for (const { item: at, place: where } of pickSome(all)) {
      if (textOf(page, at) === text) continue;
      const name = `${what} ${place} in place of ${where}`;
      yield mutation(page, `${what} in another's place`, name, [put(at, text)]);
    }
  }
  if (all.length < 2) return;
  yield reordered(`${what}s reversed`, texts.toReversed());
  yield reordered(`${what}s rotated`, [...texts.slice(1), texts[0]!]);
  const ends = [texts.at(-1)!, ...texts.slice(1, -1), texts[0]!];
  yield reordered(`the first and the last ${what} exchanged`, ends);
}
