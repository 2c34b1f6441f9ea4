import { findOperation, OPERATIONS } from '../operations/operations.ts';
import { inPlace } from '../operations/place.ts';
import { printOutcome } from '../print-outcome.ts';
import { type Call, type CrashCell, interrupt, KINDS, listCalls, THREADS } from './interrupt.ts';

/** Where a call is looked for that another run made a little earlier or later, because a thread was woken less often. */
const SHIFTS = [0, 1, -1, 2, -2];
const MAX_REPLACED = 5;

interface CrashResult {
  /** The number of calls that got a fault, one in each run. */
  faulted: number;
  /** Calls that later runs did not make again. */
  missed: Call[];
  /** Descriptions of damage, each with the call into which the fault was injected. */
  failures: string[];
}

/** `crash [operation…]`: prints whether all holds after each fault at each call. */
export async function proveCrash(operations: string[]): Promise<boolean> {
  let holds = true;
  for (const operation of operations.length > 0 ? operations : Object.keys(OPERATIONS))
    for (const kind of KINDS)
      for (const thread of THREADS) {
        const { faulted, missed, failures } = await faultEveryCall({ operation, kind, thread });
        const others = missed.length === 0 ? '' : `, ${missed.length} not reached`;
        const what = `${operation}, ${kind}, ${thread} thread: ${faulted} calls${others}`;
        holds = printOutcome(what, failures) && holds;
      }
  return holds;
}

/** Injects a fault into the middle one of every `stride` calls, and checks what is left. */
export async function faultEveryCall(cell: CrashCell, stride = 1): Promise<CrashResult> {
  const result: CrashResult = { faulted: 0, missed: [], failures: [] };
  const calls = await inPlace((place) => listCalls(cell, place));
  const first = Math.floor(Math.min(stride, calls.length) / 2);
  for (let index = first; index < calls.length; index += stride) {
    // A call that this run does not make again is replaced by one of the next.
    for (const call of calls.slice(index, index + Math.min(stride, MAX_REPLACED))) {
      const { isFaulted, damage } = await faultCall(cell, call);
      if (isFaulted) result.faulted += 1;
      else result.missed.push(call);
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
