import { type ChangingSource, type EventKey, keyOf } from './changing-source.ts';
import type { ClientLog } from './client-log.ts';
import type { FileFindings } from './file-reader.ts';
import type { Journal } from './journal.ts';
import type { Follower, Position } from './listing-clients.ts';
import type { LogFindings } from './read-logs.ts';
import { isInLog, type Settled } from './settle.ts';
import type { SupervisedProcess } from './supervised-process.ts';
import type { UploadLedger } from './uploaders.ts';
import type { WebhookLog } from './webhook-log.ts';

/** A line of the result. `mustBeZero`: whether any other count is a fault of the service. */
export interface Row {
  name: string;
  count: number;
  mustBeZero: boolean;
  /** The first cases. */
  examples: string[];
}

const EXAMPLES = 5;

const info = (name: string, count: number): Row => ({ name, count, mustBeZero: false, examples: [] });
const never = (name: string, found: readonly string[]): Row => ({
  name,
  count: found.length,
  mustBeZero: true,
  examples: found.slice(0, EXAMPLES),
});
const counts = (name: string, by: Record<string, number>, mustBeZero: boolean): Row => ({
  name,
  mustBeZero,
  count: Object.values(by).reduce((sum, one) => sum + one, 0),
  examples: Object.entries(by).map(([what, count]) => `${count} × ${what}`),
});

/** The repetitions in a list: each occurrence of a key after its first. */
const doubles = (keys: readonly EventKey[]) => keys.filter((key, index) => keys.indexOf(key) !== index);
const without = (keys: readonly EventKey[], others: readonly EventKey[]) => {
  const all = new Set(others);
  return keys.filter((key) => !all.has(key));
};

export interface Run {
  source: ChangingSource;
  settled: Settled;
  webhook: WebhookLog;
  poller: Follower;
  stream: Follower;
  clients: ClientLog;
  uploads: UploadLedger;
  files: FileFindings;
  /** Processes whose counts differ from what is stored. */
  miscounts: readonly string[];
  logs: LogFindings;
  processes: SupervisedProcess[];
  journal: Journal;
}

export async function countAll(run: Run): Promise<Row[]> {
  const { settled, source, journal } = run;
  const keys = settled.logs[0]?.events.map(keyOf) ?? [];
  const numbers = settled.logs[0]?.events.map(({ number }) => number) ?? [];
  return [
    info('faults injected', journal.faults.length),
    never('not settled at the end', settled.missing),
    info('seconds until everything had settled', Math.round(settled.tookMs / 1_000)),
    info('changes of the source', source.changes.length),
    never('changes that are not in the log', without(source.changes, keys)),
    never('events twice in the log', doubles(keys)),
    never('events in the log that never happened', without(keys, [...source.changes, ...source.optional])),
    never('numbers out of sequence', numbers.filter((number, index) => number !== index + 1).map(String)),
    ...countWebhook(run.webhook, keys),
    ...(await countPoller(run)),
    ...(await countStream(run, keys)),
    ...countUploads(run),
    ...countProcesses(run),
  ];
}

function countWebhook({ accepted, repeats }: WebhookLog, keys: readonly EventKey[]): Row[] {
  const { allowed, wrong } = repeats();
  const firsts = [...new Set(accepted.map(({ key }) => key))];
  const outOfOrder = firsts.filter(
    (key, index) => index > 0 && keys.indexOf(key) < keys.indexOf(firsts[index - 1]!),
  );
  return [
    info('webhook: events received', firsts.length),
    never('webhook: events skipped', without(keys, firsts)),
    never('webhook: events out of order', outOfOrder),
    info('webhook: repeats that the contract allows', allowed.length),
    never(
      'webhook: repeats that the contract does not allow',
      wrong.map(({ key, at }) => `${key} at ${new Date(at).toISOString()}`),
    ),
  ];
}

