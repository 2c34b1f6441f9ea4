import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { findOperation } from '../operations/operations.ts';
import { inPlace, placeIn } from '../operations/place.ts';
import { countPendingNames, type Survival, treeAfter } from './after-power-loss.ts';
import type { Change } from './changes.ts';
import { type FolderNode, listTree, writeTree } from './file-tree.ts';
import { type Recording, record } from './record.ts';

/** How long a machine takes at least until its services run again. */
const RESTART_MS = 10_000;

interface PowerLossResult {
  /** The number of different states that were checked. */
  states: number;
  failures: string[];
}

/**
 * Records an operation, and loses the power after each of its changes, or after every `stride`th: checks what is there
 * in each state that the file system may be in then.
 */
export function losePower(operation: string, stride: number): Promise<PowerLossResult> {
  const { check } = findOperation(operation);
  return inPlace(async (place, root) => {
    const recording = await record(operation, place, path.join(root, 'trace'));
    const failures: string[] = [];
    let states = 0;
    for (const state of statesOf(recording, stride)) {
      states += 1;
      const folder = path.join(root, String(states));
      await writeTree(folder, state.tree, new Date(Date.now() - RESTART_MS));
      const outcome = { before: recording.before, acknowledged: state.acknowledged };
      await check(placeIn(folder, place.site), outcome).catch((error: Error) =>
        failures.push(`${state.description}: ${error.message}`),
      );
      await rm(folder, { recursive: true });
    }
    return { states, failures };
  });
}

interface State {
  description: string;
  tree: FolderNode;
  acknowledged: unknown[];
}

/** The different states after a loss of power. */
function* statesOf({ tree, changes }: Recording, stride: number): Generator<State> {
  const known = new Set<string>();
  for (let moment = 1; moment <= changes.length; moment += stride) {
    const past = changes.slice(0, moment);
    const acknowledged = acknowledgedIn(past);
    for (const survival of survivalsAfter(past)) {
      const after = treeAfter(tree, past, survival);
      const digest = digestOf(after, acknowledged.length);
      if (known.has(digest)) continue;
      known.add(digest);
      const description = `after change ${moment}, with ${survival.names} names and ${survival.bytes} of the bytes that were not flushed`;
      yield { description, tree: after, acknowledged };
    }
  }
}

function survivalsAfter(past: readonly Change[]): Survival[] {
  const counts = Array.from({ length: countPendingNames(past) + 1 }, (_, names) => names);
  return counts.flatMap((names) =>
    (['none', 'half', 'later', 'all'] as const).map((bytes) => ({ names, bytes })),
  );
}

function acknowledgedIn(changes: readonly Change[]): unknown[] {
  return changes.flatMap((change) => (change.type === 'acknowledgement' ? [change.value] : []));
}

function digestOf(tree: FolderNode, acknowledged: number): string {
  const hash = createHash('sha1').update(String(acknowledged));
  for (const [name, bytes] of listTree(tree)) hash.update(`\0${name}\0`).update(bytes ?? '\0');
  return hash.digest('hex');
}
