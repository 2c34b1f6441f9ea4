// Adds to the front page what needs a script: days to choose, news while it is open, lists from links, and how fresh it is.
import './keep-pages.js';
import { showTime } from './clock.js';
import { bySlug } from './filter.js';
import { renewMine, showMine } from './following.js';
import {
  createElement,
  currentSlug,
  follow,
  followed,
  lang,
  onChange,
  page,
  readSlugs,
  texts,
} from './my-anime.js';
import { byId, fill, find, findAll } from './shared.js';
import { cards } from './up-next.js';
import { showWatchList } from './watch-list.js';

/** The listing is late when an attempt has not come for so long after its time. */
const LATE_MS = 5 * 60_000;
/**
 * In seconds.
 * @type {[Intl.RelativeTimeFormatUnit, number][]}
 */
const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];
const updated = byId('Updated');
const outCount = byId('OutCount');
const tabs = find(document, '.tabs');
/** @type {EventSource | undefined} */
let stream;

showWatchList();
onChange(showWatchList);
document.addEventListener('click', (event) => {
  const link = event.target instanceof Element && event.target.closest('.tabs a, #OutCount a');
  if (!(link instanceof HTMLAnchorElement)) return;
  event.preventDefault();
  const part = find(document, link.hash);
  choose(part);
  keepDay(part);
});
tabs.addEventListener('keydown', (event) => {
  if (event.key !== ' ' || !(event.target instanceof HTMLElement)) return;
  event.preventDefault();
  event.target.click();
});
choose(find(document, '[data-chosen]'));
readAddress();
delete document.documentElement.dataset.day;
window.addEventListener('hashchange', readAddress);
listen();
onChange(listen);
showFreshness();
document.addEventListener('visibilitychange', () => document.hidden || showFreshness());
document.querySelector('#TakeOver input')?.addEventListener('change', async ({ target }) => {
  const { takeOver } = await import('./take-over.js');
  await takeOver(/** @type {HTMLInputElement} */ (target));
});

/**
 * Shows a day, or the followed anime, and marks its tab.
 * @param {HTMLElement} part
 */
function choose(part) {
  if (part.id === 'Mine') showMine();
  for (const one of findAll(document, '.day')) one.toggleAttribute('data-chosen', one === part);
  for (const tab of /** @type {HTMLAnchorElement[]} */ (findAll(tabs, 'a'))) {
    const isCurrent = tab.hash === `#${part.id}`;
    tab.ariaCurrent = isCurrent ? 'true' : null;
    if (isCurrent) tabs.scrollLeft = tab.offsetLeft - (tabs.clientWidth - tab.offsetWidth) / 2;
  }
}

/**
 * The chosen day is in the address; today needs none.
 * @param {HTMLElement} part
 */
function keepDay({ id }) {
  const address = id === 'Today' ? location.pathname + location.search : `#${id}`;
  history.replaceState(history.state, '', address);
}

/** The address may name an anime, a day, or a list to follow. */
function readAddress() {
  offerImport();
  const target = document.getElementById(currentSlug(location.hash.slice(1)));
  const part = target?.closest('.day');
  if (!target || !(part instanceof HTMLElement)) return;
  choose(part);
  target.closest('details')?.setAttribute('open', '');
  const [visit] = performance.getEntriesByType('navigation');
  // Somebody who comes back is where they were.
  const isNew = visit instanceof PerformanceNavigationTiming && visit.type === 'navigate';
  if (target !== part) target.scrollIntoView({ behavior: 'instant', block: 'nearest' });
  else if (isNew) tabs.scrollIntoView({ behavior: 'instant' });
}

function offerImport() {
  document.getElementById('Import')?.remove();
  if (!location.hash.startsWith('#mine=')) return;
  const now = followed();
  const list = location.hash.slice('#mine='.length).split(',');
  const numbers = new Map(list.map((one) => /** @type {[string, string]} */ (one.split(':'))));
  const slugs = readSlugs([...numbers.keys()]).filter((slug) => !now.has(slug));
  if (slugs.length === 0) return;
  const textContent = fill(texts.import, { n: slugs.length });
  const button = createElement('button', { id: 'Import', type: 'button', textContent });
  button.addEventListener('click', () => {
    follow(slugs.map((slug) => [slug, /** @type {number} */ (readNumber(numbers.get(slug)))]));
    history.replaceState(history.state, '', location.pathname + location.search);
    // It stays in its place, with the focus, until the next visit.
    button.textContent = texts.followed;
    button.ariaDisabled = 'true';
  });
  find(document, '.top').after(button);
}

