// Adds to the front page what needs a script: days to choose, news while it is open, lists from links, and how fresh it is.
import { showTime } from './clock.js';
import { bySlug } from './filter.js';
import { addNews, cards, mark } from './following.js';
import {
  createElement,
  currentSlug,
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
const [updated, outCount] = ['Updated', 'OutCount'].map((id) => document.getElementById(id));
let stream;

document.addEventListener('click', (event) => {
  const link = event.target.closest('.tabs a, #OutCount a');
  if (!link) return;
  event.preventDefault();
  choose(document.querySelector(link.hash));
});
document.querySelector('.tabs').addEventListener('keydown', (event) => {
  if (event.key !== ' ') return;
  event.preventDefault();
  event.target.click();
});
choose(document.querySelector('[data-chosen]'));
readAddress();
window.addEventListener('hashchange', readAddress);
listen(followed());
onFollowed(listen);
showFreshness();
document.addEventListener('visibilitychange', () => document.hidden || showFreshness());

/** Shows a day, or the followed anime, and marks its tab. */
function choose(part) {
  for (const one of document.querySelectorAll('.day')) one.toggleAttribute('data-chosen', one === part);
  for (const tab of document.querySelectorAll('.tabs a')) {
    const isCurrent = tab.hash === `#${part.id}`;
    tab.ariaCurrent = isCurrent ? 'true' : null;
    if (isCurrent)
      tab.parentElement.scrollLeft = tab.offsetLeft - (tab.parentElement.clientWidth - tab.offsetWidth) / 2;
  }
}

/** The address may name an anime, a day, or a list to follow. */
function readAddress() {
  offerImport();
  const target = document.getElementById(currentSlug(location.hash.slice(1)));
  const part = target?.closest('.day');
  if (!part) return;
  choose(part);
  target.closest('details')?.setAttribute('open', '');
  target.scrollIntoView({ behavior: 'instant', block: 'nearest' });
}

function offerImport() {
  document.getElementById('Import')?.remove();
  if (!location.hash.startsWith('#mine=')) return;
  const now = followed();
  const slugs = readSlugs(location.hash.slice(6).split(',')).filter((slug) => !now.has(slug));
  if (slugs.length === 0) return;
  const textContent = fill(texts.import, { n: slugs.length });
  const button = createElement('button', { id: 'Import', type: 'button', textContent });
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
  for (const type of ['new-episode', 'left', 'added', 'moved', 'renamed'])
    stream.addEventListener(type, ({ data }) => announce(JSON.parse(data)));
}

/** The row that waits for an episode becomes one of what is out; that of an earlier episode stays as it is. */
function announce({ type, slug, episode, at }) {
  for (const row of [...(bySlug.get(slug) ?? []), ...cards]) {
    if (row.dataset.slug !== slug || row.matches('.out')) continue;
    if (type === 'new-episode') showRelease(row, episode, at);
    if (type === 'left') row.querySelector('.state').textContent = texts.left;
  }
  if (type === 'new-episode') addNews(slug);
  const n = document.querySelectorAll('#Today .out').length;
  if (n > 0) outCount.textContent = fill(texts.outCount, { n, all: Math.max(n, outCount.dataset.all) });
  offerReload();
}

function showRelease(row, episode, at) {
  const time = createElement('time', { dateTime: at });
  time.dataset.hour = '';
  const hour = createElement('b', { className: 'hour' });
  hour.append(time);
  const state = row.querySelector('.state');
  state.textContent = texts.out;
  row.querySelector('.when').replaceChildren(hour, ' ', state);
  showTime(time);
  // Unseen episodes were not counted.
  if (row.matches('#Unseen .unseen')) outCount.dataset.all = Number(outCount.dataset.all) + 1;
  row.className = 'out';
  row.dataset.episode = episode;
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
    // Just after a change, the page may be newer than the state of the service.
    const { changed, date, timeZone } = page.dataset;
    const today = new Intl.DateTimeFormat('en-CA', { timeZone }).format();
    if (snapshot.changedAt > changed || today !== date) offerReload();
  } catch {
    // Offline, the page keeps the time that it was rendered with.
  }
}

/** `3 minutes ago`, `yesterday`. */
function formatAgo(ms) {
  const seconds = (Date.now() - ms) / 1000;
  const unit = Object.keys(UNITS).find((one) => seconds >= UNITS[one]);
  if (!unit) return texts.justNow;
  const format = new Intl.RelativeTimeFormat(lang, { numeric: 'auto', style: 'short' });
  return format.format(-Math.trunc(seconds / UNITS[unit]), unit);
}

/** Offers a reload: unlike a link, it is not answered from the browser's cache. */
function offerReload() {
  const button = createElement('button', { type: 'button', className: 'link', textContent: texts.reload });
  button.addEventListener('click', () => location.reload());
  updated.replaceChildren(texts.outdated, ' ', button);
}
