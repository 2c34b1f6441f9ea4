// Adds to the front page what needs a script: news while it is open, lists from links, and how fresh it is.
import { showTime } from './clock.js';
import { addNews, bySlug, mark, rows } from './following.js';
import {
  count,
  createElement,
  follow,
  followed,
  lang,
  onFollowed,
  page,
  readSlugs,
  texts,
} from './my-anime.js';
import { fill } from './shared.js';

/** The listing is late when an attempt has not come for so long after its time. */
const LATE_MS = 5 * 60_000;
/** In seconds. */
const UNITS = { day: 86_400, hour: 3_600, minute: 60 };
const [updated, mineLink] = ['Updated', 'MineLink'].map((id) => document.getElementById(id));
let stream;
const tabs = [...document.querySelectorAll('.tabs a')];
const parts = [...document.querySelectorAll('.day')];

for (const tab of tabs) {
  tab.addEventListener('click', (event) => {
    event.preventDefault();
    choose(document.querySelector(tab.hash));
  });
  tab.addEventListener('keydown', (event) => {
    if (event.key !== ' ') return;
    event.preventDefault();
    tab.click();
  });
}
window.addEventListener('hashchange', showTarget);
document.addEventListener('click', ({ target }) => target.closest('#OutCount a') && setTimeout(showTarget));
showTarget();
markTab();

listen(followed());
onFollowed(listen);
mineLink.addEventListener('click', copyLink);
offerImport();
window.addEventListener('hashchange', offerImport);
showFreshness();
document.addEventListener('visibilitychange', () => document.hidden || showFreshness());

/** `3 minutes ago`, `yesterday`. */
function formatAgo(ms) {
  const seconds = (Date.now() - ms) / 1000;
  const unit = Object.keys(UNITS).find((one) => seconds >= UNITS[one]);
  if (!unit) return texts.justNow;
  return new Intl.RelativeTimeFormat(lang, { numeric: 'auto', style: 'short' }).format(
    -Math.trunc(seconds / UNITS[unit]),
    unit,
  );
}

/** The list is in the fragment of the link, which browsers do not send to a server. */
async function copyLink() {
  const hash = `mine=${[...followed()].join(',')}`;
  try {
    await navigator.clipboard.writeText(`${location.origin}/?lang=${lang}#${hash}`);
    mineLink.textContent = texts.copied;
  } catch {
    location.hash = hash;
  }
}

function offerImport() {
  document.getElementById('Import')?.remove();
  if (!location.hash.startsWith('#mine=')) return;
  const now = followed();
  const slugs = readSlugs(location.hash.slice(6).split(',')).filter((slug) => !now.has(slug));
  if (slugs.length === 0) return;
  const button = createElement('button', { id: 'Import', type: 'button' });
  button.textContent = count(slugs.length, texts.import);
  button.addEventListener('click', () => {
    follow(slugs);
    history.replaceState(history.state, '', location.pathname + location.search);
    button.remove();
  });
  document.querySelector('.top').after(button);
}

/** Shows what is announced while there are followed anime. */
function listen(now) {
  if (stream || ![...now].some((slug) => bySlug.has(slug))) return;
  stream = new EventSource('/api/anime/events/stream');
  for (const type of ['new-episode', 'left', 'added', 'moved'])
    stream.addEventListener(type, ({ data }) => announce(JSON.parse(data)));
}

/** The row that waits for an episode becomes one of what is out; that of an earlier episode stays as it is. */
function announce({ type, slug, episode, at }) {
  const shown = [...rows, ...document.querySelectorAll('#Mine .rows > li, #Next > li')];
  for (const row of new Set(shown)) {
    if (row.dataset.slug !== slug || row.matches('.out')) continue;
    if (type === 'new-episode') showRelease(row, episode, at);
    if (type === 'left') row.querySelector('.state').textContent = texts.left;
  }
  if (type === 'new-episode' && bySlug.has(slug)) addNews(slug);
  const line = document.getElementById('OutCount');
  const n = document.querySelectorAll('#Today .out').length;
  if (n > 0) line.textContent = fill(texts.outCount, { n, all: Math.max(n, line.dataset.all) });
  offerReload();
}

function showRelease(row, episode, at) {
  const time = createElement('time', { dateTime: at });
  time.dataset.hour = '';
  const hour = createElement('b', { className: 'hour' });
  hour.append(time);
  const state = row.querySelector('.state');
  row.querySelector('.when').replaceChildren(hour, ' ', state);
  showTime(time, row.closest('#Mine, #Next') ? page.dataset.date : undefined);
  row.className = 'out';
  row.dataset.episode = episode;
  state.textContent = texts.out;
  row.querySelector('.episode').textContent = fill(texts.episode, { n: episode });
  row.querySelector('.countdown')?.remove();
  delete row.dataset.new;
  mark(row);
}

/** Shows when the source was last read. The page itself may be hours old, so this requests the time from the service. */
async function showFreshness() {
  try {
    const { source, snapshot } = await (await fetch('/readyz')).json();
    const time = formatAgo(Date.parse(source.readAt ?? snapshot.refreshedAt));
    const isLate = source.state === 'ok' && Date.parse(source.nextAttempt) < Date.now() - LATE_MS;
    updated.textContent = fill(isLate ? texts.overdue : texts.updated, { time });
    if (isOutdated(snapshot.changedAt)) offerReload();
  } catch {
    // Offline, the page keeps the time that it was rendered with.
  }
}

/** Just after a change, the page may be newer than the state of the service. */
function isOutdated(changedAt) {
  const { changed, date, timeZone } = page.dataset;
  return changedAt > changed || new Intl.DateTimeFormat('en-CA', { timeZone }).format() !== date;
}

/** Offers a reload: unlike a link, it is not answered from the browser's cache. */
function offerReload() {
  const button = createElement('button', { type: 'button', className: 'link', textContent: texts.reload });
  button.addEventListener('click', () => location.reload());
  updated.replaceChildren(texts.outdated, ' ', button);
}

/** Shows a part, and marks its tab. */
function choose(part) {
  for (const one of parts) one.toggleAttribute('data-chosen', one === part);
  markTab();
}

function markTab() {
  for (const tab of tabs) {
    const isCurrent = document.querySelector(tab.hash).dataset.chosen !== undefined;
    if (isCurrent) tab.setAttribute('aria-current', 'true');
    else tab.removeAttribute('aria-current');
    if (isCurrent)
      tab.parentElement.scrollLeft = tab.offsetLeft - (tab.parentElement.clientWidth - tab.offsetWidth) / 2;
  }
}

/** The address may name an anime or a day. */
function showTarget() {
  const target = document.getElementById(location.hash.slice(1));
  const part = target?.closest('.day');
  if (!part) return;
  choose(part);
  target.closest('details')?.setAttribute('open', '');
  target.scrollIntoView({ behavior: 'instant', block: 'nearest' });
}
