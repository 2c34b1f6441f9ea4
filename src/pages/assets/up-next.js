// What comes next on the front page: the followed anime of today before the others, and what is awaited since its hour passed.
import { countDown, everySecond, showTimes } from './clock.js';
import { createElement, createStar, followed, lang, page, texts, title } from './my-anime.js';
import { find, findAll } from './shared.js';

const next = document.getElementById('Next');
/** What was served as what comes next. */
export const cards = /** @type {HTMLElement[]} */ ([...(next?.children ?? [])]);
/**
 * The followed anime of today that were followed when the page was opened: a star moves no card.
 * @type {HTMLElement[]}
 */
const ownToday = findAll(document, '#Today :is(.expected, .late, .unseen)').filter(
  (row) => followed().has(row.dataset.slug ?? '') && timeOf(row),
);
/** The first card, while its time has not passed. */
let hero = '';

/** Shows it, and each time when an hour passes. */
export function showUpNext() {
  if (!next) return;
  for (const card of cards) card.append(createStar(card.dataset.slug ?? '', title(card)));
  arrange();
  everySecond(() => hero !== '' && !isComing(findCard(hero)) && arrange());
}

/** @param {Element} row */
function timeOf(row) {
  const time = row.querySelector('.hour time');
  return time instanceof HTMLTimeElement ? Date.parse(time.dateTime) : 0;
}

/** @param {Element | undefined} row */
function isComing(row) {
  return row?.matches('.expected') === true && (timeOf(row) === 0 || timeOf(row) > Date.now());
}

/** @param {string} slug */
function findCard(slug) {
  return [...ownToday, ...cards].find(({ dataset }) => dataset.slug === slug);
}

/**
 * First what comes next, the followed anime of today before the others; then the one whose time passed last and that is still
 * awaited; then the others.
 */
function arrange() {
  const all = [...Map.groupBy([...ownToday, ...cards], ({ dataset }) => dataset.slug).values()].flatMap(
    ([row]) => row ?? [],
  );
  const coming = all.filter(isComing);
  const passed = all.filter((row) => !isComing(row)).sort((a, b) => timeOf(b) - timeOf(a));
  const [first, ...later] = coming;
  hero = first?.dataset.slug ?? '';
  const focused = document.activeElement;
  const order = [first, ...passed.slice(0, 1), ...later, ...passed.slice(1)].flatMap((row) => row ?? []);
  next?.replaceChildren(...order.map(cardOf));
  if (focused instanceof HTMLElement && next?.contains(focused)) focused.focus({ preventScroll: true });
  countDown();
}

/**
 * The card of a row: the one that was served, or a copy that has what cards have beside.
 * @param {HTMLElement} row
 */
function cardOf(row) {
  const card = cards.find(({ dataset }) => dataset.slug === row.dataset.slug) ?? copyCard(row);
  if (card.matches('.expected') && !isComing(card)) {
    const [before = '', after = ''] = texts.awaited.split('{time}');
    find(card, '.when').replaceChildren(before, find(card, '.hour'), after);
    card.querySelector('.countdown')?.remove();
  }
  return card;
}

/** @param {HTMLElement} row */
function copyCard(row) {
  const card = copyRow(row);
  cards.push(card);
  const glow = card.querySelector('img')?.cloneNode();
  if (glow instanceof HTMLImageElement) {
    glow.className = 'glow';
    card.append(glow);
  }
  if (row.matches('.expected')) find(card, '.episode').after(createElement('p', { className: 'countdown' }));
  return card;
}

/**
 * A row out of its day says which day that is.
 * @param {HTMLElement} row
 */
export function copyRow(row) {
  const copy = /** @type {HTMLElement} */ (row.cloneNode(true));
  copy.removeAttribute('id');
  copy.hidden = false;
  for (const button of findAll(copy, 'button')) button.remove();
  copy.append(createStar(copy.dataset.slug ?? '', title(copy)));
  const day = row.closest('.day');
  const date = day instanceof HTMLElement ? day.dataset.date : undefined;
  if (copy.querySelector('.hour time')) showTimes(copy);
  else if (date && date !== page.dataset.date) {
    const weekday = new Date(date).toLocaleDateString(lang, { weekday: 'long', timeZone: 'UTC' });
    find(copy, '.when').prepend(`${weekday} · `);
  }
  return copy;
}
