// What all pages of the listing share: the followed anime, and up to which episode each was watched. Only this browser knows.
/** @import { Translations } from '../i18n/translations.ts' */
import { byId, fill, find, findAll, load, save } from './shared.js';

export const page = byId('Page');
/** @type {Translations['scripts']} */
export const texts = JSON.parse(page.dataset.texts ?? '');
export const lang = /** @type {Translations['language']} */ (document.documentElement.lang);
const FOLLOWED = 'tayang-followed';
const WATCHED = 'tayang-watched';
/** What an earlier version kept of the last visit: the episodes that were known then. */
const VISITS = 'tayang';
/** The maximum number of followed anime, and of those in a link. */
const MAX_FOLLOWED = 500;
const SLUG = /^(?:[a-z0-9-]|%[0-9a-f]{2})+$/u;
/** @type {((from?: HTMLElement) => void)[]} */
const listeners = [];
/**
 * The current slug of each renamed anime, by its former slugs.
 * @type {Map<string, string>}
 */
export const renamed = new Map(Object.entries(JSON.parse(page.dataset.renamed ?? '{}')));
/**
 * Up to where anime were watched that are followed no more: whoever follows one again has not watched it anew.
 * @type {Map<string, number>}
 */
const unfollowed = new Map();

settle();
dropBrokenCovers();
window.addEventListener('storage', ({ key }) => [FOLLOWED, WATCHED].includes(key ?? '') && update());

/**
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {Partial<HTMLElementTagNameMap[Name]>} [properties]
 */
export function createElement(name, properties) {
  return Object.assign(document.createElement(name), properties);
}

/** @param {string} slug */
export function currentSlug(slug) {
  return renamed.get(slug) ?? slug;
}

/** Stores what is kept under current slugs: later pages may no longer name the former ones. Knows what was watched. */
function settle() {
  const slugs = [...followed()];
  const kept = load(FOLLOWED);
  if (Array.isArray(kept) && kept.some((slug) => renamed.has(slug))) save(FOLLOWED, slugs);
  const { seen = {} } = /** @type {{ seen?: Record<string, number> }} */ (load(VISITS) ?? {});
  const seenNow = new Map(Object.entries(seen).map(([slug, n]) => [currentSlug(slug), n]));
  const known = watched();
  const added = slugs.flatMap((slug) => {
    const newest = newestOf(slug);
    const number = seenNow.get(slug) ?? newest;
    return known.has(slug) || number === undefined ? [] : [/** @type {const} */ ([slug, number])];
  });
  if (added.length > 0) save(WATCHED, Object.fromEntries([...known, ...added]));
}

/** The slugs of the followed anime, in the order in which they were followed. */
export function followed() {
  return new Set(readSlugs(load(FOLLOWED)));
}

/**
 * Up to which episode each followed anime was watched, by its slug.
 * @returns {Map<string, number>}
 */
export function watched() {
  const kept = load(WATCHED) ?? {};
  const numbers = Object.entries(kept).filter(([slug, n]) => SLUG.test(slug) && Number.isSafeInteger(n));
  const { former = [], current = [] } = Object.groupBy(numbers, ([slug]) =>
    renamed.has(slug) ? 'former' : 'current',
  );
  // What is already kept under a current slug wins.
  return new Map([...former.map(([slug, n]) => /** @type {const} */ ([currentSlug(slug), n])), ...current]);
}

/**
 * The newest episode of an anime that is out, as this page knows it; 0 before the first, undefined where it does not know it.
 * @param {string} slug
 * @returns {number | undefined}
 */
export function newestOf(slug) {
  if (page.dataset.slug) return page.dataset.slug === slug ? Number(page.dataset.episode) : undefined;
  const rows = findAll(document, `#Timeline [data-slug="${CSS.escape(slug)}"]`);
  return rows.length > 0 ? Math.max(...rows.map(({ dataset }) => Number(dataset.episode ?? 0))) : undefined;
}

