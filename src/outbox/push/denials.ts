import type { Report } from '../../domain/operational-event.ts';
import { coalesce } from '../../domain/serial.ts';
import { waitForLease } from '../../store/leased-job.ts';
import type { SnapshotStore } from '../../store/snapshot-store.ts';
import type { Store } from '../../store/store.ts';

const KEY = 'push:denials';
/** How many push services are remembered, the newest ones: strangers can subscribe with services of their own. */
const MAX_DENIALS = 50;
const MAX_WARNED = 1_000;

/** A push service, by its origin, that does not accept this installation. */
export interface Denial {
  origin: string;
  /** The status and the text of its answer. */
  reason: string;
  /** ms since 1970. */
  since: number;
  /** The PUSH_CONTACT that it was sent. */
  contact: string;
}

/** The push services that did not accept a contact last, with their reasons. */
export async function readDenials({ values }: Pick<Store, 'values'>, contact: string): Promise<Denial[]> {
  const denials = (await values.get<Denial[]>(KEY)) ?? [];
  return denials.filter((denial) => denial.contact === contact);
}

interface DenialsOptions {
  store: Pick<SnapshotStore, 'values' | 'lease'>;
  contact: string;
  report: Report;
  /** Wall clock, ms since 1970. */
  now: () => number;
}

export interface Denials {
  /** Notes what a push service answered: why it refuses this installation, or undefined where it accepts messages. */
  note(origin: string, reason: string | undefined): void;
  /** Stores what has changed. Never rejects: what could not be stored is noted again with the next message. */
  save(): Promise<void>;
  /** Ends waiting for the lease. */
  stop(): void;
}

/** Notes which push services do not accept this installation: warns of each once, and stores them for the doctor. */
export function createDenials({ store, contact, report, now }: DenialsOptions): Denials {
  /** What is not stored yet; null for a service that accepts messages. */
  let changes = new Map<string, Denial | null>();
  /** What is stored, as far as this process wrote or read it. */
  let known: Map<string, Denial> | undefined;
  const warned = new Set<string>();
  const stopping = new AbortController();

  function warnOnce(origin: string, reason: string): void {
    const text = `${origin} ${reason}`;
    if (warned.has(text) || warned.size >= MAX_WARNED) return;
    warned.add(text);
    report({ type: 'push-denied', service: origin, reason });
  }

  async function readAll(): Promise<Map<string, Denial>> {
    return new Map((await readDenials(store, contact)).map((denial) => [denial.origin, denial]));
  }

  const write = coalesce(async () => {
    known ??= await readAll();
    const noted = changes;
    changes = new Map();
    const isNews = [...noted].some(([origin, denial]) => known?.get(origin)?.reason !== denial?.reason);
    if (!isNews) return;
    const lease = await waitForLease(store, 'records', { signal: stopping.signal });
    try {
      const kept = new Map([...applyChanges(await readAll(), noted)].slice(-MAX_DENIALS));
      await lease.write({ [KEY]: [...kept.values()] });
      known = kept;
    } finally {
      await lease.release();
    }
  });

  return {
    note(origin: string, reason: string | undefined): void {
      changes.set(origin, reason === undefined ? null : { origin, reason, since: now(), contact });
      if (reason !== undefined) warnOnce(origin, reason);
    },
    save: () => write().catch(() => {}),
    stop: () => stopping.abort(),
  };
}

/** A service that repeats its reason keeps the time of the first refusal. */
function applyChanges(
  denials: Map<string, Denial>,
  changes: ReadonlyMap<string, Denial | null>,
): Map<string, Denial> {
  for (const [origin, denial] of changes) {
    const former = denials.get(origin);
    denials.delete(origin);
    if (denial) denials.set(origin, former?.reason === denial.reason ? former : denial);
  }
  return denials;
}
