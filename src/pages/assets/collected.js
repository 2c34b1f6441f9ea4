// One link for several files: made as soon as the files of a visit are uploaded, and shown above them.
import { byId, fill, find, savedList } from './shared.js';
import { texts } from './texts.js';
import { authorization } from './token.js';

/** As many as the server takes. */
const MAX_FILES = 100;
/**
 * @typedef {object} Collected
 * @property {string} url
 * @property {number} count how many files it has
 * @property {number} expires ms since 1970
 */
export const COLLECTED = 'tayang-collections';
/** @type {ReturnType<typeof savedList<Collected>>} */
const collected = savedList(COLLECTED, 20);
const box = byId('all');
/** The files of the link that is made or shown, so that it is made once. */
let current = '';

/**
 * Makes a link for the pages of these files, unless there is one.
 * @param {string[]} pages
 */
export async function collect(pages) {
  const files = pages.slice(-MAX_FILES);
  const key = files.join(' ');
  if (key === current) return;
  current = key;
  if (files.length < 2) return;
  const made = await create(files).catch(() => undefined);
  // Further files may have arrived meanwhile.
  if (current !== key) return;
  if (!made) {
    // The next file that arrives tries again.
    current = '';
    byId('notice').textContent = texts.notCollected;
    return;
  }
  collected.add(made);
  show(made);
}

/**
 * @param {string[]} files
 * @returns {Promise<Collected | undefined>}
 */
async function create(files) {
  const response = await fetch('/c', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...authorization() },
    body: JSON.stringify({ files }),
  });
  if (!response.ok) return undefined;
  const { result } = await response.json();
  return { url: result.url, count: result.files.length, expires: result.expired };
}

/** Shows the link that was made last, on this or an earlier visit. */
export function showCollected() {
  const [last] = collected.read();
  if (last) show(last);
}

/** @param {Collected} link */
function show({ url, count }) {
  find(box, '.title').textContent = fill(texts.allInOne, { n: count });
  const link = find(box, 'a');
  link.setAttribute('href', url);
  link.textContent = url.replace(/^https?:\/\//u, '');
  find(box, '[data-copy]').dataset.copy = url;
  find(box, '[data-copy]').hidden = !navigator.clipboard;
  find(box, '[data-share]').dataset.share = url;
  find(box, '[data-share]').hidden = !('share' in navigator);
  box.hidden = false;
}