/** @param {string | undefined} text */
function readNumber(text) {
  return text && /^\d{1,4}$/u.test(text) ? Number(text) : undefined;
}

/** Shows what is announced while there are followed anime. */
function listen() {
  if (stream || ![...followed()].some((slug) => bySlug.has(slug))) return;
  stream = new EventSource('/api/anime/events/stream');
  for (const type of ['new-episode', 'left', 'added', 'moved', 'renamed'])
    stream.addEventListener(type, ({ data }) => announce(JSON.parse(data)));
}

/**
 * The row that waits for an episode becomes one of what is out; that of an earlier episode stays as it is.
 * @param {{ type: string, slug: string, episode: number, at: string }} event
 */
function announce({ type, slug, episode, at }) {
  for (const row of [...(bySlug.get(slug) ?? []), ...cards]) {
    if (row.dataset.slug !== slug || row.matches('.out')) continue;
    if (type === 'new-episode') showRelease(row, episode, at);
    if (type === 'left') find(row, '.when').textContent = texts.left;
  }
  if (type === 'new-episode') {
    showWatchList();
    renewMine(slug);
  }
  const n = document.querySelectorAll('#Today .out').length;
  if (n > 0)
    outCount.textContent = fill(texts.outCount, { n, all: Math.max(n, Number(outCount.dataset.all)) });
  offerReload();
}

/**
 * @param {HTMLElement} row
 * @param {number} episode
 * @param {string} at
 */
function showRelease(row, episode, at) {
  const time = createElement('time', { dateTime: at });
  time.dataset.format = 'hour';
  const hour = createElement('b', { className: 'hour' });
  hour.append(time);
  const [before = '', after = ''] = texts.out.split('{time}');
  find(row, '.when').replaceChildren(before, hour, after);
  showTime(time);
  // Unseen episodes were not counted.
  if (row.matches('#Unseen .unseen')) outCount.dataset.all = `${Number(outCount.dataset.all) + 1}`;
  row.className = 'out';
  row.dataset.episode = `${episode}`;
  find(row, '.episode').textContent = fill(texts.episode, { n: episode });
  row.querySelector('.countdown')?.remove();
}

/** Shows when the source was last read. The page itself may be hours old, so this requests the time from the service. */
async function showFreshness() {
  try {
    const { source, snapshot } = await (await fetch('/readyz')).json();
    const time = formatAgo(Date.parse(source.readAt ?? snapshot.refreshedAt));
    const isLate = source.state === 'ok' && Date.parse(source.nextAttempt) < Date.now() - LATE_MS;
    updated.textContent = fill(isLate ? texts.overdue : texts.updated, { time });
    // Just after a change, the page may be newer than the state of the service.
    const { changed, date, timeZone } = page.dataset;
    const today = new Intl.DateTimeFormat('en-CA', timeZone ? { timeZone } : {}).format();
    if (snapshot.changedAt > (changed ?? '') || today !== date) offerReload();
  } catch {
    // Offline, the page keeps the time that it was rendered with.
  }
}

/**
 * `3 minutes ago`, `yesterday`.
 * @param {number} ms
 */
function formatAgo(ms) {
  const seconds = (Date.now() - ms) / 1000;
  const [unit, size] = UNITS.find(([, size]) => seconds >= size) ?? [];
  if (!unit || !size) return texts.justNow;
  const format = new Intl.RelativeTimeFormat(lang, { numeric: 'auto', style: 'short' });
  return format.format(-Math.trunc(seconds / size), unit);
}

/** Offers a reload: unlike a link, it is not answered from the browser's cache. */
function offerReload() {
  const button = createElement('button', { type: 'button', className: 'link', textContent: texts.reload });
  button.addEventListener('click', () => location.reload());
  updated.replaceChildren(texts.outdated, ' ', button);
}
