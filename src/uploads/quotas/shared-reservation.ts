import type { QuotaReservation } from '../quota.ts';
import type { LedgerReservation, LedgerSession } from './ledger-session.ts';
import type { ProcessQuota } from './process.ts';
import type { CountedFile } from './stored-files.ts';

/** A reservation in the ledger or, while the ledger is unavailable, in this process. */
type Reservation = LedgerReservation | QuotaReservation;

const isInLedger = (current: Reservation): current is LedgerReservation => 'processName' in current;

/**
 * Continues a reservation that was begun in the ledger or in this process. If the ledger has released it, because this
 * process sent no heartbeat for long, the next step reserves all its bytes again.
 */
export function createSharedReservation(
  session: LedgerSession,
  local: ProcessQuota,
  owner: string,
  begun: Reservation,
): QuotaReservation {
  let current = begun;
  let last: Promise<unknown> = Promise.resolve();

  /** Runs the steps one after the other: chunks arrive while a step is under way. */
  function inOrder(step: () => Promise<void>): Promise<void> {
    const next = last.then(step);
    last = next.catch(() => {});
    return next;
  }

  const bytesOf = () => {
    if (!isInLedger(current)) return current.bytes();
    return current.processName === session.processName() ? current.bytes : 0;
  };

  /** Moves a reservation of this process into the ledger once that works again. */
  function moveIntoLedger(): void {
    const name = session.processName();
    if (isInLedger(current) || name === undefined) return;
    current.release();
    current = { processName: name, bytes: 0 };
  }

  async function extend(bytes: number, aheadBytes: number): Promise<void> {
    moveIntoLedger();
    if (bytes <= bytesOf()) return;
    if (!isInLedger(current)) return void (await current.grow(bytes, aheadBytes));
    const needed = bytes - bytesOf();
    const taken = await session.take(owner, needed + aheadBytes, needed);
    if (taken?.processName === current.processName) taken.bytes += current.bytes;
    current = taken ?? (await local.reserve(owner, bytes + aheadBytes, bytes));
  }

  async function keep(id: string, size: number, publish: () => Promise<void>): Promise<void> {
    await extend(size, 0);
    if (isInLedger(current)) {
      const file = { id, owner, size };
      if (await keepInLedger(current, file)) return publishCounted(file, publish);
      current = await local.reserve(owner, size, size);
    }
    session.noteUncounted();
    await current.keep(id, size, publish);
  }

  async function keepInLedger(
    { processName, bytes }: LedgerReservation,
    file: CountedFile,
  ): Promise<true | undefined> {
    const isKept = await session.attempt(async (ledger) => {
      await ledger.keep(processName, file, bytes);
      return true as const;
    });
    if (isKept) current = { processName, bytes: 0 };
    return isKept;
  }

  async function publishCounted(file: CountedFile, publish: () => Promise<void>): Promise<void> {
    local.add(file);
    await publish().catch(async (error: unknown) => {
      local.forget({ ...file, uploadedAt: 0 });
      await session.attempt((ledger, process) => ledger.remove(process, file));
      throw error;
    });
  }

  async function release(): Promise<void> {
    if (!isInLedger(current)) return current.release();
    const { processName: name, bytes } = current;
    current = { processName: name, bytes: 0 };
    if (bytes > 0 && name === session.processName())
      await session.attempt((ledger) => ledger.release(name, owner, bytes));
  }

  return {
    bytes: bytesOf,
    grow: (bytes, aheadBytes = 0) =>
      bytes <= bytesOf() ? undefined : inOrder(() => extend(bytes, aheadBytes)),
    keep: (id, size, publish) => inOrder(() => keep(id, size, publish)),
    release: () => void inOrder(release).catch(() => {}),
  };
}
