import { AppError } from '../domain/errors.ts';
import {
  type CheckedDependencies,
  type DependencyCheck,
  type DependencyChecks,
  type DependencyName,
  type DependencyReasons,
  UNKNOWN_FAILURE,
} from '../domain/health.ts';
import type { OperationalEvent, Report } from '../domain/operational-event.ts';
import { type CheckFailure, runCheckOnce } from './dependency-check.ts';

/** A change is noticed after this time and the timeout of a check: within five seconds. */
const CHECK_EVERY_MS = 1_500;

interface CheckingOptions {
  checks: DependencyChecks;
  report: Report;
  /** Called with the states of all, first when each is known, then whenever one has changed. */
  onChange: (states: CheckedDependencies, reasons: DependencyReasons) => void;
  /** Monotonic clock, ms. */
  elapsedMs: () => number;
}

export interface RunningChecks {
  /** Takes the success of real work as evidence that a dependency works, even if a running check fails. */
  noteSuccess(name: DependencyName): void;
  stop(): void;
}

/**
 * Checks each dependency again and again, independently of the others, and reports when it starts and stops failing. The next
 * check begins when the last one has ended. A dependency is down when a check fails or takes too long, unless real work
 * succeeded meanwhile. While the process itself gets no CPU time, a long wait does not count, and a failure counts only when
 * the next check fails as well.
 */
export function checkDependencies({ checks, report, onChange, elapsedMs }: CheckingOptions): RunningChecks {
  // `Object.entries` loses the type of the names.
  const entries = Object.entries(checks) as [DependencyName, DependencyCheck][];
  const states: CheckedDependencies = {};
  const reasons: DependencyReasons = {};
  const downSince = new Map<DependencyName, number>();
  /** The dependencies that refused this process in one place: work that succeeds in another place proves nothing about it. */
  const refused = new Set<DependencyName>();
  /** When real work last succeeded. */
  const workedAt = new Map<DependencyName, number>();
  let isStopped = false;

  function note(name: DependencyName, state: 'ok' | 'down', error?: unknown): void {
    const reason = state === 'down' ? publicReason(error) : undefined;
    if ((states[name] === state && reasons[name] === reason) || isStopped) return;
    const hasChanged = states[name] !== state;
    states[name] = state;
    if (state === 'down' && isRefusal(error)) refused.add(name);
    else refused.delete(name);
    if (reason === undefined) delete reasons[name];
    else reasons[name] = reason;
    if (hasChanged) reportChange(name, state, error);
    if (Object.keys(states).length === entries.length) onChange({ ...states }, { ...reasons });
  }

  function reportChange(name: DependencyName, state: 'ok' | 'down', error: unknown): void {
    const since = downSince.get(name);
    if (state === 'down') {
      downSince.set(name, elapsedMs());
      // The message of such an error is for clients, its cause for the operator.
      report({ type: 'dependency-down', name, error: (error instanceof AppError && error.cause) || error });
    } else if (since !== undefined) {
      report({ type: 'dependency-restored', name, downMs: elapsedMs() - since });
    }
  }

  /** `isDoubted`: whether the last check failed without proving anything. */
  async function run(name: DependencyName, check: DependencyCheck, isDoubted = false): Promise<void> {
    let isUnproven = false;
    await runCheckOnce(check, elapsedMs, (failure) => {
      if (!failure || isOutweighed(name, failure)) return note(name, 'ok');
      isUnproven = !failure.isProof && !isDoubted;
      if (!isUnproven) note(name, 'down', failure.error);
    });
    if (!isStopped) setTimeout(run, CHECK_EVERY_MS, name, check, isUnproven).unref();
  }

  /** Whether real work has succeeded since a failed check: from its beginning, or since the check before where it was refused. */
  function isOutweighed(name: DependencyName, { error, startedAt, isTimeout }: CheckFailure): boolean {
    const since = isTimeout ? startedAt : startedAt - CHECK_EVERY_MS;
    return !isRefusal(error) && (workedAt.get(name) ?? Number.NEGATIVE_INFINITY) >= since;
  }

  for (const [name, check] of entries) void run(name, check);
  return {
    noteSuccess(name) {
      if (!(name in checks)) return;
      workedAt.set(name, elapsedMs());
      if (states[name] === 'down' && !refused.has(name)) note(name, 'ok');
    },
    stop() {
      isStopped = true;
    },
  };
}

/** Only the message of an AppError may be public. */
function publicReason(error: unknown): string {
  return error instanceof AppError ? error.message : UNKNOWN_FAILURE;
}

/** Whether the system denies this process access, for instance to one of many folders. */
function isRefusal(error: unknown): boolean {
  const { code = '' } = ((error as Error).cause ?? error) as NodeJS.ErrnoException;
  return ['EACCES', 'EPERM', 'EROFS'].includes(code);
}

/** The dependency that must have worked for an event to happen; undefined for any other event. */
export function workedFor(event: OperationalEvent): DependencyName | undefined {
  if (event.type === 'upload-received') return 'storage';
  return event.type === 'upload-scanned' && event.outcome !== 'failed' ? 'scanner' : undefined;
}
