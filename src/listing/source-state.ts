import type { AppError } from '../domain/errors.ts';
import type { Shrinkage } from './shrinkage.ts';

/** How the source was at the last attempt. */
export type SourceState = 'ok' | 'blocked' | 'moved' | 'changed' | 'down';

/** What every process on the same store knows of the source and of the last attempts; times in ms since 1970. */
export interface Status {
  /** Null before the first attempt. */
  state: SourceState | null;
  /** Since when the source has been in that state. */
  since: number | null;
  /** Why it is not ok. */
  reason: string | null;
  /** The end of the last attempt, whatever came of it. */
  attemptedAt: number | null;
  /** The end of the last good crawl. */
  refreshedAt: number | null;
  /** When the stored snapshot last changed. */
  changedAt: number | null;
  /** When the timer is to crawl next after that one; null where nothing is timed. */
  dueAt: number | null;
  /** The origin that served the last good crawl. */
  mirror: string | null;
  /** A share (0 to 1) of the jitter, drawn once an installation, so that all its processes keep the same time. */
  jitter: number;
  /** A much shorter listing, refused until it has lasted. */
  shrinkage: Shrinkage | null;
}

export function initialStatus(jitter: number): Status {
  return {
    state: null,
    since: null,
    reason: null,
    attemptedAt: null,
    refreshedAt: null,
    changedAt: null,
    dueAt: null,
    mirror: null,
    jitter,
    shrinkage: null,
  };
}

export function afterSuccess(
  status: Status,
  now: number,
  good: Pick<Status, 'mirror' | 'changedAt' | 'dueAt'>,
): Status {
  return { ...enter(status, 'ok', null, now), ...good, refreshedAt: now, shrinkage: null };
}

export function afterFailure(status: Status, now: number, error: AppError): Status {
  return enter(status, stateOf(error), error.message, now);
}

function enter(status: Status, state: SourceState, reason: string | null, now: number): Status {
  const since = status.state === state ? status.since : now;
  return { ...status, state, since, reason, attemptedAt: now };
}

function stateOf(error: AppError): SourceState {
  switch (error.code) {
    case 'source-blocked':
      return 'blocked';
    case 'source-moved':
      return 'moved';
    case 'source-down':
      return 'down';
    default:
      return 'changed';
  }
}
