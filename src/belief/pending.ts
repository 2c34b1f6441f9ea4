import { AppError } from '../domain/errors.ts';
import type { Part, Rival, Statement } from './statement.ts';

/** The pages are whole, but contradict the belief. */
export class PendingReading extends AppError {}

export interface Pending {
  /** What waits for other readings, for people. */
  reason: string;
  /** The time of the first reading that showed it, ms since 1970. */
  since: number;
}

/** The statements of a part that wait for other readings, and how many anime it has. */
export interface Waiting {
  part: Part;
  statements: readonly Statement[];
  size: number;
}

const PARTS: Record<Part, string> = { list: 'the ongoing list', schedule: 'the schedule' };

/** What waits in each part; undefined when nothing does. */
export function describePending(
  parts: readonly Waiting[],
  rivals: ReadonlyMap<Statement, Rival>,
): Pending | undefined {
  const times = parts
    .flatMap(({ statements }) => statements.flatMap((one) => rivals.get(one)?.since ?? []))
    .sort((a, b) => a - b);
  const since = times[Math.floor(times.length / 2)];
  if (since === undefined) return undefined;
  const reasons = parts.flatMap(({ part, statements, size }) => {
    const fields = [...new Set(statements.flatMap((one) => one.fields))];
    const contradictions = fields.map((field) => describeField(field, statements, size)).join('; ');
    return statements.length > 0 ? `${PARTS[part]} contradicts what is known: ${contradictions}` : [];
  });
  const advice =
    'it becomes the truth once three crawls over six hours agree, or with npm run refresh -- --force';
  return { reason: `${reasons.join('; ')}; ${advice}`, since };
}

/** `title differs on 24 of 25 anime: for instance, "A" contradicts the schedule` */
function describeField(field: string, waiting: readonly Statement[], size: number): string {
  const all = waiting.filter(({ fields }) => fields.some((one) => one === field));
  const example = all.find(({ fields }) => fields[0] === field) ?? all[0];
  if (field === 'gone') return `${all.length} of ${size} anime are gone, for instance "${example?.title}"`;
  if (field === 'slug') return `${all.length} of ${size} anime are new, for instance "${example?.title}"`;
  const { found, against } =
    example?.fault?.field === field ? example.fault : { found: example?.found, against: undefined };
  const contradicted = against ?? `the last good list, which has "${example?.known}"`;
  return `${field} differs on ${all.length} of ${size} cards: for instance, "${found}" of "${example?.title}" contradicts ${contradicted}`;
}
