// @ts-check
// Plain JavaScript, because it applies before any TypeScript is loaded.
import { lstatSync, mkdirSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import path from 'node:path';
import { canOthersWrite, findForeign } from './trusted-path.js';

/** `npm ci` removes it, so that no entries of an earlier version pile up. */
const FOLDER = path.resolve(import.meta.dirname, '../../node_modules/.tayang');

/**
 * Lets Node keep the compiled modules, so that it strips the types of a module only once. Node runs what it finds there
 * without another look, so nobody but this user may be able to write it: elsewhere, such as in the shared temporary folder
 * that is Node's default, whoever comes first writes the entries of everybody (docs/decisions/0051-compiled-code-is-kept-where-the-code-is.md).
 */
export function cacheCompiledModules() {
  const user = process.getuid?.();
  if (user !== undefined && isPrivate(FOLDER, user)) enableCompileCache(FOLDER);
}

/**
 * Whether a folder, which is created if possible, and the way to it belong to a user alone.
 * @param {string} folder
 * @param {number} user
 */
function isPrivate(folder, user) {
  try {
    // Nothing is created in the installation of somebody else, who could not use it.
    if (findForeign(path.dirname(folder), [user])) return false;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const stats = lstatSync(folder);
    return stats.uid === user && !canOthersWrite(stats) && !findForeign(folder, [user]);
  } catch {
    // The installation cannot be written by this user: it works without a cache, only more slowly.
    return false;
  }
}
