import { AppError } from '../domain/errors.ts';
import type { Status } from '../store/source-status.ts';
import type { Attempt } from './attempt.ts';
import { noteFailure } from './attempts.ts';
import { nextHealth, stateOf } from './source-health.ts';

/** Writes and reports a refusal, and throws it. Other errors are thrown as they are. */
export async function fail(attempt: Attempt, error: unknown): Promise<never> {
  const { store, lease, now, times, status, lastGood } = attempt;
  if (!(error instanceof AppError)) throw error;
  const limits = { ...times, hasSnapshot: lastGood !== undefined };
  const failed: Status = {
    ...status,
    health: nextHealth(status, stateOf(error), error.message, now()),
    attempts: noteFailure(status.attempts, now(), error, limits),
  };
  await store.write(lease, { status: failed });
  return refuseReading(attempt, error, failed);
}

/** Reports and throws a refusal. `refused`: the status because of it. */
export function refuseReading(
  { report, times, lastGood, status, now }: Attempt,
  error: AppError,
  refused: Status,
): never {
  const hasSnapshot = lastGood !== undefined;
  report({
    type: 'refresh-refused',
    error,
    isNews: refused.health.state !== status.health.state,
    hasSnapshot,
    nextAttempt: times.nextAttempt(refused, hasSnapshot, now())?.at ?? null,
  });
  throw error;
}
