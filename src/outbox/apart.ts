import type { Cursor } from './cursor.ts';
import type { Behind } from './receiver.ts';

/** A recipient that is not where the others are: a message to it is under way, has failed, or has to wait. */
export interface Apart {
  cursor: Cursor;
  failures: number;
  /** Whether nothing is left to do but to be taken up by the others. */
  isIdle: boolean;
}

/** As they are stored: most of them share a cursor. */
export function groupByCursor(apart: ReadonlyMap<string, Apart>): Behind[] {
  const groups = Map.groupBy(apart, ([, { cursor }]) => cursor.position);
  return [...groups.values()].map((group) => {
    // A group has at least one.
    const { position, eventAt, noticeAt } = group[0]![1].cursor;
    return { position, eventAt, noticeAt, keys: group.map(([key]) => key) };
  });
}

export function ungroup(behind: readonly Behind[]): Map<string, Apart> {
  return new Map(
    behind.flatMap(({ keys, ...cursor }) =>
      keys.map((key) => [key, { cursor, failures: 0, isIdle: false }] as const),
    ),
  );
}
