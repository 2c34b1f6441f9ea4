import type { Release, Store } from '../../../../src/crawler/snapshot-store.ts';
import type { AnimeEvent } from '../../../../src/domain/event.ts';
import type { Snapshot } from '../../../../src/domain/listing.ts';
import { Turns } from '../turns.ts';
import { Attempt } from './attempt.ts';
import { History } from './history.ts';
import type { ModelSite } from './site.ts';

export type WriteFailure = 'not written' | 'written';

/** What the model knows of one process. */
export interface ProcessState {
  name: string;
  /** The difference of its clock, in ms. */
  skewMs: number;
  attempt: Attempt | undefined;
  /** Whether its lease was given to another process; its writes are refused until it releases the lease. */
  hasLostLease: boolean;
  /** Fails the next write. */
  failure: WriteFailure | undefined;
  notify: () => void;
}

/** What the processes share: the site, the store with its lease, the clock, the order of operations, and the model. */
export class World {
  readonly turns = new Turns();
  readonly history = new History();
  readonly faults: string[] = [];
  readonly site: ModelSite;
  clock = Date.parse('2026-11-20T05:00:00Z');
  #holder: { state: ProcessState; release: Release } | undefined;

  constructor(site: ModelSite) {
    this.site = site;
  }

  now({ skewMs }: ProcessState): number {
    return this.clock + skewMs;
  }

  /** A store whose operations wait for their turn, once `isOpen` returns true. */
  delay(state: ProcessState, inner: Store, isOpen: () => boolean): Store {
    const { turns } = this;
    const wait = <Value>(work: () => Value, isPossible?: () => boolean) =>
      isOpen() ? turns.wait(state.name, work, isPossible) : Promise.resolve(work());
    return {
      keyv: {
        get: (key) => wait(() => inner.keyv.get(key)) as Promise<never>,
        set: (key, value) =>
          wait(() => (isOpen() ? this.#write(state, inner, key, value) : inner.keyv.set(key, value))),
      },
      subscriptions: inner.subscriptions,
      lease: () =>
        wait(
          () => this.#lease(state, inner),
          () => this.#holder === undefined,
        ),
      holds: async () => true,
      watch(onNotice) {
        state.notify = onNotice;
        return () => {};
      },
      shared: true,
      close: inner.close,
    };
  }

  async #lease(state: ProcessState, inner: Store): Promise<Release | undefined> {
    const release = await inner.lease();
    if (!release) {
      this.faults.push('the lease was not released');
      return undefined;
    }
    this.#holder = { state, release };
    state.attempt = new Attempt({ site: this.site, before: this.history.last });
    return () => this.turns.wait(state.name, () => this.endLease(state));
  }

  /** Releases the lease of a process that has ended its refresh, was killed, or has lost it. */
  async endLease(state: ProcessState): Promise<void> {
    state.hasLostLease = false;
    if (this.#holder?.state !== state) return;
    await this.#holder.release();
    this.#holder = undefined;
  }

  async loseLease(state: ProcessState): Promise<void> {
    if (this.#holder?.state !== state) return;
    await this.endLease(state);
    state.hasLostLease = true;
    state.attempt?.noteFailure();
  }

  async #write(state: ProcessState, inner: Store, key: string, value: unknown): Promise<boolean> {
    const { failure } = state;
    state.failure = undefined;
    if (failure === 'not written') throw new Error('the store failed');
    if (state.hasLostLease) throw new Error('the lease was lost');
    if (this.#holder?.state !== state) this.faults.push(`${state.name} wrote ${key} without the lease`);
    await inner.keyv.set(key, value);
    state.attempt?.writes.push(key);
    await this.#checkWrite(state, inner, key);
    if (failure === 'written') throw new Error('the store failed');
    return true;
  }

  async #checkWrite(state: ProcessState, inner: Store, key: string): Promise<void> {
    if (key !== 'snapshot') return;
    const stored = await inner.keyv.get<Snapshot & { events: AnimeEvent[] }>('snapshot');
    if (!stored) return void this.faults.push('the snapshot was not stored');
    const { events, ...snapshot } = stored;
    this.faults.push(...(state.attempt?.checkSnapshot(snapshot) ?? []));
    this.faults.push(...this.history.add(snapshot, events));
  }
}
