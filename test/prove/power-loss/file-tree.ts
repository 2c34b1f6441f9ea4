import { mkdir, readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';

/** A file or a folder, whatever names it has. */
export interface FileNode {
  bytes: Buffer;
}
export interface FolderNode {
  entries: Map<string, TreeNode>;
}
export type TreeNode = FileNode | FolderNode;

export function isFolder(node: TreeNode | undefined): node is FolderNode {
  return node !== undefined && 'entries' in node;
}

/** Reads a folder with all that is in it. */
export async function readTree(folder: string): Promise<FolderNode> {
  const entries = new Map<string, TreeNode>();
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const place = path.join(folder, entry.name);
    entries.set(entry.name, entry.isDirectory() ? await readTree(place) : { bytes: await readFile(place) });
  }
  return { entries };
}

/** Writes a tree whose files and folders were changed at `changedAt`. */
export async function writeTree(folder: string, { entries }: FolderNode, changedAt: Date): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const [name, node] of entries) {
    const place = path.join(folder, name);
    if (isFolder(node)) {
      await writeTree(place, node, changedAt);
      continue;
    }
    await writeFile(place, node.bytes);
    await utimes(place, changedAt, changedAt);
  }
  await utimes(folder, changedAt, changedAt);
}

/** The files and folders of a tree by their paths; for folders, null. */
export function listTree(tree: FolderNode, prefix = ''): Map<string, Buffer | null> {
  const found = new Map<string, Buffer | null>();
  for (const name of [...tree.entries.keys()].sort()) {
    const node = tree.entries.get(name);
    found.set(prefix + name, isFolder(node) ? null : (node?.bytes ?? null));
    if (isFolder(node))
      for (const [below, bytes] of listTree(node, `${prefix}${name}/`)) found.set(below, bytes);
  }
  return found;
}
