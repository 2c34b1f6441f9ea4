import { findOperation } from '../operations/operations.ts';
import { inPlace } from '../operations/place.ts';
import { type Call, type CrashCell, interrupt, listCalls } from './interrupt.ts';

/** Where a call is looked for that another run made a little earlier or later, because a thread was woken less often. */
const SHIFTS = [0, 1, -1, 2, -2];
const MAX_REPLACED = 5;

interface CrashResult {
  /** The number of calls that got a fault, one in each run. */
  faulted: number;
  /** Descriptions of damage, each with the call into which the fault was injected. */
  failures: string[];
}

/** Injects a fault into the middle one of every `stride` calls, and checks what is left. */
export async function faultEveryCall(cell: CrashCell, stride: number): Promise<CrashResult> {
  const result: CrashResult = { faulted: 0, failures: [] };
  const calls = await inPlace((place) => listCalls(cell, place));
  const first = Math.floor(Math.min(stride, calls.length) / 2);
  for (let index = first; index < calls.length; index += stride) {
    // A call that this run does not make again is replaced by one of the next.
    for (const call of calls.slice(index, index + Math.min(stride, MAX_REPLACED))) {
      const { isFaulted, damage } = await faultCall(cell, call);
      if (isFaulted) result.faulted += 1;
      if (damage !== undefined)
        result.failures.push(`${cell.kind} at ${call.name} ${call.number}: ${damage}`);
      if (isFaulted || damage !== undefined) break;
    }
  }
  return result;
}

interface Faulted {
  isFaulted: boolean;
  /** A description of what is damaged afterwards. */
  damage?: string;
}

/** Runs the operation until the fault was injected into a call on a file or socket. */
async function faultCall(cell: CrashCell, call: Call): Promise<Faulted> {
  for (const shift of SHIFTS) {
    const number = call.number + shift;
    if (number < 1) continue;
    const found = await faultOneCall(cell, { ...call, number });
    if (found.isFaulted || found.damage !== undefined) return found;
  }
  return { isFaulted: false };
}

function faultOneCall(cell: CrashCell, call: Call): Promise<Faulted> {
  return inPlace(async (place) => {
    const { faulted = '', ...outcome } = await interrupt(cell, call, place);
    const isFaulted = call.name === 'socket' ? faulted !== '' : faulted.includes(place.folder);
    try {
      await findOperation(cell.operation).check(place, outcome);
      return { isFaulted };
    } catch (error) {
      return { isFaulted, damage: error instanceof Error ? error.message : String(error) };
    }
  });
}
