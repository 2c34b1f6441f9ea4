import { DatabaseSync, type StatementSync } from 'node:sqlite';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nextListing } from '../../src/crawler/next-listing.ts';
import type { AnimeEvent } from '../../src/domain/event.ts';
import type { OngoingAnime } from '../../src/domain/listing.ts';
import { eventsAfter, moveTo, readLog } from '../../src/outbox/cursor.ts';
import { openOutboxState } from '../../src/outbox/outbox-state.ts';
import { eventsContent, renderEvents } from '../../src/publishing/events.ts';
import { openMemoryStore } from '../../src/store/drivers/memory.ts';
import { openSnapshotStore, type SnapshotStore } from '../../src/store/snapshot-store.ts';
import type { Lease, Store } from '../../src/store/store.ts';
import { makeAnime } from '../support/fake-source.ts';
import { MORE } from '../support/more-runs.ts';
import { makeStatus } from '../support/status.ts';

/*
 * A model of two processes on a store that may be emptied or stopped between any two of its operations, and set back between
 * any two steps. Anime get episodes one after the other; a client of the events must know what the list says, and never
 * hear of one twice. After a write the other process reads: what only one process knew cannot be known to be lost.
 */

const ANIME = 3;
const PROCESSES = 2;
const RECEIVER = { key: 'receiver', name: 'receiver' };
const LISTING = "SELECT * FROM keyv WHERE key IN ('keyv:listing', 'keyv:status')";

type Disaster = 'empty' | 'stop';
type Step =
  | { type: 'air'; anime: number }
  | { type: 'crawl' | 'read' | 'send' | 'poll'; process: number }
  /** Happens before the store's operation of this number, counted from now. */
  | { type: 'disaster'; disaster: Disaster; inOperations: number }
  /** To what it was so many writes ago. */
  | { type: 'set back'; writes: number };

const process = fc.nat(PROCESSES - 1);
const ordinary: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ type: fc.constant('air' as const), anime: fc.nat(ANIME - 1) }) },
  {
    weight: 12,
    arbitrary: fc.record({
      type: fc.constantFrom('crawl' as const, 'read' as const, 'send' as const, 'poll' as const),
      process,
    }),
  },
);
const disaster: fc.Arbitrary<Step> = fc.record({
  type: fc.constant('disaster' as const),
  disaster: fc.constantFrom<Disaster>('empty', 'stop'),
  inOperations: fc.nat(8),
});
const setBack: fc.Arbitrary<Step> = fc.record({ type: fc.constant('set back' as const), writes: fc.nat(12) });
const steps = fc.array(
  fc.oneof({ weight: 16, arbitrary: ordinary }, { weight: 2, arbitrary: fc.oneof(disaster, setBack) }),
  { maxLength: 40 },
);

