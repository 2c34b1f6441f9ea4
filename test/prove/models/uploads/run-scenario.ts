import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { AppError, type ErrorCode } from '../../../../src/domain/errors.ts';
import { expiryOf, isExpired, type UploadId } from '../../../../src/domain/upload.ts';
import type { Storage } from '../../../../src/uploads/storage.ts';
import { bytesOf, usageOf } from '../../../support/uploads.ts';
import { type Handlers, takeSteps } from '../steps.ts';
import { Turns } from '../turns.ts';
import { type ModelProcess, openProcess } from './process.ts';
import { createClients, type KnownUpload, LIFETIME_MS } from './resumable.ts';
import type { Scenario, Step } from './scenario.ts';

const MINUTE_MS = 60_000;
/** How a request of an honest client may be refused. */
const REFUSALS: ErrorCode[] = [
  ...(['not-found', 'expired', 'locked', 'conflict'] as const),
  ...(['checksum-mismatch', 'invalid-request', 'storage-full'] as const),
];

interface KnownFile {
  id: UploadId;
  deleteKey: string;
  bytes: Buffer;
  /** A client has asked to delete it. */
  mayBeGone: boolean;
  isRemoved: boolean;
}

interface World {
  /** Opens the storage again, as another process. */
  open: (clock: () => number) => Promise<Storage>;
  sizes: readonly number[];
  /** What the storage has, in any form. */
  contents: () => Promise<string[]>;
}

