import { expiryOf } from '../../domain/upload.ts';
import { type QuotaReservation, quotaExceeded } from '../quota.ts';
import type { ProcessQuota } from './process.ts';
import type { Ledger } from './redis-ledger.ts';

interface SharedQuota {
  /** The name of this process in the ledger; undefined while the ledger is away. */
  processName(): string | undefined;
  /** Resolves with undefined when the ledger is away. */
  tryLedger<Result>(
    use: (ledger: Ledger, processName: string) => Promise<Result>,
  ): Promise<Result | undefined>;
  local: ProcessQuota;
}

/** A reservation in the ledger; or in this process, while the ledger is away. */
type Held = { processName: string; bytes: number } | QuotaReservation;

const isInLedger = (held: Held): held is Exclude<Held, QuotaReservation> => 'processName' in held;

/**
 * A reservation that begins in the ledger, with the bytes taken there, or in this process (`begun`). One that the ledger has lost, as
 * it does with a process that was silent for long, is made again in full at its next step.
 */
export function createSharedReservation(
  { processName, tryLedger, local }: SharedQuota,
  owner: string,
  begun: Held,
): QuotaReservation {
  let held = begun;
  let last: Promise<unknown> = Promise.resolve();

  /** Chunks arrive while a step is under way, so steps are taken one after the other. */
  function inOrder(step: () => Promise<void>): Promise<void> {
    const next = last.then(step);
    last = next.catch(() => {});
    return next;
  }

  const bytesOf = () => {
    if (!isInLedger(held)) return held.bytes();
    return held.processName === processName() ? held.bytes : 0;
  };

  /** What was reserved in this process moves into the ledger once that is back. */
  function moveIntoLedger(): void {
    const name = processName();
    if (isInLedger(held) || name === undefined) return;
    held.release();
    held = { processName: name, bytes: 0 };
  }

  async function extend(bytes: number, aheadBytes: number): Promise<void> {
    moveIntoLedger();
    if (bytes <= bytesOf()) return;
    if (!isInLedger(held)) return void (await held.grow(bytes, aheadBytes));
    const needed = bytes - bytesOf();
    const taken = await tryLedger(async (ledger, name) => ({
      name,
      ...(await ledger.take(name, owner, needed + aheadBytes, needed)),
    }));
    if (taken && 'left' in taken) throw quotaExceeded(taken.left, taken.exhausted);
    if (taken)
      held = {
        processName: taken.name,
        bytes: (held.processName === taken.name ? held.bytes : 0) + taken.bytes,
      };
    else held = await local.reserve(owner, bytes + aheadBytes, bytes);
  }

  async function keep(id: string, size: number, publish: () => Promise<void>): Promise<void> {
    await extend(size, 0);
    if (!isInLedger(held)) return held.keep(id, size, publish);
    const { processName: name, bytes } = held;
    const file = { id, owner, size };
    const isKept = await tryLedger(async (ledger) => {
      await ledger.keep(name, file, bytes, expiryOf(id) ?? 0);
      return true;
    });
    if (!isKept) {
      held = await local.reserve(owner, size, size);
      return held.keep(id, size, publish);
    }
    held = { processName: name, bytes: 0 };
    local.add(file);
    await publish().catch(async (error: unknown) => {
      local.forget({ ...file, uploadedAt: 0 });
      await tryLedger((ledger, current) => ledger.remove(current, file));
      throw error;
    });
  }

  async function release(): Promise<void> {
    if (!isInLedger(held)) return held.release();
    const { processName: name, bytes } = held;
    held = { processName: name, bytes: 0 };
    if (bytes > 0 && name === processName()) await tryLedger((ledger) => ledger.release(name, owner, bytes));
  }

  return {
    bytes: bytesOf,
    grow: (bytes, aheadBytes = 0) =>
      bytes <= bytesOf() ? undefined : inOrder(() => extend(bytes, aheadBytes)),
    keep: (id, size, publish) => inOrder(() => keep(id, size, publish)),
    release: () => void inOrder(release).catch(() => {}),
  };
}