class World {
  readonly faults: string[] = [];
  readonly episodes = Array.from({ length: ANIME }, () => 1);
  readonly delivered: string[] = [];
  /** Delivered while the store could not note it: such a message is sent again. */
  readonly unnoted = new Set<string>();
  readonly #database: DatabaseSync;
  readonly #saved: ReturnType<StatementSync['all']>[] = [];
  #clock = Date.parse('2026-11-20T12:00:00Z');
  #disasters: { disaster: Disaster; in: number }[] = [];
  processes: Process[] = [];

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  now = () => (this.#clock += 1_000);

  /** Every process hears of what happened to the store, which takes five seconds at most. */
  async wait(): Promise<void> {
    for (const one of this.processes) await one.read().catch(() => {});
    this.#clock += 5_000;
  }

  plan(disaster: Disaster, inOperations: number): void {
    this.#disasters.push({ disaster, in: inOperations });
  }

  /** The store as a process sees it. */
  wrap(inner: Store): Store {
    const before = async () => {
      for (const one of this.#disasters) one.in -= 1;
      const due = this.#disasters.filter((one) => one.in < 0);
      this.#disasters = this.#disasters.filter((one) => one.in >= 0);
      for (const { disaster } of due) {
        if (disaster === 'stop') throw new Error('the store is stopped');
        this.#database.exec('DELETE FROM keyv');
      }
    };
    const wrapLease = (lease: Lease): Lease => ({
      ...lease,
      write: async (written) => {
        await before();
        await lease.write(written);
        this.#saved.push(this.#database.prepare(LISTING).all());
      },
    });
    return {
      ...inner,
      values: {
        async get(key) {
          await before();
          return inner.values.get(key);
        },
      },
      async lease(name) {
        const lease = await inner.lease(name);
        return lease && wrapLease(lease);
      },
    };
  }

  setBack(writes: number): void {
    this.#database.exec('DELETE FROM keyv');
    const write = this.#database.prepare('INSERT INTO keyv VALUES ($key, $value)');
    for (const row of this.#saved.at(-1 - writes) ?? []) write.run(row);
  }
}

/** What a client of the events knows: it reads the list again where it is told that it may have missed some. */
class Client {
  #epoch: string | undefined;
  #since = 0;
  #known: Map<string, number> | undefined;

  poll(store: SnapshotStore): string[] {
    const { listing } = store.known();
    if (!listing) return [];
    const listed = new Map(listing.snapshot.ongoing.map(({ slug, episode }) => [slug, episode]));
    const rendered = renderEvents(listing.events, listing.snapshot, { url: 'https://tayang.example' });
    const { text } = eventsContent(rendered, { epoch: this.#epoch, number: this.#since });
    const { data } = JSON.parse(text);
    const faults: string[] = [];
    if (!this.#known || !data.complete) this.#known = new Map(listed);
    else for (const event of data.events) faults.push(...this.#apply(event));
    [this.#epoch, this.#since] = [data.epoch, data.last];
    for (const [slug, episode] of listed)
      if (this.#known.get(slug) !== episode) faults.push(`a client was not told of ${slug} ${episode}`);
    this.#known = new Map(listed);
    return faults;
  }

  #apply(event: AnimeEvent): string[] {
    if (event.type !== 'new-episode') return [];
    const known = this.#known?.get(event.slug) ?? 0;
    this.#known?.set(event.slug, event.episode);
    return event.episode > known ? [] : [`a client was told of ${event.slug} ${event.episode} twice`];
  }
}

class Process {
  readonly client = new Client();
  readonly #world: World;
  readonly #store: SnapshotStore;
  readonly #states;
  #shown = 0;

  constructor(world: World, store: SnapshotStore) {
    this.#world = world;
    this.#store = store;
    this.#states = openOutboxState({ store, report() {} });
  }

  /** As a refresh does: everything under the lease. */
  async crawl(): Promise<void> {
    const [store, world] = [this.#store, this.#world];
    const { now, episodes } = world;
    let lease = await store.lease('refresh');
    for (let waits = 0; !lease && waits < 5; waits += 1) {
      await world.wait();
      lease = await store.lease('refresh');
    }
    if (!lease) throw new Error('the store forgets too much');
    try {
      const status = await store.readStatus();
      const known = store.known().listing;
      const ongoing = episodes.map((episode, index): OngoingAnime => ({ ...makeAnime(index + 1), episode }));
      const { stored } = nextListing(
        { listing: { schedule: [], ongoing }, reading: { at: now() }, mirror: '' },
        known,
      );
      const listing = stored!;
      const changedAt = listing.snapshot.ongoingChangedAt;
      await store.write(lease, {
        listing,
        status: makeStatus({ state: 'ok', attemptedAt: now(), changedAt }, status),
      });
    } finally {
      await lease.release();
    }
  }

  async read(): Promise<void> {
    await this.#store.refill();
  }

  /** As a sender does with the lease; the other processes learn what it has stored. */
  async send(): Promise<void> {
    const [store, world] = [this.#store, this.#world];
    const lease = (await store.lease('outbox')) ?? expect.fail('nobody else has the lease');
    try {
      let log = await readLog(store, [], world.now());
      const states = await this.#states.take({ lease, receivers: [RECEIVER], log, now: world.now() });
      for (;;) {
        log = await readLog(store, [], world.now());
        const state = states.of(RECEIVER.key)!;
        const [event] = eventsAfter(log, state);
        if (!event) return;
        const name = 'episode' in event ? `${event.slug} ${event.episode}` : '';
        world.delivered.push(name);
        await states
          .save(RECEIVER.key, { ...state, ...moveTo(log, state, event) })
          .catch((error: unknown) => {
            world.unnoted.add(name);
            throw error;
          });
        for (const other of world.processes) await other.follow().catch(() => {});
        // A sender sees that the store has changed, also where it was emptied before the others have read it.
        await states.restore().catch(() => {});
        for (const other of world.processes) await other.follow().catch(() => {});
      }
    } finally {
      await lease.release();
    }
  }

  async follow(): Promise<void> {
    await this.#states.follow();
  }

  poll(): void {
    this.#world.faults.push(...this.client.poll(this.#store));
  }

  checkReader(): void {
    const total = (this.#store.known().listing?.snapshot.ongoing ?? []).reduce(
      (sum, { episode }) => sum + episode,
      0,
    );
    if (total < this.#shown) this.#world.faults.push('a reader sees an older list than before');
    this.#shown = total;
  }
}

async function run(steps: readonly Step[]): Promise<string[]> {
  const database = new DatabaseSync(':memory:');
  const world = new World(database);
  const store = world.wrap(await openMemoryStore(database));
  for (let index = 0; index < PROCESSES; index += 1)
    world.processes.push(
      new Process(world, await openSnapshotStore(store, { random: () => 0.5, clock: world.now })),
    );
  const [first = expect.fail(), second = expect.fail()] = world.processes;
  // The receiver and the clients are there from the first listing on.
  await first.crawl();
  await second.read();
  for (const one of world.processes) {
    one.poll();
    await one.send();
  }
  for (const one of steps) await take(one);
  for (let round = 0; round < 6; round += 1)
    for (const one of world.processes)
      for (const act of [one.crawl, one.read, one.send]) await act.call(one).catch(() => {});
  for (const one of world.processes) one.poll();
  return [...world.faults, ...checkDeliveries(world)];

  async function take(one: Step): Promise<void> {
    if (one.type === 'air') world.episodes[one.anime]! += 1;
    else if (one.type === 'disaster') world.plan(one.disaster, one.inOperations);
    else if (one.type === 'set back') {
      world.setBack(one.writes);
      await world.wait();
    } else {
      const actor = world.processes[one.process]!;
      await Promise.resolve(actor[one.type]()).catch(() => {});
      if (one.type === 'crawl') for (const each of world.processes) await each.read().catch(() => {});
    }
    for (const each of world.processes) each.checkReader();
  }
}

/** What was sent of each anime must rise, and end with what is on the list. */
function checkDeliveries({ delivered, unnoted, episodes }: World): string[] {
  return episodes.flatMap((episode, index) => {
    const { slug } = makeAnime(index + 1);
    const sent = delivered
      .filter((one) => one.startsWith(`${slug} `))
      .map((one) => Number(one.split(' ')[1]));
    const isRising = sent.every(
      (one, at) => at === 0 || one > sent[at - 1]! || unnoted.has(`${slug} ${one}`),
    );
    const isWhole = episode === 1 || sent.at(-1) === episode;
    return [
      ...(isRising ? [] : [`${slug} was sent twice: ${sent}`]),
      ...(isWhole ? [] : [`${slug} ${episode} was never sent: ${sent}`]),
    ];
  });
}

/** Two turns of one sender without an event, before the store forgets: then the other one sends. */
const IDLE_SENDER: Step[] = [
  { type: 'send', process: 1 },
  { type: 'send', process: 1 },
  { type: 'air', anime: 0 },
  { type: 'set back', writes: 0 },
];

test(
  'whatever the store forgets, nobody goes back, misses an event or gets one twice',
  async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (taken) => {
        expect(await run(taken)).toEqual([]);
      }),
      { numRuns: 150 * MORE, examples: [[IDLE_SENDER]] },
    );
  },
  60_000 * MORE,
);
