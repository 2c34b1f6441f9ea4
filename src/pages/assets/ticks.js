// The buttons that say that episodes were watched, and the way back.
import { createElement, newestOf, texts, watch, watched } from './my-anime.js';
import { fill } from './shared.js';

const KEY = 'tayang-ticked';
/** A visit is over when nothing was ticked for this time. */
const VISIT_MS = 30 * 60_000;

/**
 * What was ticked on this visit: up to where the anime had been watched before, by its slug.
 * @type {Map<string, { before: number, at: number }>}
 */
const ticked = new Map(Object.entries(readTicked()));

/** @returns {Record<string, { before: number, at: number }>} */
function readTicked() {
  try {
    const entries = Object.entries(JSON.parse(sessionStorage.getItem(KEY) ?? '{}'));
    return Object.fromEntries(entries.filter(([, one]) => one.at > Date.now() - VISIT_MS));
  } catch {
    return {};
  }
}

function keepTicked() {
  try {
    sessionStorage.setItem(KEY, JSON.stringify(Object.fromEntries(ticked)));
  } catch {
    // Storage is not allowed: the way back lasts as long as the page.
  }
}

/** The slugs of the anime that were ticked on this visit. */
export const tickedSlugs = () => ticked.keys();

/**
 * The episodes that are out and were not watched: `8`, `7 & 8` or `5–8`; empty where all were.
 * @param {string} slug
 * @param {number} [newest]
 */
export function unwatchedEpisodes(slug, newest = newestOf(slug) ?? 0) {
  return rangeOf((watched().get(slug) ?? newest) + 1, newest);
}

/**
 * The same as it was before the tick of this visit.
 * @param {string} slug
 * @param {number} newest
 */
export function tickedEpisodes(slug, newest) {
  return rangeOf((ticked.get(slug)?.before ?? newest) + 1, newest);
}

/**
 * @param {number} first
 * @param {number} last
 */
function rangeOf(first, last) {
  if (first > last) return '';
  return first === last ? `${last}` : `${first}${last - first === 1 ? ' & ' : '–'}${last}`;
}

/**
 * Says that all of an anime that is out was watched; a second time, takes that back.
 * @param {string} slug
 * @param {number} newest
 * @param {HTMLElement} from
 */
function toggle(slug, newest, from) {
  const before = watched().get(slug) ?? newest;
  const isWatched = before >= newest;
  if (isWatched) watchBefore(slug, newest, from);
  else tick(slug, newest, from);
}

/**
 * @param {string} slug
 * @param {number} episode
 * @param {HTMLElement} from
 */
export function tick(slug, episode, from) {
  ticked.set(slug, { before: watched().get(slug) ?? 0, at: Date.now() });
  keepTicked();
  watch(slug, episode, from);
}

/**
 * Takes back a tick: up to where it had been watched, else all but this episode.
 * @param {string} slug
 * @param {number} episode
 * @param {HTMLElement} from
 */
export function watchBefore(slug, episode, from) {
  const { before = episode - 1 } = ticked.get(slug) ?? {};
  ticked.delete(slug);
  keepTicked();
  watch(slug, Math.min(before, episode - 1), from);
}

/**
 * A button that says that all of an anime that is out was watched.
 * @param {string} slug
 * @param {string} name
 * @param {() => number} newest
 */
export function createTick(slug, name, newest) {
  const button = createElement('button', { type: 'button', className: 'tick' });
  button.addEventListener('click', () => toggle(slug, newest(), button));
  return { button, update: () => updateTick(button, slug, name, newest()) };
}

/**
 * @param {HTMLElement} button
 * @param {string} slug
 * @param {string} name
 * @param {number} newest
 */
function updateTick(button, slug, name, newest) {
  const isWatched = (watched().get(slug) ?? newest) >= newest;
  const episodes = fill(texts.episode, { n: unwatchedEpisodes(slug, newest) || newest });
  button.textContent = '✓';
  button.ariaPressed = `${isWatched}`;
  button.ariaLabel = fill(texts.watched, { title: name, episodes });
}
