import { createWriteStream } from 'node:fs';
import path from 'node:path';

export type FaultKind =
  | 'kill'
  | 'stop'
  | 'freeze'
  | 'redis-cut'
  | 'redis-stall'
  | 'redis-flush'
  | 'redis-restart'
  | 'redis-pause'
  | 's3-stall'
  | 's3-error'
  | 's3-refuse'
  | 's3-cut'
  | 'hog';

/** An injected fault; ms since 1970. `to` is Infinity while it lasts. `process`: undefined if it affects all. */
export interface Fault {
  kind: FaultKind;
  process: number | undefined;
  from: number;
  to: number;
}

/**
 * How long after its end a fault still explains a failure: connections are opened again, health checks notice, requests in
 * flight fail, and work that has waited is done.
 */
const AFTER_MS = 15_000;

export const REDIS_FAULTS: FaultKind[] = [
  'redis-cut',
  'redis-stall',
  'redis-flush',
  'redis-restart',
  'redis-pause',
];
export const S3_FAULTS: FaultKind[] = ['s3-stall', 's3-error', 's3-refuse', 's3-cut'];
/** A process is gone or does not answer, so its requests in flight are cut. A stop by SIGTERM cuts nothing. */
export const PROCESS_FAULTS: FaultKind[] = ['kill', 'freeze'];

export interface Journal {
  faults: Fault[];
  /** Notes that a fault begins. Returns the function that notes its end. */
  begin(kind: FaultKind, process?: number): () => void;
  /** Whether a fault of one of these kinds, of this process or of all, overlaps that time. */
  explains(kinds: readonly FaultKind[], from: number, to: number, process?: number): boolean;
  /** Appends a line to one of the files of the run. */
  write(file: 'faults' | 'clients' | 'source' | 'messages', line: object): void;
  close(): Promise<void>;
}

export function openJournal(folder: string): Journal {
  const faults: Fault[] = [];
  const files = new Map<string, ReturnType<typeof createWriteStream>>();

  function write(file: string, line: object): void {
    const stream = files.get(file) ?? createWriteStream(path.join(folder, `${file}.jsonl`));
    files.set(file, stream);
    stream.write(`${JSON.stringify({ time: new Date().toISOString(), ...line })}\n`);
  }

  return {
    faults,
    begin(kind, process) {
      const fault: Fault = { kind, process, from: Date.now(), to: Infinity };
      faults.push(fault);
      write('faults', { begin: kind, process });
      return () => {
        fault.to = Date.now();
        write('faults', { end: kind, process });
      };
    },
    explains: (kinds, from, to, process) =>
      faults.some(
        (fault) =>
          kinds.includes(fault.kind) &&
          (process === undefined || fault.process === undefined || fault.process === process) &&
          fault.from <= to &&
          fault.to + AFTER_MS >= from,
      ),
    write,
    close: async () =>
      void (await Promise.all(
        [...files.values()].map((stream) => new Promise<void>((resolve) => stream.end(resolve))),
      )),
  };
}
