// Keeps pages for a time without a network: the front page, and the pages of followed anime that were visited.
import { currentSlug, followed, lang, onChange, page, renamed } from './my-anime.js';
import { load, save } from './shared.js';

/** The same as in service-worker.js. */
const CACHE = 'tayang-pages';
/** The pages of the anime that were followed last. */
const MAX_PAGES = 40;
const RENEWED = 'tayang-renewed';
const DAY_MS = 86_400_000;

if (navigator.serviceWorker && window.caches) {
  register().catch(() => {});
  window.addEventListener('load', () => run(true));
  onChange(() => run(false));
}

/** One worker for every language: a browser that has to change the worker of a page may keep the next page waiting. */
export function register() {
  return navigator.serviceWorker.register('/service-worker.js');
}

/** @param {boolean} isVisit whether this page has just been opened */
function run(isVisit) {
  keep(isVisit).catch(() => {});
}

/**
 * Keeps this page as it is now, and removes those that are followed no more. One that fails costs no other.
 * @param {boolean} isVisit
 */
async function keep(isVisit) {
  const cache = await caches.open(CACHE);
  const slugs = followed();
  // Their former addresses lead to the same pages.
  const former = [...renamed.keys()].filter((slug) => slugs.has(currentSlug(slug)));
  const own = [...former, ...slugs].slice(-MAX_PAGES).map((slug) => `/anime/${slug}`);
  const kept = (await cache.keys()).map(({ url }) => new URL(url));
  for (const { href, pathname } of kept)
    if (pathname.startsWith('/anime/') && !own.includes(pathname)) await cache.delete(href);
  for (const { href, pathname } of kept) {
    const current = currentSlug(pathname.slice('/anime/'.length));
    const isFormer = own.includes(pathname) && !pathname.endsWith(`/${current}`);
    if (isFormer && !kept.some((one) => one.pathname === `/anime/${current}`))
      for (const one of [href, `/anime/${current}?lang=${lang}`]) await add(cache, one);
  }
  const { slug } = page.dataset;
  const path = slug ? `/anime/${slug}?lang=${lang}` : `/?lang=${lang}`;
  const isOwn = !slug || slugs.has(slug);
  if (isOwn && (isVisit || !kept.some(({ href }) => href === location.origin + path)))
    await addPage(cache, path);
  if (isVisit && isDue())
    for (const { href, pathname } of kept) if (own.includes(pathname)) await add(cache, href);
}

/**
 * @param {Cache} cache
 * @param {string} path
 */
async function addPage(cache, path) {
  const loaded = performance.getEntriesByType('resource').map(({ name }) => name);
  const assets = loaded.filter((name) => name.startsWith(`${location.origin}/assets/`));
  for (const one of new Set(['/assets/style.css', ...assets, path])) await add(cache, one);
}

/**
 * Takes it as the server has it now, where the browser's own copy may be older. What cannot be loaded costs nothing else.
 * @param {Cache} cache
 * @param {string} address
 */
async function add(cache, address) {
  await cache.add(new Request(address, { cache: 'no-cache' })).catch(() => {});
}

/** Once a day the kept pages are renewed; not for somebody who saves data. */
function isDue() {
  const { connection } = /** @type {{ connection?: { saveData?: boolean } }} */ (navigator);
  const renewedAt = Number(load(RENEWED) ?? 0);
  if (connection?.saveData || Math.abs(Date.now() - renewedAt) < DAY_MS) return false;
  save(RENEWED, Date.now());
  return renewedAt > 0;
}
