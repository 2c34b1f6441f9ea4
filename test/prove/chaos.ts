import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { CEPH } from '../support/ceph.ts';
import { createRandom } from '../support/create-random.ts';
import type { Defer } from '../support/defer.ts';
import { SWIFT } from '../support/swift.ts';
import { auditStored } from './chaos/audit-stored.ts';
import { openChangingSource } from './chaos/changing-source.ts';
import { openClientLog } from './chaos/client-log.ts';
import { injectFaults } from './chaos/faults.ts';
import { openFileReader } from './chaos/file-reader.ts';
import { countAll, formatRows, type Row } from './chaos/findings.ts';
import { startInstallation } from './chaos/installation.ts';
import { openJournal } from './chaos/journal.ts';
import { openPoller, openStreamClient, readListing } from './chaos/listing-clients.ts';
import { raisePriority } from './chaos/priority.ts';
import { readLogs } from './chaos/read-logs.ts';
import { settle } from './chaos/settle.ts';
import { runUploader, type UploadLedger } from './chaos/uploaders.ts';
import { openWebhookLog } from './chaos/webhook-log.ts';

/**
 * `node test/prove/chaos.ts [--minutes 20] [--seed 1] [--s3 swift|ceph] [--logs FOLDER]`
 *
 * Three processes share Redis and S3 behind HAProxy, on a source whose list changes. Meanwhile processes are killed, stopped,
 * frozen, and cut off from Redis and from S3; Redis is flushed, restarted and paused, S3 fails, and all cores are kept busy.
 * The seed determines the order of the faults; what they hit differs with the machine. Then the faults stop, everything
 * settles, and what clients received and stored is compared with what really happened. The program exits 1 if a count is not
 * zero that must be, and 2 if it could not run.
 *
 * What the contract allows; anything else is a fault of the service:
 * - Every change of the source is in the log once, under the next number, and the same in every process.
 * - The poller is the program of /docs. The poller and the client of the stream receive every event once. `complete: false` and
 *   `reset` are false if the position of the client is in the log at the end: a process that is behind does not justify them.
 * - A webhook arrives at least once. Only the last message may be repeated, and only if its sender could not note the delivery:
 *   it was killed or frozen, Redis was away or flushed, or the response did not reach it.
 * - Redis loses data only after two processes have read it for ten seconds, and no process is killed in the ten seconds that
 *   follow: data that only one process remembers is lost with that process.
 * - An acknowledged file is served with its bytes until its expiry or deletion, and not after that. Acknowledged bytes of a
 *   resumable upload stay. While a storage is away the status is 503, because 404 and 410 would mean that the file is gone.
 * - Every request is valid. A 503 of the uploads is explained by a fault of Redis, S3 or a process; any other 5xx, and a broken
 *   connection, only by a process that was killed or frozen. The listing is answered from memory, so Redis and S3 explain
 *   nothing there. Nothing explains 500 and 507. A stop by SIGTERM and a busy machine explain nothing.
 * - Within two minutes of rest, every process counts the files and bytes that are really stored.
 * - No thread is restarted, and no process that was ready ends by itself. A process that cannot reach Redis at its start ends,
 *   and is started again.
 * - `dependency-down` and `store-failed` may be logged while that dependency has a fault, or the process was frozen. No other
 *   error may.
 *
 * Everything is bounded in time, and ends with this program. SIGINT ends all of it at once, without a result.
 */

const UPLOADERS = 4;
const MAX_SETTLE_MS = 180_000;
const QUIET_MS = 5_000;

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '20' },
    seed: { type: 'string', default: '1' },
    s3: { type: 'string', default: 'swift' },
    logs: { type: 'string' },
  },
});

async function run(defer: Defer, folder: string, signal: AbortSignal): Promise<Row[]> {
  const durationMs = Number(values.minutes) * 60_000;
  const random = createRandom(Number(values.seed));
  const ownRandom = () => createRandom(Math.floor(random() * 2 ** 31));
  const journal = openJournal(folder);
  defer(journal.close);
  const source = await openChangingSource(defer, ownRandom(), journal);
  const webhook = await openWebhookLog(defer, journal);
  const installation = await startInstallation(defer, {
    folder,
    journal,
    signal,
    sourceUrl: source.origin,
    webhookUrl: webhook.url,
    s3: values.s3 === 'ceph' ? CEPH : SWIFT,
  });
  const { front, members } = installation;
  const clients = openClientLog(journal);
  const poller = await openPoller(defer, folder, front.listing, clients);
  const stream = openStreamClient(defer, front.listing, clients, signal);
  const uploads: UploadLedger = { files: [], deleted: [], lostInProgress: [] };
  const reader = openFileReader(uploads, clients, ownRandom());
  // The followers begin before the first change.
  await sleep(QUIET_MS);
  say(`everything runs; ${values.minutes} minutes of chaos, logs in ${folder}`);

  const chaos = AbortSignal.timeout(durationMs);
  const working = new AbortController();
  const work = [
    source.run(chaos),
    readListing(front.listing, clients, working.signal),
    reader.run(working.signal),
    ...Array.from({ length: UPLOADERS }, (_, index) =>
      runUploader({
        clients,
        ledger: uploads,
        signal: working.signal,
        origin: front.uploads,
        localAddress: `127.0.1.${index + 1}`,
        random: ownRandom(),
      }),
    ),
  ];
  await injectFaults(installation, journal, ownRandom(), chaos);
  say('the faults are over; waiting until everything has settled');
  await Promise.all(members.map((member) => member.process.whenReady()));
  working.abort();
  await Promise.all(work);
  const settled = await settle(installation, {
    followers: { poller, stream },
    maxMs: MAX_SETTLE_MS,
    expected: source.changes.length,
    countAccepted: () => new Set(webhook.accepted.map(({ key }) => key)).size,
  });
  await reader.readAll();
  const processes = members.map((member) => member.process);
  const miscounts = await auditStored(installation.bucket, processes);
  const logs = await readLogs(processes, journal);
  const { findings: files } = reader;
  return countAll({
    source,
    settled,
    webhook,
    poller,
    stream,
    clients,
    uploads,
    files,
    miscounts,
    logs,
    processes,
    journal,
  });
}

function say(text: string): void {
  console.error(`${new Date().toISOString()} ${text}`);
}

const undos: Parameters<Defer>[0][] = [];
/** Aborted when nothing may be started or repeated any more. */
const ended = new AbortController();
const folder = values.logs ?? (await mkdtemp(path.join(tmpdir(), 'tayang-chaos-')));
await mkdir(folder, { recursive: true });
for (const name of ['SIGINT', 'SIGTERM'] as const)
  process.once(name, () => void cleanUp().finally(() => process.exit(130)));
raisePriority();

async function cleanUp(): Promise<void> {
  ended.abort();
  for (let undo = undos.pop(); undo; undo = undos.pop())
    await Promise.resolve(undo()).catch((error: unknown) => say(`could not clean up: ${error}`));
}

try {
  const rows = await run((undo) => void undos.push(undo), folder, ended.signal);
  const text = formatRows(rows);
  await writeFile(path.join(folder, 'result.txt'), `${text}\n`);
  console.log(text);
  process.exitCode = rows.some(({ mustBeZero, count }) => mustBeZero && count > 0) ? 1 : 0;
} catch (error) {
  console.error(error);
  process.exitCode = 2;
} finally {
  await cleanUp();
  say(`logs in ${folder}`);
  // A client's connection to a killed process must not keep this program running.
  process.exit();
}
