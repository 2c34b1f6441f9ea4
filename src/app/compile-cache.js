// @ts-check
// Plain JavaScript, because it applies before any TypeScript is loaded.
import { lstatSync, mkdirSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import path from 'node:path';
import { canOthersWrite, findForeign } from './trusted-path.js';

/** `npm ci` removes it, so that no entries of an earlier version pile up. */
const FOLDER = path.resolve(import.meta.dirname, '../../node_modules/.tayang');

/**
 * Lets Node keep the compiled modules, so that it strips the types of a module only once. Node runs the entries of its cache
 * without checking who wrote them, so only this user may be able to write the folder. In Node's default, the shared temporary
 * folder, any user could plant an entry (docs/decisions/0051-compiled-code-is-kept-where-the-code-is.md).
 */
export function cacheCompiledModules() {
  const user = process.getuid?.();
  if (user !== undefined && isPrivate(FOLDER, user)) enableCompileCache(FOLDER);
}

/**
 * Creates a folder if possible. Returns whether only the user and root can change it, or anything on the way to it.
 * @param {string} folder
 * @param {number} user
 */
function isPrivate(folder, user) {
  try {
    // Not in another user's installation: neither this user nor the owner could use the cache.
    if (findForeign(path.dirname(folder), [user])) return false;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const stats = lstatSync(folder);
    return stats.uid === user && !canOthersWrite(stats) && !findForeign(folder, [user]);
  } catch {
    // This user cannot write the installation. Without a cache it works as well, only more slowly.
    return false;
  }
}
