// @ts-check
// Plain JavaScript, because runtime.js needs it before any TypeScript is loaded.
import { lstatSync, readlinkSync, realpathSync } from 'node:fs';
import path from 'node:path';

const ROOT = 0;
/** The permission bits of groups and of everybody, and the bit of folders such as /tmp. */
const GROUP_WRITES = 0o020;
const ALL_WRITE = 0o002;
const STICKY = 0o1000;

/**
 * Returns the first file, folder or symbolic link on the way to a file that somebody other than root and these users can
 * change; undefined if there is none. `known`: steps that are not checked. Throws if the file does not exist.
 * @param {string} file
 * @param {readonly number[]} users
 * @param {ReadonlySet<string>} [known]
 * @returns {string | undefined}
 */
export function findForeign(file, users, known = new Set()) {
  return [...stepsTo(file)].find((step) => !known.has(step) && isForeign(step, users));
}

/**
 * Returns everything that decides where a path leads: the path, each folder above it, and the same for the targets of symbolic
 * links.
 * @param {string} file
 * @param {Set<string>} steps
 * @returns {Set<string>}
 */
export function stepsTo(file, steps = new Set()) {
  const step = path.resolve(file);
  if (steps.has(step)) return steps;
  const folder = path.dirname(step);
  if (folder !== step) stepsTo(folder, steps);
  steps.add(step);
  if (lstatSync(step).isSymbolicLink()) {
    stepsTo(path.resolve(realpathSync(folder), readlinkSync(step)), steps);
    stepsTo(realpathSync(step), steps);
  }
  return steps;
}

/**
 * @param {string} step
 * @param {readonly number[]} users
 */
function isForeign(step, users) {
  const stats = lstatSync(step);
  if (stats.uid !== ROOT && !users.includes(stats.uid)) return true;
  // The mode of a link means nothing. In a sticky folder, nobody can replace the files of other users.
  if (stats.isSymbolicLink() || (stats.isDirectory() && stats.mode & STICKY)) return false;
  return canOthersWrite(stats);
}

/**
 * Whether users other than the owner can write a file or folder. A group with the owner's number is taken for their own group.
 * @param {import('node:fs').Stats} stats
 */
export function canOthersWrite({ mode, uid, gid }) {
  return Boolean(mode & ALL_WRITE || (mode & GROUP_WRITES && gid !== uid));
}
