import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { mock } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { AppError } from '../../../../src/domain/errors.ts';
import { createModerator } from '../../../../src/uploads/moderation/moderator.ts';
import { openDiskStorage } from '../../../../src/uploads/storage/disk.ts';
import { bytesOf, sha256, usageOf } from '../../../support/uploads.ts';
import { type Handlers, takeSteps } from '../steps.ts';
import { Turns } from '../turns.ts';
import { KnownFiles, OWNER_BYTES, TOTAL_BYTES } from './known-files.ts';
import { OWNERS, type Step } from './scenario.ts';
import { type ModelService, openService } from './service.ts';

const MINUTE_MS = 60_000;
/** How often a service reads what the operator has changed. */
const POLL_MS = 2_000;
/** Operations that take longer hang. */
const MAX_WAIT_MS = 30_000;

/** Runs a scenario with the code of the service over a folder of its own, and returns what is wrong. */
export async function runScenario(steps: Step[]): Promise<string[]> {
  const root = await mkdtemp(path.join(tmpdir(), 'tayang-model-'));
  const known = new KnownFiles();
  const turns = new Turns();
  const faults: string[] = [];
  const clock = { now: Date.parse('2026-11-20T05:00:00Z') };
  /** No two moments are the same. */
  const now = () => {
    clock.now += 1;
    return clock.now;
  };
  let services = 0;
  /** A process that has not counted the files of another one yet does not know how much space is left. */
  let mayExceed = false;
  mock.timers.enable({ apis: ['setInterval'] });
  let service = await open();
  const begin = (step: Parameters<ModelService['begin']>[0]) => service.begin(step);
  const handlers: Handlers<Step> = {
    upload: begin,
    delete: begin,
    sweep: begin,
    async 'go on'({ choices }) {
      for (const choice of choices) await turns.give(nameOf(services), choice);
    },
    withdraw,
    unblock,
    poll,
    wait({ minutes }) {
      clock.now += minutes * MINUTE_MS;
    },
    kill,
  };
  try {
    await takeSteps(steps, handlers, faults);
    if (faults.length > 0) return faults;
    await finish();
    await poll();
    await checkAll();
    await checkLeftovers();
    return faults;
  } finally {
    turns.abandon(nameOf(services));
    mock.timers.reset();
    await rm(root, { recursive: true, force: true });
  }

  async function open(): Promise<ModelService> {
    services += 1;
    const opened = await openService({ root, name: nameOf(services), turns, known, now, faults });
    known.follow();
    return opened;
  }

  /** The commands of the operator run in a process of their own. */
  async function asModerator(
    work: (moderator: ReturnType<typeof createModerator>) => Promise<unknown>,
  ): Promise<void> {
    const storage = await openDiskStorage(root, now);
    await work(createModerator({ storage, now })).catch((error: unknown) => {
      if (!(error instanceof AppError)) faults.push(`moderator: ${error}`);
    });
    await storage.close();
  }

  function withdraw({ file, reason, blocks }: Extract<Step, { type: 'withdraw' }>): Promise<void> {
    const id = known.choose(file);
    return asModerator(async (moderator) => {
      const { sha256: checksum } = await moderator.remove(id, { reason, blocks });
      known.withdraw(id, reason);
      if (blocks) known.blocked.add(checksum);
    });
  }

  function unblock({ file }: Extract<Step, { type: 'unblock' }>): Promise<void> {
    const { sha256: checksum = '' } = known.files.get(known.choose(file))?.description ?? {};
    return asModerator(async (moderator) => {
      await moderator.unblock([`sha256:${checksum}`]);
      known.blocked.delete(checksum);
      known.followed.delete(checksum);
    });
  }

  async function poll(): Promise<void> {
    mock.timers.tick(POLL_MS);
    await finish();
    known.follow();
  }

  async function kill({ isCountedFirst }: Extract<Step, { type: 'kill' }>): Promise<void> {
    turns.abandon(nameOf(services));
    mock.timers.reset();
    mock.timers.enable({ apis: ['setInterval'] });
    service = await open();
    mayExceed ||= !isCountedFirst;
    if (isCountedFirst) await finish();
  }

  /** Lets everything that is under way come to its end. */
  async function finish(): Promise<void> {
    for (const begunAt = performance.now(); performance.now() - begunAt < MAX_WAIT_MS; ) {
      const hasGone = await turns.give(nameOf(services));
      if (!hasGone && service.isIdle()) return;
      if (!hasGone) await setImmediate();
    }
    faults.push('the operations do not end');
  }

  async function checkAll(): Promise<void> {
    for (const id of known.files.keys()) await checkFile(id);
    service.quota.expire(clock.now);
    const expected = known.counted(clock.now);
    const found = service.quota.stored();
    if (!isDeepStrictEqual(found, expected))
      faults.push(`the quota counts ${JSON.stringify(found)}, not ${JSON.stringify(expected)}`);
    if (mayExceed) return;
    if (expected.bytes > TOTAL_BYTES) faults.push('the store holds more than it may');
    const isOver = OWNERS.some((owner) => known.counted(clock.now, owner).bytes > OWNER_BYTES);
    if (isOver) faults.push('an owner has more than a share');
  }

  async function checkFile(id: string): Promise<void> {
    const expected = known.expectedError(id, clock.now);
    const finding = service.uploads.find(id).then(
      async (file) => {
        const bytes = await bytesOf(await file.read());
        return sha256(bytes) === file.description.sha256 ? undefined : 'damaged';
      },
      (error: unknown) => (error instanceof AppError ? error.code : String(error)),
    );
    await turns.give(nameOf(services));
    const found = await finding;
    if (found !== expected) faults.push(`${id} is answered with ${found}, not ${expected}`);
  }

  /** After a sweep, nothing is on the disk but the files that are visible. */
  async function checkLeftovers(): Promise<void> {
    clock.now += MINUTE_MS;
    await service.storage.sweep(clock.now);
    const found = (await usageOf(service.storage)).map(({ id }) => id);
    const expected = known.stored(clock.now);
    if (found.toSorted().join() !== expected.toSorted().join())
      faults.push(`the files on the disk are [${found}], not [${expected}]`);
    const { stagedUploads } = await service.storage.sweep(clock.now);
    if (stagedUploads > 0) faults.push('a sweep leaves staged uploads');
    await service.close();
  }
}

function nameOf(service: number): string {
  return `service ${service}`;
}
