import type { Store } from '../../../../src/crawler/snapshot-store.ts';
import { changedAt } from '../../../../src/domain/listing.ts';
import { type Handlers, takeSteps } from '../steps.ts';
import { checkSame } from './attempt.ts';
import { type ModelProcess, openProcess } from './process.ts';
import type { Scenario, Step } from './scenario.ts';
import { ModelSite } from './site.ts';
import { World } from './world.ts';

/**
 * A list may be doubted for two reasons, one after the other, and each is believed once three crawls over six hours agree.
 */
const RECOVERY_CRAWLS = 6;
const RECOVERY_MS = 4 * 3_600_000;
/** How far the clock goes on with each operation. */
const TICK_MS = 50;
/** More operations than any scenario has. */
const MAX_OPERATIONS = 20_000;

/** Opens the store in one process. A store in memory is the same one in both. */
type OpenStore = () => Promise<Store>;

/** Runs a scenario with the code of the service, and returns what is wrong. */
export async function runScenario(
  { anime, skewMs, steps }: Scenario,
  openStore: OpenStore,
): Promise<string[]> {
  const world = new World(new ModelSite(anime));
  const processes: ModelProcess[] = [];
  const opened: Store[] = [];
  for (const index of [0, 1]) await open(index);
  const handlers: Handlers<Step> = {
    refresh: ({ process, kind }) => processes[process]?.start(kind),
    async 'go on'({ process, choices }) {
      for (const choice of choices) await goOn(processes[process], choice);
    },
    change: ({ change }) => world.site.change(change),
    'fail reads'({ reads }) {
      world.site.failures = reads;
    },
    wait({ ms }) {
      world.clock += ms;
    },
    async kill({ process }) {
      await processes[process]?.kill();
      await open(process);
    },
    'lose lease': ({ process }) => processes[process] && world.loseLease(processes[process].state),
    'fail write'({ process, failure }) {
      if (processes[process]) processes[process].state.failure = failure;
    },
    notice: ({ process }) => processes[process]?.state.notify(),
  };
  try {
    await takeSteps(steps, handlers, world.faults);
    if (world.faults.length > 0) return world.faults;
    await settle();
    checkReaders();
    await recover();
    checkReaders();
    return world.faults;
  } finally {
    for (const process of processes) await process.kill();
    for (const store of opened) await store.close();
  }

  async function open(index: number): Promise<void> {
    const inner = await openStore();
    opened.push(inner);
    const name = `${index} of ${opened.length}`;
    processes[index] = await openProcess(world, { name, skewMs: index * skewMs, inner });
  }

  async function goOn(process: ModelProcess | undefined, choice = 0): Promise<boolean> {
    world.clock += TICK_MS;
    return process !== undefined && (await world.turns.give(process.state.name, choice));
  }

  /** Lets everything come to its end, with a site that works, and gives readers notice. */
  async function settle(): Promise<void> {
    world.site.failures = 0;
    for (const { state } of processes) state.failure = undefined;
    await finish();
    for (const { state } of processes) state.notify();
    await finish();
  }

  async function finish(): Promise<void> {
    for (let operations = 0; operations < MAX_OPERATIONS; operations += 1) {
      const hasGone = [await goOn(processes[0]), await goOn(processes[1])];
      if (!hasGone.includes(true)) return;
    }
    world.faults.push('the operations do not end');
  }

  function checkReaders(): void {
    const { last } = world.history;
    const isLast = ({ snapshot }: ModelProcess) => {
      const read = snapshot();
      return read ? last !== undefined && changedAt(read) === changedAt(last) : last === undefined;
    };
    if (!processes.every(isLast)) world.faults.push('a reader does not have the last good snapshot');
    if (processes.some((process) => process.isRefreshing())) world.faults.push('a refresh does not end');
  }

  /** Whatever has happened, crawls of a day bring the list of the site back. */
  async function recover(): Promise<void> {
    for (let crawls = 0; crawls < RECOVERY_CRAWLS; crawls += 1) {
      world.clock += RECOVERY_MS;
      processes[0]?.start('crawl');
      await settle();
      if (checkSame(world.history.last, world.site).length === 0) return;
    }
    world.faults.push('the site is not believed again');
  }
}
