import type { Change } from './changes.ts';
import { type FileNode, type FolderNode, isFolder, type TreeNode } from './file-tree.ts';

/*
 * The model of a journaling file system. What was flushed is there: the bytes of a file after fsync or fdatasync of it,
 * a name after fsync of its folder. Of the rest, a power loss keeps any beginning of the changes of names, in their
 * order, each of them whole; and of each file any beginning of the bytes that were written, or only the later ones where
 * they replace others. A file whose bytes are lost has the size that it had.
 */

/** How much of what was not flushed is there after the power loss. */
export interface Survival {
  /** The number of changes of names, from the first one that was not flushed. */
  names: number;
  bytes: 'none' | 'half' | 'later' | 'all';
}

interface Pending {
  names: Set<Change>;
  bytes: Map<FileNode, Change[]>;
}

/** What of these changes was not flushed when the power was lost. */
function findPending(changes: readonly Change[]): Pending {
  const flushedUntil = new Map<TreeNode, number>();
  for (const change of changes) if (change.type === 'sync') flushedUntil.set(change.node, change.covers);
  const isFlushed = (position: number, nodes: (TreeNode | undefined)[]) =>
    nodes.some((node) => node && position < (flushedUntil.get(node) ?? 0));
  const pending: Pending = { names: new Set(), bytes: new Map() };
  for (const [position, change] of changes.entries()) {
    if (change.type === 'entries') {
      if (!isFlushed(position, [change.added?.folder, change.removed?.folder])) pending.names.add(change);
    } else if (change.type === 'write' || change.type === 'resize') {
      if (isFlushed(position, [change.node])) continue;
      pending.bytes.set(change.node, [...(pending.bytes.get(change.node) ?? []), change]);
    }
  }
  return pending;
}

/** The number of changes of names that were not flushed. */
export function countPendingNames(changes: readonly Change[]): number {
  return findPending(changes).names.size;
}

/** Returns the tree that is there when the power was lost after these changes; `before` is not modified. */
export function treeAfter(before: FolderNode, changes: readonly Change[], survival: Survival): FolderNode {
  const pending = findPending(changes);
  const lostNames = new Set([...pending.names].slice(survival.names));
  const folders = new Map<FolderNode, Map<string, TreeNode>>();
  const namesIn = (folder: FolderNode) => {
    const names = folders.get(folder) ?? new Map(folder.entries);
    folders.set(folder, names);
    return names;
  };
  for (const change of changes) {
    if (change.type !== 'entries' || lostNames.has(change)) continue;
    const { added, removed } = change;
    if (removed && namesIn(removed.folder).get(removed.name) === removed.node)
      namesIn(removed.folder).delete(removed.name);
    if (added) namesIn(added.folder).set(added.name, added.node);
  }
  return copy(before);

  function copy(folder: FolderNode): FolderNode {
    const entries = [...namesIn(folder)].map(
      ([name, node]) => [name, isFolder(node) ? copy(node) : { bytes: contentOf(node) }] as const,
    );
    return { entries: new Map(entries) };
  }

  function contentOf(node: FileNode): Buffer {
    const unflushed = pending.bytes.get(node) ?? [];
    const isLost = new Set(unflushed);
    const flushed = changes.filter((change) => !isLost.has(change)).reduce(applyTo(node), node.bytes);
    return surviving(unflushed, survival.bytes, flushed.length).reduce(applyTo(node), flushed);
  }
}

function surviving(changes: readonly Change[], kept: Survival['bytes'], size: number): Change[] {
  if (kept === 'none') return [];
  if (kept === 'all') return [...changes];
  const middle = Math.floor(changes.length / 2);
  if (kept === 'half')
    return [...changes.slice(0, middle), ...changes.slice(middle, middle + 1).map(firstHalf)];
  return changes.slice(middle).filter((change) => change.type === 'write' && change.offset <= size);
}

function firstHalf(change: Change): Change {
  if (change.type !== 'write') return change;
  return { ...change, bytes: change.bytes.subarray(0, change.bytes.length / 2) };
}

function applyTo(node: FileNode): (bytes: Buffer, change: Change) => Buffer {
  return (bytes, change) => {
    if (change.type === 'resize' && change.node === node) return resize(bytes, change.size);
    if (change.type !== 'write' || change.node !== node) return bytes;
    const end = change.offset + change.bytes.length;
    const grown = resize(bytes, Math.max(bytes.length, end));
    change.bytes.copy(grown, change.offset);
    return grown;
  };
}

/** Always a copy. */
function resize(bytes: Buffer, size: number): Buffer {
  const resized = Buffer.alloc(size);
  bytes.copy(resized);
  return resized;
}