/** Runs a scenario with the code of one or two services on one storage, and returns what is wrong. */
export async function runScenario({ processes: count, steps }: Scenario, world: World): Promise<string[]> {
  const { open, sizes, contents } = world;
  const turns = new Turns();
  const faults: string[] = [];
  const uploads: KnownUpload[] = [];
  const files: KnownFile[] = [];
  const clock = { now: Date.parse('2026-11-20T05:00:00Z') };
  const now = () => clock.now;
  const clients = createClients(now, faults);
  const processes: ModelProcess[] = [];
  const underWay = new Map<ModelProcess, number>();
  const ownerBytes = (count === 1 ? 2 : 1_000) * Math.max(...sizes);
  let started = 0;

  async function start(index: number): Promise<void> {
    started += 1;
    const storage = await open(now);
    processes[index] = await openProcess({ name: `process ${started}`, storage, turns, now, ownerBytes });
  }

  /** A request that does not end before its process is killed is no fault, and neither is a refusal. */
  function begin(index: number, what: string, work: (process: ModelProcess) => Promise<unknown>): void {
    const process = processes[index % count]!;
    underWay.set(process, (underWay.get(process) ?? 0) + 1);
    work(process)
      .catch((error: unknown) => {
        const isRefusal = error instanceof AppError && REFUSALS.includes(error.code);
        if (!isRefusal && !process.isKilled()) faults.push(`${what}: ${error}`);
      })
      .finally(() => underWay.set(process, (underWay.get(process) ?? 0) - 1));
  }

  /** Begins a request about an upload, where there is one. */
  function beginOn<On extends { type: string; process: number; upload: number }>(
    step: On,
    work: (process: ModelProcess, upload: KnownUpload, step: On) => Promise<unknown>,
  ): void {
    const upload = uploads[step.upload % uploads.length];
    if (upload) begin(step.process, step.type, (process) => work(process, upload, step));
  }

  const bytesFor = (size: number) => randomBytes(sizes[size] ?? 0);
  const handlers: Handlers<Step> = {
    upload({ process: index, size, minutes, isCut }) {
      begin(index, 'upload', async (process) => {
        const bytes = bytesFor(size);
        const { id, deleteKey } = await process.upload(bytes, isCut, now() + minutes * MINUTE_MS);
        files.push({ id, deleteKey, bytes, mayBeGone: false, isRemoved: false });
        if (isCut && bytes.length > 0) faults.push('an upload that was cut off was accepted');
      });
    },
    delete({ process: index, file: chosen, hasKey }) {
      const file = files[chosen % files.length];
      if (file) begin(index, 'delete', (process) => deleteFile(process, file, hasKey));
    },
    create({ process: index, size }) {
      begin(index, 'create', async (process) => uploads.push(await clients.create(process, bytesFor(size))));
    },
    send: (step) => beginOn(step, clients.send),
    ask: (step) => beginOn(step, clients.ask),
    remove: (step) => beginOn(step, clients.remove),
    sweep: ({ process: index }) => begin(index, 'sweep', (process) => process.sweep()),
    async 'go on'({ process, choices }) {
      for (const choice of choices) await turns.give(processes[process % count]!.name, choice);
    },
    wait({ minutes }) {
      clock.now += minutes * MINUTE_MS;
    },
    async kill({ process }) {
      await processes[process % count]!.kill();
      await start(process % count);
    },
  };

  async function deleteFile({ uploads }: ModelProcess, file: KnownFile, hasKey: boolean): Promise<void> {
    file.mayBeGone ||= hasKey;
    await uploads.remove(file.id, hasKey ? file.deleteKey : 'guessed');
    if (!hasKey) faults.push('a deletion needed no key');
    file.isRemoved = true;
  }

  const isBusy = (process: ModelProcess) => (underWay.get(process) ?? 0) > 0 || !process.isCounted();

  /** Lets everything that is under way come to its end. */
  async function settle(): Promise<void> {
    for (const process of processes)
      for (let idle = 0; idle < 200 && isBusy(process); idle += 1)
        if (await turns.give(process.name)) idle = 0;
        else await sleep(5);
    if (processes.some(isBusy)) faults.push('a request does not end');
  }

  /** What is said of a file: its bytes, or why there are none. */
  async function checkFile({ uploads }: ModelProcess, file: KnownFile): Promise<void> {
    const expected = isExpired(file.id, now()) ? 'expired' : file.mayBeGone ? 'not-found' : 'whole';
    const found = await uploads.find(file.id).then(
      async (stored) => ((await bytesOf(await stored.read())).equals(file.bytes) ? 'whole' : 'damaged'),
      (error: AppError) => error.code,
    );
    const isUndecided = expected === 'not-found' && !file.isRemoved && found === 'whole';
    if (found !== expected && !isUndecided) faults.push(`a file is ${found}, and should be ${expected}`);
  }

  /** One process counts what is stored and has not expired, and nothing else. */
  async function checkQuota({ storage, quota }: ModelProcess): Promise<void> {
    quota.expire(now());
    const listed = [...(await usageOf(storage)), ...(await Array.fromAsync(storage.resumable.usage()))];
    const sizesOf = listed.filter(({ id }) => !isExpired(id, now())).map(({ size }) => size);
    const stored = { files: sizesOf.length, bytes: sizesOf.reduce((sum, size) => sum + size, 0) };
    if (!isDeepStrictEqual(quota.stored(), stored))
      faults.push(`the quota counts ${JSON.stringify(quota.stored())}, not ${JSON.stringify(stored)}`);
    // A process that has not counted the files of an earlier one yet does not know how much space is left.
    if (started === 1 && stored.bytes > ownerBytes) faults.push('an owner has more than a share');
  }

  for (let index = 0; index < count; index += 1) await start(index);
  try {
    await takeSteps(steps, handlers, faults);
    if (faults.length > 0) return faults;
    await settle();
    for (const file of files) begin(0, 'find', (process) => checkFile(process, file));
    await settle();
    if (count === 1) await checkQuota(processes[0]!);
    for (const upload of uploads) {
      begin(0, 'finish', (process) => clients.finish(process, upload));
      await settle();
    }
    const ids = [...uploads.map(({ secret }) => secret), ...files.map(({ id }) => id)];
    const last = Math.max(clock.now, ...ids.map(expiryOf)) + LIFETIME_MS;
    for (const at of [0, 1, 2, 3]) await processes[0]!.storage.sweep(last + at * MINUTE_MS);
    const left = (await usageOf(processes[0]!.storage)).length;
    if (left > 0) faults.push(`${left} files have not been swept`);
  } finally {
    for (const process of processes) await process.kill();
  }
  if (faults.length === 0) faults.push(...(await contents()).map((name) => `${name} is left`));
  return faults;
}
