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
 * change; undefined where there is none. `known`: what need not be looked at. Throws where the file does not exist.
 * @param {string} file
 * @param {readonly number[]} users
 * @param {ReadonlySet<string>} [known]
 * @returns {string | undefined}
 */
export function findForeign(file, users, known = new Set()) {
  return [...stepsTo(file)].find((step) => !known.has(step) && isForeign(step, users));
}

/**
 * Returns everything that decides what a path leads to: the path and each folder above it, the targets of symbolic links
 * included.
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
  // The mode of a link says nothing. In a sticky folder, nobody can replace what belongs to others.
  if (stats.isSymbolicLink() || (stats.isDirectory() && stats.mode & STICKY)) return false;
  return canOthersWrite(stats);
}

/**
 * Whether users other than the owner can write a file or folder. A group with the owner's number is the owner's own.
 * @param {import('node:fs').Stats} stats
 */
export function canOthersWrite({ mode, uid, gid }) {
  return Boolean(mode & ALL_WRITE || (mode & GROUP_WRITES && gid !== uid));
}
