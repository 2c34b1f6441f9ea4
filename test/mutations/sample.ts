import { createRandom } from '../support/create-random.ts';
import type { Mutation } from './markup.ts';

/** `MUTATIONS=all` tries every broken page; without it, a sample that is the same each time. */
export const ALL = process.env.MUTATIONS === 'all';

/** One of each kind by lot, then others, `count` in all; of all, every `step`th. */
export function sampleOf(mutations: readonly Mutation[], count: number, step = 1): Mutation[] {
  if (ALL) return mutations.filter((_, index) => index % step === 0);
  const random = createRandom(mutations.length);
  const shuffled = mutations
    .map((mutation) => ({ mutation, lot: random() }))
    .sort((a, b) => a.lot - b.lot)
    .map(({ mutation }) => mutation);
  const ofEachKind = new Set(
    [...Map.groupBy(shuffled, ({ kind }) => kind).values()].map(([first]) => first!),
  );
  return [...new Set([...ofEachKind, ...shuffled])].slice(0, count);
}

/** Counts outcomes and puts them into one line. */
export function createRequestCounter(what: string) {
  const counts = new Map<string, number>();
  return {
    add: (outcome: string) => void counts.set(outcome, (counts.get(outcome) ?? 0) + 1),
    toString() {
      const sum = [...counts.values()].reduce((total, count) => total + count, 0);
      const parts = [...counts].sort().map(([outcome, count]) => `${outcome} ${count}`);
      return `${what}: ${sum} broken pages: ${parts.join(', ')}`;
    },
  };
}
