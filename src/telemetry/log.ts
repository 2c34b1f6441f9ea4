import { type Logger, pino } from 'pino';
import { AppError } from '../domain/errors.ts';
import type { OperationalEvent, Report } from '../domain/operational-event.ts';
import { describe } from './describe.ts';

/** How many items of a list one line holds: what a page links to is up to its author. */
const MAX_ITEMS = 20;

/** JSON lines on a pipe, readable lines on a terminal. Written at once: a line must survive the process it tells of. */
export async function createLog(level: string, stream: NodeJS.WriteStream = process.stdout): Promise<Logger> {
  if (stream.isTTY) {
    const { default: pretty } = await import('pino-pretty');
    return pino({ level }, pretty({ sync: true, ignore: 'pid,hostname', translateTime: 'SYS:HH:MM:ss' }));
  }
  return pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime },
    pino.destination({ fd: 1, sync: true }),
  );
}

/** The one place that decides what is worth which level, and what is said of it. */
export function createReport(log: Logger): Report {
  // Whoever starts the service waits for these lines, whatever the level.
  const always = log.child({}, { level: 'info' });

  return (event) => {
    const { type, ...details } = event;
    switch (event.type) {
      case 'listening':
        return always.info(details, `${event.origin} listening on ${event.address}`);
      case 'request-failed':
        return log.error({ ...details, err: event.error }, `${event.method} ${event.path} failed`);
      default: {
        const level = levelOf(event);
        if (log.isLevelEnabled(level)) log[level]({ type, ...shorten(withReason(details)) }, describe(event));
      }
    }
  };
}

function levelOf(event: OperationalEvent): 'debug' | 'info' | 'warn' | 'error' {
  switch (event.type) {
    case 'page-read':
    case 'refresh-started':
    case 'refresh-elsewhere':
    case 'upload-received':
    case 'limiter-refused':
    case 'request-answered':
      return 'debug';
    case 'connections-not-migrated':
    case 'attempt-failed':
    case 'mirror-failed':
    case 'card-omitted':
    case 'anime-missing':
    case 'limiter-degraded':
    case 'clock-jumped':
      return 'warn';
    case 'peek-finished':
      return event.changes > 0 ? 'info' : 'debug';
    case 'refresh-refused':
      return event.isNews ? 'warn' : 'debug';
    case 'store-failed':
    case 'store-damaged':
    case 'render-failed':
    case 'day-failed':
    case 'thread-failed':
    case 'request-failed':
      return 'error';
    default:
      return 'info';
  }
}

function withReason(details: object): object {
  if (!('error' in details)) return details;
  const { error, ...rest } = details;
  return { ...rest, ...(error instanceof AppError ? { code: error.code } : { err: error }) };
}

function shorten(details: object): object {
  const entries = Object.entries(details);
  return Object.fromEntries(
    entries.map(([name, value]) => [name, Array.isArray(value) ? value.slice(0, MAX_ITEMS) : value]),
  );
}
