import { expiryOf } from '../../domain/upload.ts';
import type { QuotaReservation } from '../quota.ts';
import type { ProcessQuota } from './process.ts';
import type { Ledger } from './redis-ledger.ts';

export interface SharedQuota {
  /** The name of this process in the ledger; undefined while the ledger is away. */
  processName(): string | undefined;
  /** Resolves with undefined when the ledger is away. */
  tryLedger<Result>(
    use: (ledger: Ledger, processName: string) => Promise<Result>,
  ): Promise<Result | undefined>;
  /** Reserves bytes in the ledger; resolves with undefined when that is away. Throws AppError `storage-full`. */
  take(owner: string, wantedBytes: number, neededBytes: number): Promise<LedgerReservation | undefined>;
  local: ProcessQuota;
}

interface LedgerReservation {
  processName: string;
  bytes: number;
}

/** A reservation in the ledger or, while the ledger is away, in this process. */
type Reservation = LedgerReservation | QuotaReservation;

const isInLedger = (current: Reservation): current is LedgerReservation => 'processName' in current;

/**
 * Continues a reservation that was begun in the ledger or in this process. If the ledger has released it, because this
 * process sent no heartbeat for long, the next step reserves all its bytes again.
 */
export function createSharedReservation(
  { processName, tryLedger, take, local }: SharedQuota,
  owner: string,
  begun: Reservation,
): QuotaReservation {
  let current = begun;
  let last: Promise<unknown> = Promise.resolve();

  /** Runs one step after the other: chunks arrive while a step is under way. */
  function inOrder(step: () => Promise<void>): Promise<void> {
    const next = last.then(step);
    last = next.catch(() => {});
    return next;
  }

  const bytesOf = () => {
    if (!isInLedger(current)) return current.bytes();
    return current.processName === processName() ? current.bytes : 0;
  };

  /** Moves a reservation of this process into the ledger once that works again. */
  function moveIntoLedger(): void {
    const name = processName();
    if (isInLedger(current) || name === undefined) return;
    current.release();
    current = { processName: name, bytes: 0 };
  }

  async function extend(bytes: number, aheadBytes: number): Promise<void> {
    moveIntoLedger();
    if (bytes <= bytesOf()) return;
    if (!isInLedger(current)) return void (await current.grow(bytes, aheadBytes));
    const needed = bytes - bytesOf();
    const taken = await take(owner, needed + aheadBytes, needed);
    if (taken?.processName === current.processName) taken.bytes += current.bytes;
    current = taken ?? (await local.reserve(owner, bytes + aheadBytes, bytes));
  }

  async function keep(id: string, size: number, publish: () => Promise<void>): Promise<void> {
    await extend(size, 0);
    if (!isInLedger(current)) return current.keep(id, size, publish);
    const { processName: name, bytes } = current;
    const file = { id, owner, size };
    const isKept = await tryLedger(async (ledger) => {
      await ledger.keep(name, file, bytes, expiryOf(id) ?? 0);
      return true;
    });
    if (!isKept) {
      current = await local.reserve(owner, size, size);
      return current.keep(id, size, publish);
    }
    current = { processName: name, bytes: 0 };
    local.add(file);
    await publish().catch(async (error: unknown) => {
      local.forget({ ...file, uploadedAt: 0 });
      await tryLedger((ledger, process) => ledger.remove(process, file));
      throw error;
    });
  }

  async function release(): Promise<void> {
    if (!isInLedger(current)) return current.release();
    const { processName: name, bytes } = current;
    current = { processName: name, bytes: 0 };
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
