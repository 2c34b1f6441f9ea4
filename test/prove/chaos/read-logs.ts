import { readFile } from 'node:fs/promises';
import { type FaultKind, type Journal, PROCESS_FAULTS, REDIS_FAULTS, S3_FAULTS } from './journal.ts';
import type { SupervisedProcess } from './supervised-process.ts';

/** What the logs of all processes say; counts by what it is. */
export interface LogFindings {
  threadRestarts: Record<string, number>;
  /** Errors that no fault explains. */
  errors: Record<string, number>;
  /** Lines that are not of the log, such as a crash or a warning of Node. A start that fails says so in such a line, too. */
  foreignLines: string[];
  explained: Record<string, number>;
}

interface LogLine {
  level: number;
  time: string;
  type?: string;
  name?: string;
  doing?: string;
  code?: string;
  thread?: string;
  msg: string;
  err?: { message: string };
}

const ERROR_LEVEL = 50;
/** These are counted by the supervisor. */
const FAILED_START = 'Tayang cannot start: ';
/** From the fault to the line: time-outs, and the watchers that ask now and then. */
const NOTICED_MS = 15_000;

/** The faults that make such a line true. No other request may fail, and no message be given up. */
function causesOf({ type, name, code, err }: LogLine): FaultKind[] {
  // The answer had begun, and cannot say any more that the storage is away.
  if (type === 'request-failed' && err?.message.startsWith('a file could not be read to its end'))
    return [...S3_FAULTS, ...PROCESS_FAULTS];
  if (type === 'store-failed')
    return [...(code === 'storage-down' ? S3_FAULTS : REDIS_FAULTS), ...PROCESS_FAULTS];
  if (type !== 'dependency-down') return [];
  if (name === 'storage') return [...S3_FAULTS, ...PROCESS_FAULTS];
  return name === 'quota'
    ? [...REDIS_FAULTS, ...S3_FAULTS, ...PROCESS_FAULTS]
    : [...REDIS_FAULTS, ...PROCESS_FAULTS];
}

export async function readLogs(
  processes: readonly SupervisedProcess[],
  journal: Journal,
): Promise<LogFindings> {
  const found: LogFindings = { threadRestarts: {}, errors: {}, foreignLines: [], explained: {} };
  const add = (to: Record<string, number>, what: string) => {
    to[what] = (to[what] ?? 0) + 1;
  };
  for (const { index, logFile } of processes) {
    const text = await readFile(logFile, 'utf8');
    for (const line of text.split('\n').filter(Boolean)) {
      const parsed = parse(line);
      if (line.startsWith(FAILED_START)) continue;
      if (!parsed) found.foreignLines.push(`process ${index + 1}: ${line.slice(0, 200)}`);
      else if (parsed.type === 'thread-failed')
        add(found.threadRestarts, `${parsed.thread}: ${parsed.err?.message ?? parsed.msg}`);
      else if (parsed.level >= ERROR_LEVEL || parsed.err) {
        const { type, name = parsed.doing ?? '' } = parsed;
        const at = Date.parse(parsed.time);
        const isExplained = journal.explains(causesOf(parsed), at - NOTICED_MS, at, index);
        add(isExplained ? found.explained : found.errors, `${type} ${name}`.trim());
      }
    }
  }
  return found;
}

function parse(line: string): LogLine | undefined {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
