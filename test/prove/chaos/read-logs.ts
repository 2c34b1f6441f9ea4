import { readFile } from 'node:fs/promises';
import { type FaultKind, type Journal, PROCESS_FAULTS, REDIS_FAULTS, S3_FAULTS } from './journal.ts';
import type { SupervisedProcess } from './supervised-process.ts';

/** What the logs of all processes contain; counts by kind. */
export interface LogFindings {
  threadRestarts: Record<string, number>;
  /** Errors that no fault explains. */
  errors: Record<string, number>;
  /** Lines that are not log records, such as a crash or a warning of Node; without those of failed starts. */
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
/** The supervisor counts these. */
const FAILED_START = 'Tayang cannot start: ';
/** How long after a fault its line may come, because of timeouts and polling. */
const NOTICED_MS = 15_000;

/** The faults that explain such a line. Nothing explains any other failed request or dropped message. */
function causesOf({ type, name, code, err }: LogLine): FaultKind[] {
  // The response had begun, so it could not become a 503.
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
