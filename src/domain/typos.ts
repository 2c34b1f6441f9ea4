/** The nearest of the words, with at most every third letter wrong; undefined if none is near. */
export function findNearest(word: string, known: readonly string[]): string | undefined {
  const near = known
    .map((one) => ({ one, typos: countTypos(word.toLowerCase(), one) }))
    .filter(({ one, typos }) => typos <= Math.max(1, Math.floor(one.length / 3)));
  return near.toSorted((a, b) => a.typos - b.typos)[0]?.one;
}

/** How many letters have to be added, left out, changed or swapped with the next one to make one word of the other. */
export function countTypos(one: string, other: string): number {
  const rows = [Array.from({ length: other.length + 1 }, (_, end) => end)];
  for (let row = 1; row <= one.length; row += 1) {
    const typos = [row];
    for (let end = 1; end <= other.length; end += 1) {
      const before = rows[row - 1]!;
      const changed = before[end - 1]! + (one[row - 1] === other[end - 1] ? 0 : 1);
      const isSwapped = one[row - 1] === other[end - 2] && one[row - 2] === other[end - 1];
      const swapped = isSwapped ? (rows[row - 2]?.[end - 2] ?? Infinity) + 1 : Infinity;
      typos.push(Math.min(before[end]! + 1, typos[end - 1]! + 1, changed, swapped));
    }
    rows.push(typos);
  }
  return rows.at(-1)!.at(-1)!;
}
