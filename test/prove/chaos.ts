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
 * Three processes share Redis and S3 behind HAProxy, on a source whose list changes. Meanwhile processes are killed, stopped and
 * frozen, cut off from Redis and from S3, Redis is flushed, restarted and paused, S3 fails, and the cores are taken. The seed gives
 * the order of the faults; what they hit differs with the machine. In the end the faults stop, all comes to rest, and what clients
 * were told and kept is compared with what really happened. It exits 1 where something is not zero that must be, and 2 where it could not be run.
 *
 * What is a fault of the service, and what the contract allows:
 * - Every change of the source is in the log once, under the next number, and in every process the same.
 * - The poller is the program of /docs. It and the client of the stream are told every event once. `complete: false` and `reset`
 *   are false where the position of the client is one of the log at the end: a process that is behind is no reason for them.
 * - A webhook comes at least once. A repeat is allowed of the last message alone, where its sender could not note that it was
 *   delivered: it was killed or frozen, Redis was away or flushed, or the answer did not reach it.
 * - Redis forgets only while two processes have read it for ten seconds, and none is killed in the ten seconds after: what only one
 *   process knows is lost with it.
 * - A file that was acknowledged is answered with its bytes until its expiry, and not after that or after its deletion. Bytes of a
 *   resumable upload that were acknowledged stay. While a storage is away the answer is 503: 404 and 410 would say that it is gone.
 * - Every request is valid. 503 of the uploads is explained by a fault of Redis, S3 or a process; any other 5xx, and a connection
 *   that breaks, by a process that was killed or frozen alone. The listing is answered from memory: Redis and S3 explain nothing
 *   there. 500 and 507 are never explained. A stop by SIGTERM and a busy machine explain nothing.
 * - When all is at rest, every process counts in files and bytes what is stored, within two minutes.
 * - No thread is restarted, and no process ends by itself once it was ready. One that cannot reach Redis at its start ends, and
 *   is started again.
 * - `dependency-down` and `store-failed` are true lines while that dependency has a fault, or the process was frozen. No other
 *   error is.
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
  say(`all runs; ${values.minutes} minutes of chaos, logs in ${folder}`);

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
  say('the faults are over; waiting until all is at rest');
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
    ...{
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
    },
  });
}

function say(text: string): void {
  console.error(`${new Date().toISOString()} ${text}`);
}

const undos: Parameters<Defer>[0][] = [];
/** Aborted when nothing is started or repeated any more. */
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
  // A client's connection to what was killed must not keep this program.
  process.exit();
}
