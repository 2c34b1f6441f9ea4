import { randomBytes } from 'node:crypto';
import { AppError, type ErrorCode } from '../../../../src/domain/errors.ts';
import { expiryOf, type UploadId } from '../../../../src/domain/upload.ts';
import { BYTELESS_LIFE_MS } from '../../../../src/uploads/resumable-storage.ts';
import type { Storage } from '../../../../src/uploads/storage.ts';
import { bytesOf, sha256, usageOf } from '../../../support/uploads.ts';
import { type Handlers, takeSteps } from '../steps.ts';
import { Turns } from '../turns.ts';
import { type ModelProcess, openProcess } from './process.ts';
import { PROCESSES, type Step } from './scenario.ts';

const MINUTE_MS = 60_000;
const SENDER = { owner: '203.0.113.7', address: '203.0.113.7' };
const CLAIMS = { originalname: 'data.bin', mimetype: 'application/octet-stream', metadata: '' };
const LIFETIME_MS = 3 * 3_600_000;
/** A client asks for the offset after each failure. */
const MAX_TRIES = 6;
/** How a request of an honest client may be refused. */
const REFUSALS: ErrorCode[] = ['not-found', 'locked', 'conflict', 'checksum-mismatch', 'invalid-request'];

interface KnownUpload {
  secret: UploadId;
  bytes: Buffer;
  /** The largest offset that a client was told. */
  told: number;
  createdAt: number;
  /** A client has asked to remove it. */
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

/** Runs a scenario with the code of two services on one storage, and returns what is wrong. */
export async function runScenario(steps: Step[], { open, sizes, contents }: World): Promise<string[]> {
  const turns = new Turns();
  const faults: string[] = [];
  const uploads: KnownUpload[] = [];
  const clock = { now: Date.parse('2026-11-20T05:00:00Z') };
  const now = () => clock.now;
  const processes: ModelProcess[] = [];
  const underWay = new Map<ModelProcess, number>();
  let started = 0;

  async function start(index: number): Promise<void> {
    started += 1;
    processes[index] = await openProcess(`process ${started}`, await open(now), turns, now);
  }

  /** A request that does not end before its process is killed is no fault, and neither is a refusal. */
  function begin(process: ModelProcess, what: string, work: () => Promise<void>): void {
    underWay.set(process, (underWay.get(process) ?? 0) + 1);
    work()
      .catch((error: unknown) => {
        const isRefusal = error instanceof AppError && REFUSALS.includes(error.code);
        if (!isRefusal && !process.isKilled()) faults.push(`${what}: ${error}`);
      })
      .finally(() => underWay.set(process, (underWay.get(process) ?? 0) - 1));
  }

  /** `before`: what the client had been told when it sent the request. */
  function tell(upload: KnownUpload, offset: number, before: number): void {
    if (offset < before) faults.push(`the offset went back from ${before} to ${offset}`);
    if (offset > upload.bytes.length) faults.push(`the offset ${offset} is beyond the end`);
    upload.told = Math.max(upload.told, offset);
  }

  async function ask(process: ModelProcess, upload: KnownUpload): Promise<number> {
    const before = upload.told;
    const { offset } = await process.resumable.progress(upload.secret).catch((error: unknown) => {
      const isGone = error instanceof AppError && error.code === 'not-found';
      const isForgotten = upload.told === 0 && now() - upload.createdAt >= BYTELESS_LIFE_MS;
      if (isGone && !upload.mayBeGone && !isForgotten) faults.push('an upload is gone');
      throw error;
    });
    if (upload.isRemoved) faults.push('a removed upload is back');
    tell(upload, offset, before);
    return offset;
  }

  async function send(
    process: ModelProcess,
    upload: KnownUpload,
    { share, body }: Extract<Step, { type: 'send' }>,
  ) {
    const { secret, bytes, told } = upload;
    const end = told + Math.ceil(((bytes.length - told) * share) / 1_000);
    tell(upload, await process.send(secret, told, bytes.subarray(told, end), body), told);
    if (body === 'damaged' && end > told) faults.push('bytes with a wrong checksum were accepted');
  }

  /** Begins a request about an upload, where there is one. */
  function beginOn(
    what: string,
    step: { process: number; upload: number },
    work: (process: ModelProcess, upload: KnownUpload) => Promise<unknown>,
  ): void {
    const upload = uploads[step.upload % uploads.length];
    const process = processes[step.process]!;
    if (upload) begin(process, what, async () => void (await work(process, upload)));
  }

  const handlers: Handlers<Step> = {
    create({ process: index, size }) {
      const process = processes[index]!;
      const bytes = randomBytes(sizes[size] ?? 0);
      const createdAt = now();
      begin(process, 'create', async () => {
        const announced = { ...SENDER, ...CLAIMS, length: bytes.length, lifetimeMs: LIFETIME_MS };
        const secret = await process.resumable.create(announced);
        uploads.push({ secret, bytes, told: 0, createdAt, mayBeGone: false, isRemoved: false });
      });
    },
    send: (step) => beginOn('send', step, (process, upload) => send(process, upload, step)),
    ask: (step) => beginOn('ask', step, ask),
    remove: (step) =>
      beginOn('remove', step, async (process, upload) => {
        upload.mayBeGone = true;
        await process.resumable.remove(upload.secret);
        upload.isRemoved = true;
      }),
    sweep: ({ process }) => processes[process]!.storage.sweep(now()),
    async 'go on'({ process, choices }) {
      for (const choice of choices) await turns.give(processes[process]!.name, choice);
    },
    wait({ minutes }) {
      clock.now += minutes * MINUTE_MS;
    },
    async kill({ process }) {
      await processes[process]!.kill();
      await start(process);
    },
  };

  /** Lets everything that is under way come to its end. */
  async function settle(): Promise<void> {
    for (const process of processes)
      for (let idle = 0; idle < 200 && (underWay.get(process) ?? 0) > 0; idle += 1)
        if (await turns.give(process.name)) idle = 0;
        else await new Promise((resolve) => setTimeout(resolve, 5));
    if (processes.some((process) => (underWay.get(process) ?? 0) > 0)) faults.push('a request does not end');
  }

  /** The client of an upload goes on until it has the file, which has to be the one that it has sent. */
  async function finish(process: ModelProcess, upload: KnownUpload): Promise<void> {
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const offset = await ask(process, upload);
      if (offset === upload.bytes.length) {
        const { id, description } = await process.resumable.result(upload.secret);
        const file = await process.uploads.find(id);
        const isSame = sha256(await bytesOf(await file.read())) === sha256(upload.bytes);
        if (!isSame || description.sha256 !== sha256(upload.bytes)) faults.push('the file has other bytes');
        return;
      }
      await process.send(upload.secret, offset, upload.bytes.subarray(offset), 'plain').catch(() => {});
    }
    faults.push('an upload cannot be finished');
  }

  for (let index = 0; index < PROCESSES; index += 1) await start(index);
  try {
    await takeSteps(steps, handlers, faults);
    if (faults.length > 0) return faults;
    await settle();
    const [process] = processes;
    for (const upload of uploads) {
      begin(process!, 'finish', () => finish(process!, upload));
      await settle();
    }
    const last = Math.max(clock.now, ...uploads.map(({ secret }) => expiryOf(secret))) + LIFETIME_MS;
    for (const at of [0, 1, 2, 3]) await process!.storage.sweep(last + at * MINUTE_MS);
    const left = (await usageOf(process!.storage)).length;
    if (left > 0) faults.push(`${left} files have not been swept`);
  } finally {
    for (const process of processes) await process.kill();
  }
  if (faults.length === 0) faults.push(...(await contents()).map((name) => `${name} is left`));
  return faults;
}
