// The list of the followed anime on the front page, and what depends on it.
import { apply, bySlug, rows } from './filter.js';
import { findListed, loadListed } from './listed.js';
import {
  createElement,
  createStar,
  followed,
  lang,
  newestOf,
  onChange,
  texts,
  title,
  watched,
} from './my-anime.js';
import { byId, fill, find, findAll } from './shared.js';
import { createTick, unwatchedEpisodes } from './ticks.js';
import { copyRow, showUpNext } from './up-next.js';
import { showUnwatched } from './watch-list.js';

const root = document.documentElement;
const offer = byId('Offer');
const mine = byId('Mine');
const mineLink = byId('MineLink');
const onlyMine = byId('OnlyMine', HTMLInputElement);
/** The maximum number of anime in a calendar. */
const MAX_CALENDAR = 50;
for (const row of rows) row.append(createStar(row.dataset.slug ?? '', title(row)));
showUpNext();
show();
showMine();
onChange(change);
if ([...followed()].some((slug) => !bySlug.has(slug)))
  loadListed()
    .then(() => {
      showUnwatched();
      showMine();
    })
    .catch(() => {});

/** Shows what depends on what is followed, where nothing is that a finger may be on. */
function show() {
  const now = followed();
  const numbers = watched();
  find(mine, 'h2 span').textContent = `${now.size || ''}`;
  const list = [...now].map((slug) => (numbers.has(slug) ? `${slug}:${numbers.get(slug)}` : slug));
  // Browsers do not send the fragment of a link to a server.
  mineLink.dataset.copy = `${location.origin}/?lang=${lang}#mine=${list.join(',')}`;
  const query = [...now].slice(0, MAX_CALENDAR).map((slug) => `slug=${slug}`);
  for (const link of /** @type {HTMLAnchorElement[]} */ (findAll(offer, '.links a')))
    link.href = `${link.href.split('?')[0]}?${query.join('&')}`;
  onlyMine.disabled = now.size === 0;
  if (now.size === 0) onlyMine.checked = false;
  apply();
}

/**
 * After a change: the own list stays as it is while it is looked at. After the first star, the page offers right there to tell
 * of the anime.
 * @param {HTMLElement} [from]
 */
function change(from) {
  const isFirst = root.dataset.mine === undefined && followed().size > 0;
  if (isFirst) root.dataset.mine = '';
  show();
  if (mine.dataset.chosen === undefined) showMine();
  else for (const row of findAll(mine, '.rows > li')) updateRow(row);
  const row = from?.closest('li');
  if (!isFirst || !row || !from?.matches('.star')) return;
  const item = createElement('li', { className: 'offer' });
  item.append(offer);
  row.after(item);
}

/** Shows the list of what is followed: what was not watched, then what should be out, then what comes next. */
export function showMine() {
  const now = followed();
  const left = [...now].filter((slug) => !bySlug.has(slug));
  const copies = [...rowsToShow(now).map(copyRow), ...left.map(renderLeft)];
  for (const row of copies) updateRow(row);
  find(mine, '.rows').replaceChildren(...copies);
}

/**
 * Shows in the own list what has become of an anime, in its place.
 * @param {string} slug
 */
export function renewMine(slug) {
  const before = mine.querySelector(`.rows > [data-slug="${CSS.escape(slug)}"]`);
  const own = bySlug.get(slug) ?? [];
  const row = own.find((one) => one.matches('.out')) ?? own[0];
  if (!before || !row) return;
  const copy = copyRow(row);
  updateRow(copy);
  before.replaceWith(copy);
}

/**
 * The row of each followed anime that matters most.
 * @param {Set<string>} now
 */
function rowsToShow(now) {
  /** @param {HTMLElement} row */
  const rank = (row) =>
    unwatchedEpisodes(row.dataset.slug ?? '') !== '' ? 0 : row.matches('.late, .unseen') ? 1 : 2;
  return [...now]
    .flatMap(
      (slug) => bySlug.get(slug)?.findLast((row) => !row.matches('.out')) ?? bySlug.get(slug)?.[0] ?? [],
    )
    .sort((a, b) => rank(a) - rank(b) || rows.indexOf(a) - rows.indexOf(b));
}

/**
 * An anime that is on no day any more: it is known for a while after it left, and whether it has ended.
 * @param {string} slug
 */
function renderLeft(slug) {
  const listed = findListed(slug);
  const item = createElement('li');
  item.dataset.slug = slug;
  if (listed) item.dataset.episode = `${listed.episode}`;
  const about = createElement('div', { className: 'about' });
  const name = listed?.title ?? slug;
  const href = `/anime/${slug}?lang=${lang}`;
  const textContent = listed?.ended ? texts.ended : texts.left;
  about.append(
    createElement('p', { className: 'when', textContent }),
    createElement('a', { className: 'title short', href, textContent: name }),
    createElement('p', { className: 'episode' }),
  );
  item.append(about, createStar(slug, name));
  return item;
}

/**
 * What was watched of the anime of a row, with the tick for the rest.
 * @param {HTMLElement} row
 */
function updateRow(row) {
  const { slug = '' } = row.dataset;
  const newest = () => newestOf(slug) ?? findListed(slug)?.episode ?? 0;
  const left = followed().has(slug) ? unwatchedEpisodes(slug, newest()) : '';
  let note = row.querySelector('.unwatched');
  if (!note) {
    note = createElement('span', { className: 'badge unwatched' });
    find(row, '.episode').append(' ', note);
  }
  note.textContent = left === '' ? '' : fill(texts.unwatched, { n: left });
  const tick = createTick(slug, title(row), newest);
  const button = row.querySelector('.tick');
  tick.update();
  if (!button && newest() > 0) row.append(tick.button);
  else if (button instanceof HTMLElement) {
    button.ariaPressed = tick.button.ariaPressed;
    button.ariaLabel = tick.button.ariaLabel;
  }
}
