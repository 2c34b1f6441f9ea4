import { createTask, type TaskContext, validateDetailed } from 'node-cron';

/** The most by which an installation lags behind the full minute, at which all the others knock at the source too. */
const MOST_JITTER_MS = 60_000;
const SECOND = 1_000;

export interface RefreshTimer {
  /** Calls back at every moment until it is stopped. `moment`: the planned one, ms since 1970. */
  start(onMoment: (moment: number) => void): void;
  stop(): void;
  /** The first moment after now that is not before `earliest`, jitter included; all in ms since 1970. */
  nextMoment(earliest?: number): number;
  /** The least time between two moments, ms. */
  intervalMs: number;
}

export interface RefreshTimerOptions {
  expression: string;
  timeZone: string;
  /** This installation's share of the jitter, 0 to 1. */
  jitterShare: number;
}

const RUNS_LOOKED_AT = 10;

/** Says what is wrong with a cron expression; undefined when nothing is. */
export function describeCronError(expression: string): string | undefined {
  const { valid, errors } = validateDetailed(expression);
  return valid ? undefined : (errors[0]?.message ?? 'it is no cron expression');
}

export function createRefreshTimer({ expression, timeZone, jitterShare }: RefreshTimerOptions): RefreshTimer {
  let callBack: (moment: number) => void = () => {};
  const delayed = new Set<NodeJS.Timeout>();
  const silent = { info() {}, warn() {}, error() {}, debug() {} };
  const task = createTask(expression, fire, { timezone: timeZone, logger: silent });
  const intervalMs = findLeastInterval(task.getNextRuns(RUNS_LOOKED_AT));
  const jitter = Math.round(jitterShare * Math.min(MOST_JITTER_MS, intervalMs / 2));
  // A laptop that wakes up has missed its moment; it is late, not lost.
  task.on('execution:missed', fire);

  function fire({ date }: TaskContext): void {
    const timer = setTimeout(() => {
      delayed.delete(timer);
      callBack(date.getTime() + jitter);
    }, jitter);
    delayed.add(timer);
  }

  return {
    intervalMs,
    nextMoment(earliest = 0) {
      const now = Date.now();
      const oldest = Math.ceil((now - jitter + 1) / SECOND) * SECOND;
      for (let started = oldest; started <= now; started += SECOND) {
        if (started + jitter >= earliest && task.match(new Date(started))) return started + jitter;
      }
      const moments = task
        .getNextRuns(earliest > now ? RUNS_LOOKED_AT : 1)
        .map((run) => run.getTime() + jitter);
      return moments.find((moment) => moment >= earliest) ?? earliest;
    },
    start(onMoment) {
      callBack = onMoment;
      void task.start();
    },
    stop() {
      void task.destroy();
      for (const timer of delayed) clearTimeout(timer);
    },
  };
}

function findLeastInterval(runs: Date[]): number {
  const gaps = runs.slice(1).map((run, index) => run.getTime() - (runs[index]?.getTime() ?? 0));
  return Math.min(...gaps);
}