/** `twice`: what was received more often than it was due; `skipped`: what was received less often. Once for each time. */
export function compareReceived(received: readonly string[], due: readonly string[]) {
  const timesIn = (keys: readonly string[], key: string) => keys.filter((one) => one === key).length;
  const further = doubles(received);
  return {
    // An event of a log that was lost since is not due any more, but may have been received once.
    twice: further.filter(
      (key, index) => timesIn(further.slice(0, index + 1), key) >= Math.max(1, timesIn(due, key)),
    ),
    skipped: due.filter((key, index) => timesIn(due.slice(0, index + 1), key) > timesIn(received, key)),
  };
}

/** The program announces new episodes only. */
async function countPoller({ poller, settled, processes }: Run): Promise<Row[]> {
  const events = settled.logs[0]?.events ?? [];
  const announced = events.filter(({ type }) => type === 'new-episode');
  const due = announced.map(({ slug, episode }) => `${slug} ${episode}`);
  const { twice, skipped } = compareReceived(poller.received, due);
  return [
    info('poller: events received', poller.received.length),
    never('poller: events received twice', twice),
    never('poller: events skipped', skipped),
    ...(await countIncomplete('poller: complete: false', poller, processes)),
  ];
}

async function countStream({ stream, processes }: Run, keys: readonly EventKey[]): Promise<Row[]> {
  return [
    info('stream: events received', stream.received.length),
    info('stream: connections', stream.connections),
    never('stream: events received twice', doubles(stream.received)),
    never('stream: events skipped', without(keys, stream.received)),
    ...(await countIncomplete('stream: reset', stream, processes)),
  ];
}

/** If the position that a client sent is in the log at the end, nothing was lost, and `complete: false` was false. */
async function countIncomplete(
  what: string,
  { incomplete }: Follower,
  [first]: SupervisedProcess[],
): Promise<Row[]> {
  const isFalse = await Promise.all(incomplete.map((position) => isInLog(first!.listing, position)));
  const falseOnes = incomplete.filter((_, index) => isFalse[index]);
  const describe = ({ epoch, number, at }: Position) => `${epoch}-${number} at ${new Date(at).toISOString()}`;
  return [
    never(`${what} that was false`, falseOnes.map(describe)),
    info(`${what} that was true`, incomplete.length - falseOnes.length),
  ];
}

function countUploads({ clients, uploads, files, miscounts }: Run): Row[] {
  return [
    counts('requests that succeeded', clients.good, false),
    counts('failures that a fault explains', clients.explained, false),
    counts('failures that no fault explains', clients.unexplained, true),
    info('files acknowledged', uploads.files.length),
    info('files read back', files.reads),
    never('acknowledged files lost or different', [...files.wrong, ...files.unreadable]),
    never('acknowledged bytes of uploads in progress lost', uploads.lostInProgress),
    never('files served after their expiry', files.afterExpiry),
    never('files served after their deletion', files.afterDeletion),
    never('processes with wrong counts of what is stored', miscounts),
  ];
}

function countProcesses({ logs, processes }: Run): Row[] {
  const sum = (of: (one: SupervisedProcess) => number) =>
    processes.reduce((total, one) => total + of(one), 0);
  return [
    counts('threads restarted', logs.threadRestarts, true),
    counts('processes that ended by themselves', { all: sum((one) => one.ownExits) }, true),
    info(
      'starts that failed, and were repeated',
      sum((one) => one.failedStarts),
    ),
    counts('errors in the logs that a fault explains', logs.explained, false),
    counts('errors in the logs that no fault explains', logs.errors, true),
    never('lines that are not log records', logs.foreignLines),
  ];
}

export function formatRows(rows: readonly Row[]): string {
  const width = Math.max(...rows.map(({ name }) => name.length));
  return rows
    .map(({ name, count, mustBeZero, examples }) => {
      const verdict = mustBeZero ? (count === 0 ? 'ok' : 'WRONG') : '';
      const details = count > 0 ? examples.map((one) => `\n    ${one}`).join('') : '';
      return `${name.padEnd(width)}  ${String(count).padStart(6)}  ${verdict}${details}`;
    })
    .join('\n');
}
