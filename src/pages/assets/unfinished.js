// The uploads that this browser has begun and not finished, and which tab sends each of them: an upload has one owner.
import { savedList } from './shared.js';

/** As many as are taken at a time. */
const MAX_UNFINISHED = 100;
/** A tab that was closed or reloaded may have its locks for a moment. */
const LOCK_TIMEOUT_MS = 2_000;
export const UNFINISHED = 'tayang-unfinished';
/**
 * @typedef {object} Unfinished
 * @property {string} file what identifies the file
 * @property {string | undefined} lifetime
 * @property {string} name
 * @property {string} path the path of the upload on the server
 * @property {number} expires until when it can be continued, ms since 1970
 */
/** @type {ReturnType<typeof savedList<Unfinished>>} */
const list = savedList(UNFINISHED, MAX_UNFINISHED);
/**
 * Those that this tab sends, by their paths.
 * @type {Map<string, { upload: Unfinished, release: () => void }>}
 */
const own = new Map();

// Without locks, as over plain HTTP, the tab that sends an upload takes it off the list until the tab is left.
window.addEventListener('pagehide', () => {
  if (!navigator.locks) for (const path of own.keys()) release(path);
});

/**
 * Whether this tab still is the owner: without locks, a page that comes back from the back/forward cache no longer is.
 * @param {string} path
 */
export const isOwn = (path) => own.has(path);

/**
 * Notes an upload that this tab has just begun.
 * @param {Unfinished} upload
 */
export async function begin(upload) {
  await take(upload);
  if (navigator.locks) list.add(upload);
}

/**
 * Makes this tab the owner of the first upload that fits. Resolves with nothing where there is none that is free.
 * @param {(upload: Unfinished) => boolean} fits
 */
export async function takeOver(fits) {
  for (const upload of list.read().filter(fits)) if (await take(upload)) return upload;
  return undefined;
}

/**
 * Gives up an upload of this tab, which can be continued.
 * @param {string} path
 */
export function release(path) {
  const { upload, release } = own.get(path) ?? {};
  own.delete(path);
  if (upload && !navigator.locks) list.add(upload);
  release?.();
}

/**
 * Forgets an upload of this tab, because it is over.
 * @param {string} path
 */
export function forget(path) {
  release(path);
  list.remove((upload) => upload.path === path);
}

/** The uploads that no tab sends, as far as this one knows. */
export const findAbandoned = () => list.read().filter(({ path }) => abandoned.has(path) && !own.has(path));
const abandoned = new Set();
const watched = new Set();

/**
 * Calls back when there is another upload that no tab sends, now or after its tab was closed.
 * @param {() => void} onAbandoned
 */
export function watchAbandoned(onAbandoned) {
  for (const { path } of list.read()) {
    if (watched.has(path)) continue;
    watched.add(path);
    whenFree(path).then(() => {
      abandoned.add(path);
      onAbandoned();
    });
  }
}

/** @param {string} path */
const lockOf = (path) => `tayang-upload ${path}`;

/** @param {string} path */
async function whenFree(path) {
  if (navigator.locks) await navigator.locks.request(lockOf(path), () => {});
}

/**
 * Resolves with whether this tab is the owner now.
 * @param {Unfinished} upload
 */
async function take(upload) {
  const { path } = upload;
  if (own.has(path)) return false;
  const release = navigator.locks ? await lock(path) : () => {};
  if (!release) return false;
  own.set(path, { upload, release });
  if (!navigator.locks) list.remove((other) => other.path === path);
  return true;
}

/**
 * Resolves with a function that releases the lock, or with nothing where another tab has it.
 * @param {string} path
 * @returns {Promise<(() => void) | undefined>}
 */
function lock(path) {
  return new Promise((resolve) => {
    /** @returns {Promise<void>} */
    const keep = () => new Promise((release) => resolve(release));
    const signal = AbortSignal.timeout(LOCK_TIMEOUT_MS);
    navigator.locks.request(lockOf(path), { signal }, keep).catch(() => resolve(undefined));
  });
}
