import { AppError } from '../../domain/errors.ts';
import type { Difference } from './compare.ts';

const PARTS = { list: 'the ongoing list', week: 'the schedule' };

/** The pages are whole, and contradict what is known. */
export class PendingReading extends AppError {}

export interface Pending {
  /** What waits for other readings, for people. */
  reason: string;
  /** The time of the first reading that showed it, ms since 1970. */
  since: number;
}

/** Undefined when nothing is held. */
export function describePending(
  held: readonly Difference[],
  sizes: Record<Difference['part'], number>,
): Pending | undefined {
  const times = held.map(({ claim }) => claim.since).sort((one, other) => one - other);
  const since = times[Math.floor(times.length / 2)];
  if (since === undefined) return undefined;
  const byPart = Map.groupBy(held, ({ part }) => part);
  const reasons = [...byPart].map(([part, all]) => {
    const count = (field: string) => all.filter(({ fields }) => fields.includes(field));
    const fields = [...new Set(all.flatMap(({ fields: own }) => own))];
    return `${PARTS[part]} contradicts what is known: ${fields.map((field) => describeField(field, count(field), sizes[part])).join('; ')}`;
  });
  const advice =
    'it becomes the truth once three crawls over six hours agree, or with npm run refresh -- --force';
  return { reason: `${reasons.join('; ')}; ${advice}`, since };
}

/** `title differs on 24 of 25 anime: for instance, "A" contradicts the schedule` */
function describeField(field: string, all: readonly Difference[], size: number): string {
  const [one] = all;
  if (field === 'gone') return `${all.length} of ${size} anime are gone, for instance "${one?.title}"`;
  const example = all.find(({ fields }) => fields[0] === field) ?? one;
  const { found, against } =
    example?.fault?.field === field ? example.fault : { found: example?.found, against: undefined };
  const contradicted = against ?? `the last good list, which has "${example?.known}"`;
  return `${field} differs on ${all.length} of ${size} cards: for instance, "${found}" of "${example?.title}" contradicts ${contradicted}`;
}
