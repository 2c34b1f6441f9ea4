import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { redisCommand } from '../../support/redis.ts';
import type { Installation } from './installation.ts';
import { type FaultKind, type Journal, PROCESS_FAULTS, REDIS_FAULTS } from './journal.ts';
import { resetPriority } from './priority.ts';

/** Between the starts of two faults. */
const MIN_PAUSE_MS = 2_000;
const MAX_PAUSE_MS = 10_000;
/** How many faults last at the same time. */
const MAX_AT_ONCE = 3;
const HOG_SECONDS = 30;
/**
 * Data that only one process remembers is lost if that process and Redis lose it together. So Redis loses data only after two
 * processes have read it for this long, and no process is killed for this long afterwards.
 */
const STEADY_MS = 10_000;

/** What a fault occupies while it lasts: two faults never occupy the same. */
type Held = 'a process' | 'redis' | `redis of ${number}` | `s3 of ${number}` | 'the cores';

interface Plan {
  kind: FaultKind;
  weight: number;
  holds(target: number): Held[];
  /** Whether it may begin now. */
  isAllowed?(target: number): boolean;
  isOfOne: boolean;
  run(target: number): Promise<void>;
}

/** Injects faults, drawn from `random`, until it is aborted. Resolves once each of them is over. */
export async function injectFaults(
  { members, redis }: Installation,
  journal: Journal,
  random: () => number,
  signal: AbortSignal,
): Promise<void> {
  const between = (fromS: number, toS: number) => (fromS + random() * (toS - fromS)) * 1_000;
  /** A fault ends early when the run is over. */
  const last = (ms: number) => sleep(ms, undefined, { signal }).catch(() => {});
  const held = new Set<Held>();
  const underWay = new Set<Promise<void>>();

  /** How many processes have run and read Redis for some time. */
  function steady(): number {
    const since = Date.now() - STEADY_MS;
    const kinds: FaultKind[] = [...PROCESS_FAULTS, 'stop', ...REDIS_FAULTS];
    return members.filter(
      (_, index) =>
        !journal.faults.some(
          ({ kind, process, to }) =>
            kinds.includes(kind) && (process === undefined || process === index) && to > since,
        ),
    ).length;
  }

  const hasForgotten = () =>
    journal.faults.some(
      ({ kind, to }) => (kind === 'redis-flush' || kind === 'redis-restart') && to > Date.now() - STEADY_MS,
    );

  async function restartRedis(keepsData: boolean): Promise<void> {
    const [, folder = ''] = (await redisCommand(redis.port, 'CONFIG', 'GET', 'dir')).split(',');
    if (keepsData) await redisCommand(redis.port, 'SAVE');
    else await rm(path.join(folder, 'dump.rdb'), { force: true });
    await redis.kill();
    await last(between(0.2, 6));
    await redis.start();
  }

  const ofProcess = {
    isOfOne: true,
    holds: (): Held[] => ['a process'],
  };
  const way = (kind: 'redis' | 's3', mode: 'refuse' | 'stall' | 'error', fromS: number, toS: number) => ({
    isOfOne: true,
    holds: (target: number): Held[] => [`${kind} of ${target}`],
    async run(target: number) {
      const proxy = members[target]![kind];
      await proxy.set(mode);
      await last(between(fromS, toS));
      await proxy.set('open');
    },
  });
  const ofRedis = { isOfOne: false, holds: (): Held[] => ['redis'] };
  const forgets = { ...ofRedis, isAllowed: () => steady() >= 2 };

  const plans: Plan[] = [
    {
      ...ofProcess,
      kind: 'kill',
      weight: 4,
      isAllowed: () => !hasForgotten(),
      run: (target) => members[target]!.process.restart('SIGKILL', between(0.5, 6)),
    },
    {
      ...ofProcess,
      kind: 'stop',
      weight: 2,
      isAllowed: () => !hasForgotten(),
      run: (target) => members[target]!.process.restart('SIGTERM', between(0.1, 2)),
    },
    {
      ...ofProcess,
      kind: 'freeze',
      weight: 4,
      async run(target) {
        members[target]!.process.signal('SIGSTOP');
        await last(between(5, 45));
        members[target]!.process.signal('SIGCONT');
      },
    },
    { ...way('redis', 'refuse', 3, 42), kind: 'redis-cut', weight: 3 },
    { ...way('redis', 'stall', 3, 30), kind: 'redis-stall', weight: 2 },
    {
      ...forgets,
      kind: 'redis-flush',
      weight: 2,
      run: async () => void (await redisCommand(redis.port, 'FLUSHALL')),
    },
    { ...forgets, kind: 'redis-restart', weight: 2, run: () => restartRedis(random() < 0.5) },
    {
      ...ofRedis,
      kind: 'redis-pause',
      weight: 1,
      async run() {
        redis.pause();
        await last(between(1, 8));
        redis.resume();
      },
    },
    { ...way('s3', 'stall', 2, 15), kind: 's3-stall', weight: 2 },
    { ...way('s3', 'error', 2, 10), kind: 's3-error', weight: 2 },
    { ...way('s3', 'refuse', 2, 10), kind: 's3-refuse', weight: 1 },
    {
      ...way('s3', 'refuse', 0, 0),
      kind: 's3-cut',
      weight: 2,
      run: async (target) => members[target]!.s3.cut(),
    },
    {
      kind: 'hog',
      weight: 2,
      isOfOne: false,
      holds: () => ['the cores'],
      run: () => hogCores(signal),
    },
  ];

  /** One of the plans that may begin now, with its target. */
  function draw(): { plan: Plan; target: number } | undefined {
    const target = Math.floor(random() * members.length);
    const possible = plans.filter(
      ({ holds, isAllowed = () => true }) =>
        holds(target).every((one) => !held.has(one)) && isAllowed(target),
    );
    let dice = random() * possible.reduce((sum, { weight }) => sum + weight, 0);
    const plan = possible.find(({ weight }) => {
      dice -= weight;
      return dice < 0;
    });
    return plan && { plan, target };
  }

  async function run({ plan, target }: { plan: Plan; target: number }): Promise<void> {
    const holds = plan.holds(target);
    for (const one of holds) held.add(one);
    const end = journal.begin(plan.kind, plan.isOfOne ? target : undefined);
    await plan.run(target).finally(() => {
      end();
      for (const one of holds) held.delete(one);
    });
  }

  while (!signal.aborted) {
    await last(MIN_PAUSE_MS + random() * (MAX_PAUSE_MS - MIN_PAUSE_MS));
    const drawn = underWay.size < MAX_AT_ONCE && !signal.aborted ? draw() : undefined;
    if (!drawn) continue;
    const fault = run(drawn).finally(() => underWay.delete(fault));
    underWay.add(fault);
  }
  await Promise.all(underWay);
}

/** Twice as many loops as there are cores; each ends by itself. */
async function hogCores(signal: AbortSignal): Promise<void> {
  const loop = `const end = Date.now() + ${HOG_SECONDS} * 1000; while (Date.now() < end);`;
  const hogs = Array.from({ length: 2 * availableParallelism() }, () =>
    spawn('setpriv', ['--pdeathsig', 'KILL', process.execPath, '-e', loop], { stdio: 'ignore' }),
  );
  for (const hog of hogs) resetPriority(hog);
  const end = () => {
    for (const hog of hogs) hog.kill('SIGKILL');
  };
  signal.addEventListener('abort', end);
  await Promise.all(hogs.map((hog) => once(hog, 'exit')));
  signal.removeEventListener('abort', end);
}
