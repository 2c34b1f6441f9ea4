// What was not watched yet, on top of the front page until it is ticked; and the ticks of the rows of followed anime.
import { bySlug } from './filter.js';
import { findListed } from './listed.js';
import { createElement, followed, lang, newestOf, texts, title } from './my-anime.js';
import { byId, fill, find, findAll } from './shared.js';
import { createTick, tickedEpisodes, tickedSlugs, unwatchedEpisodes } from './ticks.js';

const root = document.documentElement;
const section = byId('Unwatched');
const count = find(section, 'h2 span');
const list = find(section, 'ul');
/**
 * What is shown, by slug. What was ticked stays in its place until the next visit.
 * @type {Map<string, { item: HTMLElement, update: () => void }>}
 */
const shown = new Map();
/** What was unwatched when the page was opened, and may be ticked since. */
const stay = new Set(tickedSlugs());

/** @typedef {{ slug: string, name: string, newest: () => number, cover?: Node | undefined }} Unwatched */

/** Shows what was not watched, in the order in which it came out. */
export function showUnwatched() {
  const slugs = followed();
  const known = [...slugs].flatMap((slug) => describe(slug) ?? []);
  const open = known.filter(({ slug, newest }) => unwatchedEpisodes(slug, newest()) !== '');
  for (const { slug } of open) stay.add(slug);
  for (const one of known) if (stay.has(one.slug) && !shown.has(one.slug)) add(one);
  for (const { update } of shown.values()) update();
  count.textContent = `${open.length || ''}`;
  list.dataset.note = shown.size === 0 ? texts.allWatched : '';
  if (open.length > 0 && root.dataset.returning === undefined) reveal();
  showBadge(open.length);
}

/** Shows the section, which somebody who has just begun has no place for, above what they look at, which does not move. */
function reveal() {
  const { top: before = 0 } = section.nextElementSibling?.getBoundingClientRect() ?? {};
  root.dataset.returning = '';
  const { top: after = 0 } = section.nextElementSibling?.getBoundingClientRect() ?? {};
  scrollBy({ top: after - before, behavior: 'instant' });
}

/**
 * @param {string} slug
 * @returns {Unwatched | undefined}
 */
function describe(slug) {
  const [row] = bySlug.get(slug) ?? [];
  if (row) {
    const cover = row.querySelector('.cover')?.cloneNode(true);
    return { slug, name: title(row), newest: () => newestOf(slug) ?? 0, cover };
  }
  const listed = findListed(slug);
  return listed && { slug, name: listed.title, newest: () => listed.episode };
}

/** @param {Unwatched} anime */
function add({ slug, name, newest, cover }) {
  const item = createElement('li');
  item.dataset.slug = slug;
  const link = createElement('a', {
    href: `/anime/${slug}?lang=${lang}`,
    className: 'title short',
    textContent: name,
  });
  const episodes = createElement('p', { className: 'episode' });
  const about = createElement('div', { className: 'about' });
  about.append(link, episodes);
  const tick = createTick(slug, name, newest);
  if (cover) item.append(cover);
  item.append(about, tick.button);
  list.append(item);
  shown.set(slug, {
    item,
    update() {
      const left = followed().has(slug) ? unwatchedEpisodes(slug, newest()) : '';
      item.toggleAttribute('data-done', left === '');
      episodes.textContent =
        left === '' ? `${texts.done} · ${episodeText(tickedEpisodes(slug, newest()))}` : episodeText(left);
      tick.update();
      tick.button.textContent = left === '' ? '↶' : '✓';
      if (left === '') tick.button.ariaLabel = fill(texts.undo, { title: name });
    },
  });
}

/** @param {string} episodes */
function episodeText(episodes) {
  return episodes === '' ? '' : fill(texts.episode, { n: episodes });
}

/**
 * The number on the icon of the installed app.
 * @param {number} number
 */
function showBadge(number) {
  const { setAppBadge, clearAppBadge } = navigator;
  const done = number > 0 ? setAppBadge?.call(navigator, number) : clearAppBadge?.call(navigator);
  done?.catch(() => {});
}

/** The rows of followed anime that are out today have a tick beside the star. */
function showTicks() {
  const slugs = followed();
  for (const row of findAll(document, '#Today .rows > .out')) {
    const { slug = '' } = row.dataset;
    const button = row.querySelector('.tick');
    if (!slugs.has(slug)) {
      button?.remove();
      continue;
    }
    const tick = createTick(slug, title(row), () => newestOf(slug) ?? 0);
    tick.update();
    if (!button) row.append(tick.button);
    else if (button instanceof HTMLElement) {
      button.ariaPressed = tick.button.ariaPressed;
      button.ariaLabel = tick.button.ariaLabel;
    }
  }
}

/** Shows what is unwatched, and the ticks of today. */
export function showWatchList() {
  showUnwatched();
  showTicks();
}
