// What all pages of the listing share: the followed anime, and covers that do not load.
import { fill, load, save } from './shared.js';

export const page = document.getElementById('Page');
export const texts = JSON.parse(page.dataset.texts);
export const { lang } = document.documentElement;
const FOLLOWED = 'tayang-followed';
/** The maximum number of followed anime, and of those in a link. */
const MAX_FOLLOWED = 500;
const SLUG = /^(?:[a-z0-9-]|%[0-9a-f]{2})+$/u;
/** The same as in service-worker.js. */
const CACHE = 'tayang-pages';
/** The last ones followed. */
const MAX_PAGES = 40;
const listeners = [];
/** The current slug of each renamed anime, by its former slugs. */
const renamed = new Map(Object.entries(JSON.parse(page.dataset.renamed ?? '{}')));

moveFollowed();
dropBrokenCovers();
document
  .getElementById('Follow')
  ?.append(createStar(page.dataset.slug, document.querySelector('h1').textContent, true));
if (navigator.serviceWorker && window.caches) {
  register().catch(() => {});
  window.addEventListener('load', () => keep().catch(() => {}));
  onFollowed(() => keep().catch(() => {}));
}
window.addEventListener('storage', ({ key }) => key === FOLLOWED && update());

/** One worker for every language: a browser that has to change the worker of a page may keep the next page waiting. */
export function register() {
  return navigator.serviceWorker.register('/service-worker.js');
}

export function createElement(name, properties) {
  return Object.assign(document.createElement(name), properties);
}

export function currentSlug(slug) {
  return renamed.get(slug) ?? slug;
}

/** Moves what is kept under former slugs to the current ones. What is already kept under a current slug wins. */
export function moveToCurrent(kept) {
  const { former = [], current = [] } = Object.groupBy(Object.entries(kept), ([slug]) =>
    renamed.has(slug) ? 'former' : 'current',
  );
  const moved = former.map(([slug, value]) => [currentSlug(slug), value]);
  return Object.fromEntries([...moved, ...current]);
}

/** Stores the current slugs of what is followed: later pages may no longer name the former ones. */
function moveFollowed() {
  const kept = load(FOLLOWED);
  if (Array.isArray(kept) && kept.some((slug) => renamed.has(slug))) save(FOLLOWED, readSlugs(kept));
}

/** The slugs of the followed anime. */
export function followed() {
  return new Set(readSlugs(load(FOLLOWED)));
}

export function follow(slugs) {
  setFollowed([...followed(), ...slugs]);
}

function setFollowed(slugs, star) {
  save(FOLLOWED, readSlugs(slugs));
  update(star);
}

/** Calls back after each change of the followed anime, with the star that made it. */
export function onFollowed(listener) {
  listeners.push(listener);
}

/** The valid slugs in a value from outside, which may be anything: the current ones, each once. */
export function readSlugs(list) {
  const items = Array.isArray(list) ? list : [];
  const slugs = items.filter((one) => typeof one === 'string' && SLUG.test(one)).map(currentSlug);
  return [...new Set(slugs)].slice(0, MAX_FOLLOWED);
}

export function title(item) {
  return item.querySelector('.title').textContent;
}

/** A button that follows an anime and stops following it; a wide one also has a label that says whether it is followed. */
export function createStar(slug, name, isWide = false) {
  const star = createElement('button', { type: 'button', className: isWide ? 'star wide' : 'star' });
  star.dataset.star = slug;
  star.dataset.name = name;
  star.addEventListener('click', () => {
    const slugs = followed();
    if (!slugs.delete(slug)) slugs.add(slug);
    setFollowed([...slugs], star);
  });
  updateStar(star, followed());
  return star;
}

function updateStar(star, now) {
  const isFollowed = now.has(star.dataset.star);
  star.textContent = isFollowed ? '★' : '☆';
  if (star.matches('.wide')) {
    star.append(' ', isFollowed ? texts.followed : texts.followButton);
    star.classList.toggle('plain', isFollowed);
  } else {
    star.ariaPressed = isFollowed;
    star.ariaLabel = fill(texts.follow, { title: star.dataset.name });
  }
}

function update(from) {
  const now = followed();
  for (const star of document.querySelectorAll('.star')) updateStar(star, now);
  for (const listener of listeners) listener(now, from);
}

/** A cover that does not load is removed, so that the title's initial shows; copies are covered by the same listener. */
function dropBrokenCovers() {
  const drop = ({ target }) => target.matches?.('.cover img, .glow') && target.remove();
  document.addEventListener('error', drop, true);
  for (const cover of document.querySelectorAll('.cover img, .glow')) {
    if (cover.complete && cover.naturalWidth === 0 && cover.currentSrc) cover.remove();
  }
}

/** Takes the pages as they are now, and removes those that are followed no more. One that fails costs no other. */
async function keep() {
  const cache = await caches.open(CACHE);
  const now = followed();
  // Their former addresses lead to the same pages.
  const former = [...renamed.keys()].filter((slug) => now.has(currentSlug(slug)));
  const own = [...former, ...now].slice(-MAX_PAGES).map((slug) => `/anime/${slug}?lang=${lang}`);
  for (const { url } of await cache.keys()) {
    const { pathname, search } = new URL(url);
    if (pathname.startsWith('/anime/') && !own.includes(pathname + search)) await cache.delete(url);
  }
  const loaded = performance.getEntriesByType('resource').map(({ name }) => name);
  const assets = loaded.filter((name) => name.startsWith(`${location.origin}/assets/`));
  const wanted = ['/assets/anime.css', ...assets, `/?lang=${lang}`, ...own];
  for (const path of new Set(wanted)) await cache.add(path).catch(() => {});
}
