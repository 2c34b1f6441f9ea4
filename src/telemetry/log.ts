import { type Logger, pino } from 'pino';
import { AppError } from '../domain/errors.ts';
import type { Report } from '../domain/operational-event.ts';
import { describeEvent, levelOf } from './describe-event.ts';

/** The maximum number of items of a list in a line: pages of the source can link to any number of anime. */
const MAX_ITEMS = 20;

/**
 * Opens the log on the standard output: JSON lines on a pipe; on a terminal the messages alone, and the stacks of
 * unexpected errors. Writes are synchronous, so that the last line before a crash is written.
 */
export async function createLog(level: string, stream: NodeJS.WriteStream = process.stdout): Promise<Logger> {
  if (stream.isTTY) {
    const { default: pretty } = await import('pino-pretty');
    const include = 'time,level,err';
    return pino(
      { level },
      pretty({ sync: true, include, translateTime: 'SYS:HH:MM:ss o', destination: stream }),
    );
  }
  return pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime },
    pino.destination({ fd: 1, sync: true }),
  );
}

/** Creates a report that writes operational events to a log. */
export function createReport(log: Logger): Report {
  // Supervisors and scripts wait for `listening`, so that line is written at every level.
  const always = log.child({}, { level: 'info' });

  return (event) => {
    const level = levelOf(event);
    const target = event.type === 'listening' ? always : log;
    if (target.isLevelEnabled(level))
      target[level](truncateLists(withErrorCode(event)), describeEvent(event));
  };
}

/** An expected error is logged by its code; of any other, pino's `err` holds the stack. */
function withErrorCode(details: object): object {
  if (!('error' in details)) return details;
  const { error, ...rest } = details;
  return { ...rest, ...(error instanceof AppError ? { code: error.code } : { err: error }) };
}

function truncateLists(details: object): object {
  const entries = Object.entries(details);
  return Object.fromEntries(
    entries.map(([name, value]) => [name, Array.isArray(value) ? value.slice(0, MAX_ITEMS) : value]),
  );
}
