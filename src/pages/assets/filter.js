// Search and filter of the front page, behind one control.
import { followed, texts, title } from './my-anime.js';
import { byId, fill, findAll } from './shared.js';

const root = document.documentElement;
const form = byId('Filter', HTMLFormElement);
const control = byId('Search');
const query = byId('Query', HTMLInputElement);
const genre = byId('Genre', HTMLSelectElement);
const onlyMine = byId('OnlyMine', HTMLInputElement);
const status = byId('Count');
/** What the source and visitors write behind a title. */
const SUFFIX = /[\s-]*\bsub(?:title)?[\s-]*indo(?:nesia)?\s*$/iu;
/** The days, and what is folded or grouped in them. */
const days = findAll(document, '#Timeline .day');
const folds = /** @type {HTMLDetailsElement[]} */ (findAll(document, '#Timeline details'));
const headings = findAll(document, '#Timeline .group');
export const rows = findAll(document, '#Timeline .rows > li');
/**
 * The rows of each anime, by its slug.
 * @type {Map<string, HTMLElement[]>}
 */
export const bySlug = Map.groupBy(rows, ({ dataset }) => dataset.slug ?? '');
/** What each anime is found by. */
const anime = [...bySlug].map(([slug, own]) => ({
  slug,
  own,
  text: searchTextOf(slug, own),
  genres: own.flatMap(({ dataset }) => dataset.genres?.split(' ') ?? []),
}));

form.reset();
restore(history.state?.filter);
form.addEventListener('input', applyAndKeep);
form.addEventListener('submit', (event) => event.preventDefault());
form.addEventListener('keydown', ({ key }) => key === 'Escape' && control.click());
control.addEventListener('click', () => {
  show(form.hidden !== false);
  if (!form.hidden) return query.focus();
  form.reset();
  applyAndKeep();
  control.focus();
});
window.addEventListener('hashchange', openByAddress);
openByAddress();

/** @param {boolean} isShown */
function show(isShown) {
  form.hidden = !isShown;
  control.setAttribute('aria-expanded', `${isShown}`);
}

/** The address of an anime shows it, whatever the filter says; that of the search opens it. */
function openByAddress() {
  if (location.hash === '#Search') {
    show(true);
    query.focus();
  } else if (bySlug.has(location.hash.slice(1))) {
    form.reset();
    applyAndKeep();
  }
}

/**
 * Without case, accents, spaces, hyphens and marks.
 * @param {string} text
 */
export function squeeze(text) {
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '');
}

/**
 * What an anime is found by: its title, the initials of its words, its slug, and its other titles.
 * @param {string} slug
 * @param {HTMLElement[]} own
 */
function searchTextOf(slug, [first, ...others]) {
  if (!first) return '';
  const name = title(first);
  const initials = name.split(/[^\p{L}\p{N}]+/u).map((word) => word.charAt(0));
  const also = [first, ...others].map(({ dataset }) => dataset.also ?? '');
  return [name, initials.join(''), slug, ...also].map(squeeze).join('\n');
}

/** Shows what matches on all days at once. Returns whether anything is asked for. */
export function apply() {
  const words = query.value.replace(SUFFIX, '').split(/\s+/u).map(squeeze);
  const mine = onlyMine.checked ? followed() : undefined;
  let shown = 0;
  for (const { slug, own, text, genres } of anime) {
    const matches =
      words.every((word) => text.includes(word)) &&
      (genre.value === '' || genres.includes(genre.value)) &&
      (!mine || mine.has(slug));
    // Setting the same value again would cost a recalculation of the style.
    for (const row of own) if (row.hidden === matches) row.hidden = !matches;
    shown += Number(matches);
  }
  const isFiltered = query.value.trim() !== '' || genre.value !== '' || onlyMine.checked;
  root.toggleAttribute('data-filtered', isFiltered);
  for (const part of [...days, ...folds])
    part.hidden = isFiltered && !part.querySelector('.rows > li:not([hidden])');
  for (const heading of headings)
    heading.hidden = isFiltered && !heading.nextElementSibling?.querySelector('li:not([hidden])');
  if (isFiltered) for (const fold of folds) fold.open = true;
  status.textContent = !isFiltered ? '' : shown === 0 ? texts.none : fill(texts.shown, { n: shown });
  return isFiltered;
}

/** The page keeps the search for somebody who comes back to it. */
function applyAndKeep() {
  const state = { query: query.value, genre: genre.value, onlyMine: onlyMine.checked };
  history.replaceState({ filter: apply() ? state : undefined }, '');
}

/** @param {{ query: string, genre: string, onlyMine: boolean } | undefined} kept */
function restore(kept) {
  if (kept) {
    query.value = kept.query;
    genre.value = kept.genre;
    onlyMine.checked = kept.onlyMine;
    show(true);
    apply();
  }
  delete root.dataset.searching;
}
