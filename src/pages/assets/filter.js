// Search and filter of the front page, behind one control.
import { followed, texts, title } from './my-anime.js';
import { fill } from './shared.js';

const root = document.documentElement;
const ids = ['Filter', 'Search', 'Query', 'Genre', 'OnlyMine', 'Count'];
const [form, control, query, genre, onlyMine, status] = ids.map((id) => document.getElementById(id));
/** The days, and what is folded in them. */
const parts = [...document.querySelectorAll('#Timeline :is(.day, details)')];
export const rows = [...document.querySelectorAll('#Timeline .rows > li')];
/** The rows of each anime, by its slug. */
export const bySlug = Map.groupBy(rows, ({ dataset }) => dataset.slug);
/** What each anime is found by. */
const anime = [...bySlug].map(([slug, own]) => ({
  slug,
  own,
  text: searchTextOf(own),
  genres: own[0].dataset.genres?.split(' '),
}));

form.reset();
restore(history.state?.filter);
form.addEventListener('input', applyAndKeep);
form.addEventListener('submit', (event) => event.preventDefault());
form.addEventListener('keydown', ({ key }) => key === 'Escape' && control.click());
control.addEventListener('click', () => {
  show(form.hidden);
  if (!form.hidden) return query.focus();
  form.reset();
  applyAndKeep();
  control.focus();
});
window.addEventListener('hashchange', openByAddress);
openByAddress();

function show(isShown) {
  form.hidden = !isShown;
  control.setAttribute('aria-expanded', isShown);
}

/** The address of an anime shows it, whatever the filter says; that of the search opens it. */
function openByAddress() {
  if (location.hash === '#Search') {
    show(true);
    query.focus();
  } else if (location.hash.length > 1) {
    form.reset();
    applyAndKeep();
  }
}

/** Without case, accents, spaces, hyphens and marks. */
function squeeze(text) {
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '');
}

/** What an anime is found by: its title, the initials of its words, its slug, and its other titles. */
function searchTextOf(own) {
  const name = title(own[0]);
  const initials = name.split(/[^\p{L}\p{N}]+/u).map((word) => word.charAt(0));
  const { slug, also = '' } = own[0].dataset;
  return [name, initials.join(''), slug.replace(/-sub(?:title)?-indo(?:nesia)?$/u, ''), also]
    .map(squeeze)
    .join('\n');
}

/** Shows what matches on all days at once. Returns whether anything is asked for. */
export function apply() {
  const words = query.value.split(/\s+/u).map(squeeze);
  const mine = onlyMine.checked ? followed() : undefined;
  let shown = 0;
  for (const { slug, own, text, genres } of anime) {
    const matches =
      words.every((word) => text.includes(word)) &&
      (!genre.value || genres?.includes(genre.value)) &&
      (!mine || mine.has(slug));
    // Setting the same value again would cost a recalculation of the style.
    for (const row of own) if (row.hidden === matches) row.hidden = !matches;
    shown += Number(matches);
  }
  const isFiltered = query.value.trim() !== '' || genre.value !== '' || onlyMine.checked;
  root.toggleAttribute('data-filtered', isFiltered);
  for (const part of parts) part.hidden = isFiltered && !part.querySelector('.rows > li:not([hidden])');
  if (isFiltered) for (const part of parts) if (part.matches('details')) part.open = true;
  status.textContent = !isFiltered ? '' : shown === 0 ? texts.none : fill(texts.shown, { n: shown });
  return isFiltered;
}

/** The page keeps the search for somebody who comes back to it. */
function applyAndKeep() {
  const state = { query: query.value, genre: genre.value, onlyMine: onlyMine.checked };
  history.replaceState({ filter: apply() ? state : undefined }, '');
}

function restore(kept) {
  if (kept) {
    [query.value, genre.value, onlyMine.checked] = [kept.query, kept.genre, kept.onlyMine];
    show(true);
    apply();
  }
  delete root.dataset.searching;
}
