import path from 'node:path';
import { type FileNode, type FolderNode, isFolder, type TreeNode } from './file-tree.ts';
import { descriptorOf, lastNumber, quotedBytes, type TracedCall } from './parse-trace.ts';

/** What a call changed, by the nodes of the tree before the first call and of those that calls created. */
export type Change =
  | { type: 'write'; node: FileNode; offset: number; bytes: Buffer }
  | { type: 'resize'; node: FileNode; size: number }
  /** Names that appear and disappear in one step. */
  | { type: 'entries'; added?: Entry; removed?: Entry }
  /** Makes durable what was done to a file or folder before the change at this position. */
  | { type: 'sync'; node: TreeNode; covers: number }
  | { type: 'acknowledgement'; value: unknown };

interface Entry {
  folder: FolderNode;
  name: string;
  node: TreeNode;
}

/**
 * Translates calls into changes of the tree at `root`, which is not modified. Throws for a call of which it cannot see
 * what it changed. What a process writes to its standard output counts as its acknowledgements.
 */
export function toChanges(calls: readonly TracedCall[], root: string, before: FolderNode): Change[] {
  const changes: Change[] = [];
  const view = createView(root, before);
  const positions = new Map<number, number>();
  /** The number of changes when so many calls had returned. */
  const changesAfter: number[] = [];

  for (const call of calls) {
    changesAfter.push(changes.length);
    if (call.result < 0) continue;
    for (const change of changesOf(call)) {
      changes.push(change);
      view.apply(change);
    }
  }
  return changes;

  function changesOf(call: TracedCall): Change[] {
    const { name, args } = call;
    if (/^p?writev?(64|2)?$/u.test(name)) return written(call);
    if (/^f(data)?sync$/u.test(name)) return synced(call);
    if (name === 'openat') return opened(call);
    if (name === 'ftruncate') return resized(view.fileAt(descriptorOf(args).path), lastNumber(args));
    const [first, second] = quotedBytes(args).map(String);
    if (/^mkdir/u.test(name)) return created(first, { entries: new Map() });
    if (/^(unlink|rmdir)/u.test(name)) return entryChange(undefined, view.entryAt(first));
    if (/^link/u.test(name)) return created(second, view.entryAt(first)?.node);
    if (/^rename/u.test(name)) {
      const moved = view.entryAt(first);
      return entryChange(moved && view.placeOf(second, moved.node), moved);
    }
    throw new Error(`The call ${name} is not understood.`);
  }

  function written({ name, args, result }: TracedCall): Change[] {
    const { fd, path: place } = descriptorOf(args);
    const bytes = Buffer.concat(quotedBytes(args)).subarray(0, result);
    if (fd === 1) return acknowledged(bytes);
    const node = view.fileAt(place);
    if (!node) return [];
    if (name.startsWith('p')) return [{ type: 'write', node, offset: lastNumber(args), bytes }];
    const offset = positions.get(fd);
    if (offset === undefined) throw new Error(`The position in ${place} is not known.`);
    positions.set(fd, offset + bytes.length);
    return [{ type: 'write', node, offset, bytes }];
  }

  function opened({ args, result }: TracedCall): Change[] {
    const place = String(quotedBytes(args).at(0));
    positions.set(result, 0);
    const node = view.fileAt(place);
    if (node && args.includes('O_APPEND')) positions.set(result, view.sizeOf(node));
    if (node && args.includes('O_TRUNC')) return resized(node, 0);
    const isNew = !view.entryAt(place) && args.includes('O_CREAT');
    return isNew ? created(place, { bytes: Buffer.alloc(0) }) : [];
  }

  function synced({ args, begunAfter }: TracedCall): Change[] {
    const node = view.nodeAt(descriptorOf(args).path);
    return node ? [{ type: 'sync', node, covers: changesAfter[begunAfter] ?? changes.length }] : [];
  }

  function created(place: string | undefined, node: TreeNode | undefined): Change[] {
    return node ? entryChange(view.placeOf(place, node), undefined) : [];
  }
}

function acknowledged(bytes: Buffer): Change[] {
  const { acknowledged: value } = JSON.parse(bytes.toString()) as { acknowledged: unknown };
  return [{ type: 'acknowledgement', value }];
}

function resized(node: FileNode | undefined, size: number): Change[] {
  return node ? [{ type: 'resize', node, size }] : [];
}

function entryChange(added: Entry | undefined, removed: Entry | undefined): Change[] {
  if (!added && !removed) return [];
  return [{ type: 'entries', ...(added && { added }), ...(removed && { removed }) }];
}

/** The names and sizes as the process sees them, without changing the nodes. */
function createView(root: string, before: FolderNode) {
  const names = new Map<FolderNode, Map<string, TreeNode>>();
  const sizes = new Map<FileNode, number>();
  const sizeOf = (node: FileNode) => sizes.get(node) ?? node.bytes.length;

  function namesIn(folder: FolderNode): Map<string, TreeNode> {
    const known = names.get(folder) ?? new Map(folder.entries);
    names.set(folder, known);
    return known;
  }

  /** Undefined outside the root. */
  function nodeAt(place: string | undefined): TreeNode | undefined {
    const relative = place === undefined ? '..' : path.relative(root, place);
    if (relative === '') return before;
    if (relative.startsWith('..')) return undefined;
    let node: TreeNode | undefined = before;
    for (const name of relative.split('/')) node = isFolder(node) ? namesIn(node).get(name) : undefined;
    return node;
  }

  function placeOf(place: string | undefined, node: TreeNode): Entry | undefined {
    const folder = place === undefined ? undefined : nodeAt(path.dirname(place));
    return isFolder(folder) ? { folder, name: path.basename(place ?? ''), node } : undefined;
  }

  return {
    nodeAt,
    placeOf,
    sizeOf,
    fileAt(place: string): FileNode | undefined {
      const node = nodeAt(place);
      return isFolder(node) ? undefined : node;
    },
    entryAt(place: string | undefined): Entry | undefined {
      const node = nodeAt(place);
      return node && placeOf(place, node);
    },
    apply(change: Change): void {
      if (change.type === 'write')
        sizes.set(change.node, Math.max(sizeOf(change.node), change.offset + change.bytes.length));
      if (change.type === 'resize') sizes.set(change.node, change.size);
      if (change.type !== 'entries') return;
      const { added, removed } = change;
      if (removed) namesIn(removed.folder).delete(removed.name);
      if (added) namesIn(added.folder).set(added.name, added.node);
    },
  };
}