/**
 * Follows anime, each with the episode up to which it was watched; by default all that is out.
 * @param {Iterable<readonly [slug: string, watched?: number]>} anime
 * @param {HTMLElement} [from] the control that was used
 */
export function follow(anime, from) {
  const numbers = watched();
  const slugs = [...anime].map(([slug, number]) => {
    const n = number ?? numbers.get(slug) ?? unfollowed.get(slug) ?? newestOf(slug);
    if (n !== undefined) numbers.set(slug, n);
    return slug;
  });
  store([...followed(), ...slugs], numbers, from);
}

/**
 * @param {string} slug
 * @param {HTMLElement} [from]
 */
export function unfollow(slug, from) {
  const slugs = followed();
  slugs.delete(slug);
  unfollowed.set(slug, watched().get(slug) ?? 0);
  store([...slugs], watched(), from);
}

/**
 * Notes up to which episode an anime was watched.
 * @param {string} slug
 * @param {number} episode
 * @param {HTMLElement} [from]
 */
export function watch(slug, episode, from) {
  store([...followed()], watched().set(slug, episode), from);
}

/**
 * @param {string[]} list
 * @param {Map<string, number>} numbers
 * @param {HTMLElement} [from]
 */
function store(list, numbers, from) {
  const slugs = readSlugs(list);
  save(FOLLOWED, slugs);
  save(WATCHED, Object.fromEntries([...numbers].filter(([slug]) => slugs.includes(slug))));
  update(from);
}

/**
 * Calls back after each change of what is followed or watched, with the control that made it.
 * @param {(from?: HTMLElement) => void} listener
 */
export function onChange(listener) {
  listeners.push(listener);
}

/**
 * The valid slugs in a value from outside, which may be anything: the current ones, each once.
 * @param {unknown} list
 */
export function readSlugs(list) {
  const items = Array.isArray(list) ? list : [];
  const slugs = items.filter((one) => typeof one === 'string' && SLUG.test(one)).map(currentSlug);
  return [...new Set(slugs)].slice(0, MAX_FOLLOWED);
}

/** @param {ParentNode} item */
export function title(item) {
  return find(item, '.title').textContent;
}

/**
 * A button that follows an anime and stops following it.
 * @param {string} slug
 * @param {string} name
 */
export function createStar(slug, name) {
  const star = createElement('button', { type: 'button', className: 'star' });
  star.dataset.star = slug;
  star.ariaLabel = fill(texts.follow, { title: name });
  star.addEventListener('click', () =>
    followed().has(slug) ? unfollow(slug, star) : follow([[slug]], star),
  );
  updateStar(star, followed());
  return star;
}

/**
 * @param {HTMLElement} star
 * @param {Set<string>} now
 */
function updateStar(star, now) {
  const isFollowed = now.has(star.dataset.star ?? '');
  star.textContent = isFollowed ? '★' : '☆';
  star.ariaPressed = `${isFollowed}`;
}

/** @param {HTMLElement} [from] */
function update(from) {
  const now = followed();
  for (const star of findAll(document, '.star')) updateStar(star, now);
  for (const listener of listeners) listener(from);
}

/** A cover that does not load is removed, so that the title shows; copies are covered by the same listener. */
function dropBrokenCovers() {
  document.addEventListener('error', ({ target }) => dropCover(target), true);
  for (const image of findAll(document, '.cover img, .glow')) {
    const { complete, naturalWidth, currentSrc } = /** @type {HTMLImageElement} */ (image);
    if (complete && naturalWidth === 0 && currentSrc) dropCover(image);
  }
}

/** @param {EventTarget | null} image */
function dropCover(image) {
  if (!(image instanceof HTMLImageElement) || !image.matches('.cover img, .glow')) return;
  const cover = image.closest('.cover');
  const name = cover?.parentElement?.querySelector('.title, h1')?.textContent;
  if (cover && name) cover.setAttribute('data-title', name);
  image.remove();
}
