// Adds to the front page what needs a script: the search, the followed anime, what is new, and how fresh it is.
import { showTime } from './clock.js';
import {
  createStar,
  follow,
  followed,
  lang,
  load,
  onFollowed,
  page,
  readSlugs,
  save,
  texts,
  title,
  unfollow,
} from './my-anime.js';

const root = document.documentElement;
const rows = [...document.querySelectorAll('#Timeline .rows > li')];
const bySlug = groupBySlug();
/** A visit is over when the page has not been opened for this time. */
const VISIT_MS = 30 * 60_000;
const VISITS = 'tayang';
/** The maximum number of anime in a calendar. */
const MAX_CALENDAR = 50;
/** A part is in view while it covers this line below the tabs, in CSS pixels from the top. */
const TAB_LINE = 96;
/** The listing is late when an attempt has not come for so long after its time. */
const LATE_MS = 5 * 60_000;
/** In seconds. */
const UNITS = { day: 86_400, hour: 3_600, minute: 60 };
let stream;

addStars();
const newCount = markNews();
const filter = startFilter();
showMine(followed());
onFollowed(changeMine);
offerImport();
window.addEventListener('hashchange', offerImport);
startTabs();
// The status line is short enough for both when it no longer says when the listing changed.
showFreshness().then(showNews);
document.addEventListener('visibilitychange', () => document.hidden || showFreshness());

/** The rows of each anime, by its slug. */
function groupBySlug() {
  const groups = new Map();
  for (const row of rows) groups.set(row.dataset.slug, [...(groups.get(row.dataset.slug) ?? []), row]);
  return groups;
}

function byId(id) {
  return document.getElementById(id);
}

function fill(text, values) {
  return text.replace(/\{(\w+)\}/gu, (_, name) => values[name]);
}

function count(n, { one, other }) {
  return fill(n === 1 ? one : other, { n });
}

function createElement(name, properties) {
  return Object.assign(document.createElement(name), properties);
}

/** A button that reads as a part of its text. */
function createButton(textContent) {
  return createElement('button', { type: 'button', className: 'link', textContent });
}

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

/**
 * The stars are reached from the titles, by the arrow keys: as stops of the Tab key they would double the way through the
 * page.
 */
function addStars() {
  for (const row of rows) addStar(row);
  page.addEventListener('keydown', ({ key, target }) => {
    const row = target.closest('.rows > li');
    if (key === 'ArrowRight') row?.querySelector('.star')?.focus();
    if (key === 'ArrowLeft') row?.querySelector('.title').focus();
  });
}

function addStar(row) {
  const star = createStar(row.dataset.slug, title(row));
  star.tabIndex = -1;
  row.append(star);
}

/** The search ignores case and accents. */
function normalize(text) {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
}

/** What an anime is found by: its title, the initials of its words, its slug, and its Japanese title. */
function searchTextOf(row) {
  const name = normalize(title(row));
  const initials = name.split(/[^\p{L}\p{N}]+/u).map((word) => word.charAt(0));
  const slug = row.dataset.slug.replace(/-sub(?:title)?-indo(?:nesia)?$/u, '');
  return [name, initials.join(''), slug, normalize(row.dataset.ja ?? '')].join('\n');
}

function startFilter() {
  const [form, query, genre, onlyNew, onlyMine] = ['Filter', 'Query', 'Genre', 'OnlyNew', 'OnlyMine'].map(
    byId,
  );
  const anime = [...bySlug].map(([slug, own]) => ({
    ...{ slug, own, text: searchTextOf(own[0]), genres: own[0].dataset.genres?.split(' ') },
  }));
  const parts = [...document.querySelectorAll('.day, #Week')];
  let wasFiltered = false;
  form.reset();
  form.querySelector('fieldset').disabled = false;
  restore(history.state?.filter);
  form.addEventListener('input', applyAndKeep);
  form.addEventListener('submit', (event) => event.preventDefault());
  byId('Search').addEventListener('click', (event) => {
    event.preventDefault();
    form.scrollIntoView({ behavior: 'instant' });
    query.focus({ preventScroll: true });
  });
  // The address of an anime shows it, whatever the filter says.
  window.addEventListener('hashchange', () => {
    form.reset();
    applyAndKeep();
  });
  return { apply, applyAndKeep };

  function apply() {
    const words = normalize(query.value).split(/\s+/u);
    const mine = onlyMine.checked ? followed() : undefined;
    let shown = 0;
    for (const { slug, own, text, genres } of anime) {
      const matches =
        words.every((word) => text.includes(word)) &&
        (!genre.value || genres?.includes(genre.value)) &&
        (!mine || mine.has(slug));
      for (const row of own) {
        const isHidden = !matches || (onlyNew.checked && row.dataset.new === undefined);
        // Setting the same value again would cost a recalculation of the style.
        if (row.hidden !== isHidden) row.hidden = isHidden;
      }
      shown += own.some(({ hidden }) => !hidden);
    }
    const isFiltered = query.value.trim() !== '' || genre.value !== '' || onlyNew.checked || onlyMine.checked;
    for (const part of parts) part.hidden = isFiltered && !part.querySelector('.rows > li:not([hidden])');
    if (isFiltered !== wasFiltered) byId('Yesterday').open = isFiltered;
    wasFiltered = isFiltered;
    if (!isFiltered) byId('Count').textContent = '';
    else byId('Count').textContent = shown === 0 ? texts.none : count(shown, texts.shown);
    return isFiltered;
  }

  /** The page keeps the search for somebody who comes back to it. */
  function applyAndKeep() {
    const { value } = query;
    const state = { query: value, genre: genre.value, onlyNew: onlyNew.checked, onlyMine: onlyMine.checked };
    history.replaceState({ filter: apply() ? state : undefined }, '');
  }

  function restore(kept) {
    if (kept) {
      query.value = kept.query;
      genre.value = kept.genre;
      onlyNew.checked = kept.onlyNew;
      onlyMine.checked = kept.onlyMine;
      apply();
    }
    delete root.dataset.searching;
  }
}

/** Shows the followed anime, those that have left the lists first, and listens for news while there are any. */
function showMine(now) {
  const section = byId('Mine');
  const [left, listed] = [[...now].filter((slug) => !bySlug.has(slug)), rowsToShow(now)];
  const slugs = [...now].slice(0, MAX_CALENDAR);
  section.querySelector('h2 span').textContent = now.size || '';
  section.querySelector('.rows').replaceChildren(...left.map(renderLeft), ...listed.map(copyRow));
  byId('MineCalendar').href = `/feeds/schedule.ics?${slugs.map((slug) => `slug=${slug}`).join('&')}`;
  byId('MineLink').onclick = () => copyLink(now);
  byId('OnlyMine').disabled = now.size === 0;
  if (now.size === 0) byId('OnlyMine').checked = false;
  if (listed.length > 0 && !stream) listen();
  filter.apply();
}

/** The page must not jump under the finger that follows an anime. */
function changeMine(now) {
  const before = byId('Timeline').getBoundingClientRect().top;
  if (now.size === 0) delete root.dataset.mine;
  else root.dataset.mine = now.size > 1 ? 'several' : 'one';
  showMine(now);
  scrollBy({ top: byId('Timeline').getBoundingClientRect().top - before, behavior: 'instant' });
}

/** The row of each followed anime that matters most: what is new, then what is late, then what comes next. */
function rowsToShow(now) {
  const rank = (row) => (row.dataset.new !== undefined ? 0 : row.matches('.late') ? 1 : 2);
  return [...now]
    .flatMap((slug) => (bySlug.has(slug) ? [bySlug.get(slug)] : []))
    .map((own) => own.find((row) => rank(row) === 0) ?? own.findLast((row) => !row.matches('.out')) ?? own[0])
    .sort((a, b) => rank(a) - rank(b) || rows.indexOf(a) - rows.indexOf(b));
}

/** A row out of its day says which day that is. */
function copyRow(row) {
  const copy = row.cloneNode(true);
  copy.removeAttribute('id');
  copy.hidden = false;
  copy.querySelector('.star').remove();
  addStar(copy);
  const [time, { date } = {}] = [copy.querySelector('.hour time'), row.closest('[data-date]')?.dataset];
  if (time) showTime(time, page.dataset.date);
  else if (date && date !== page.dataset.date && row.closest('.day').id !== 'Others')
    copy
      .querySelector('.hour')
      .prepend(new Intl.DateTimeFormat(lang, { weekday: 'short', timeZone: 'UTC' }).format(new Date(date)));
  return copy;
}

/** An anime that has left the lists: its page is known for a while, and says whether it has ended. */
function renderLeft(slug) {
  const item = createElement('li', { className: 'left' });
  const link = createElement('a', {
    className: 'title',
    href: `/anime/${slug}?lang=${lang}`,
    textContent: slug,
  });
  const state = createElement('b', { textContent: texts.left });
  const button = createButton(texts.unfollow);
  button.addEventListener('click', () => unfollow(slug));
  item.append(link, state, button);
  fetch(`/api/anime/${slug}`)
    .then((response) => response.json())
    .then(({ data }) => {
      link.textContent = data.title;
      if (data.details?.status === 'completed') state.textContent = texts.ended;
    })
    // It left long ago, or the browser is offline.
    .catch(() => {});
  return item;
}

/** The list is in the fragment of the link, which browsers do not send to a server. */
async function copyLink(now) {
  const link = `${location.origin}/?lang=${lang}#mine=${[...now].join(',')}`;
  try {
    await navigator.clipboard.writeText(link);
    byId('MineLink').textContent = texts.copied;
  } catch {
    location.hash = `mine=${[...now].join(',')}`;
  }
}

function offerImport() {
  byId('Import')?.remove();
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
  byId('Status').after(button);
}

/** Shows what is announced while there are followed anime. */
function listen() {
  stream = new EventSource('/api/anime/events/stream');
  for (const type of ['new-episode', 'left', 'added', 'moved']) {
    stream.addEventListener(type, ({ data }) => announce(JSON.parse(data)));
  }
}

/** The row that waits for an episode becomes one of what is out; that of an earlier episode stays as it is. */
function announce({ type, slug, episode, at }) {
  const own = bySlug.get(slug) ?? [];
  const waiting = own.filter((row) => !row.matches('.out'));
  const copies = document.querySelectorAll(`#Mine li[data-slug="${CSS.escape(slug)}"]`);
  for (const row of [...(waiting.length > 0 ? waiting : own), ...copies]) {
    if (type === 'new-episode') showRelease(row, episode, at);
    if (type === 'left') row.querySelector('p').textContent = texts.left;
  }
  const [out, all] = ['.out', 'li'].map((selector) => byId('Today').querySelectorAll(selector).length);
  if (byId('OutCount')) byId('OutCount').textContent = fill(texts.outCount, { n: out, all });
  offerReload();
}

function showRelease(row, episode, at) {
  const [hour, state] = [row.querySelector('.hour'), row.querySelector('p')];
  const time = createElement('time', { dateTime: at });
  const all = /\/\d+/u.exec(state.textContent)?.[0] ?? '';
  row.className = 'out';
  row.dataset.episode = episode;
  hour.replaceChildren(time);
  showTime(time, row.closest('#Mine') ? page.dataset.date : undefined);
  state.replaceChildren(
    createElement('b', { textContent: fill(texts.episode, { n: episode + all }) }),
    ' · ',
    createElement('span', { textContent: texts.out }),
  );
  delete row.dataset.new;
  mark(row);
}

/** Marks and counts the anime with new episodes since the visit before this one, and stores the episodes of this visit. */
function markNews() {
  const { seen, seenAt, before, beforeAt } = load(VISITS) ?? {};
  const released = [...bySlug].filter(([, [{ dataset }]]) => dataset.episode !== undefined);
  const episodes = Object.fromEntries(
    released.map(([slug, [{ dataset }]]) => [slug, Number(dataset.episode)]),
  );
  const isNewVisit = seen && Date.now() - seenAt > VISIT_MS;
  const last = isNewVisit ? seen : before;
  const lastAt = isNewVisit ? seenAt : beforeAt;
  save(VISITS, { seen: episodes, seenAt: Date.now(), before: last, beforeAt: lastAt });
  if (!last) return 0;
  const fresh = released.filter(([slug]) => !(episodes[slug] <= last[slug]));
  for (const [, own] of fresh) mark(own.findLast((row) => row.matches('.out')) ?? own[0]);
  byId('OnlyNew').disabled = fresh.length === 0;
  return fresh.length;
}

/** A button that shows what is new, unless there is one that reloads. */
function showNews() {
  if (newCount === 0 || byId('News').firstChild) return;
  const button = createButton(count(newCount, texts.news));
  button.addEventListener('click', () => {
    byId('OnlyNew').checked = true;
    filter.applyAndKeep();
  });
  byId('News').replaceChildren(' · ', button);
}

/** Where a later episode is awaited, the mark says which one is new. */
function mark(row) {
  if (row.dataset.new !== undefined) return;
  row.dataset.new = '';
  const text = row.matches('.out') ? texts.isNew : fill(texts.episode, { n: row.dataset.episode });
  row.querySelector('.hour').append(createElement('span', { className: 'new', textContent: text }));
}

/** Marks the tab of the part that is in view: the last one that has reached the line, or at the end of the page the last. */
function startTabs() {
  const tabs = [...document.querySelectorAll('.tabs a:not(#Search)')];
  const parts = ['Mine', 'Today', 'Week', 'Others'].map(byId);
  update();
  window.addEventListener('scroll', () => requestAnimationFrame(update), { passive: true });

  function update() {
    const isAtEnd = scrollY > 0 && scrollY + innerHeight > root.scrollHeight - 2;
    const reached = parts.filter((part) => part.getBoundingClientRect().top < TAB_LINE);
    const part = (isAtEnd ? parts : reached).at(-1) ?? byId('Today');
    for (const tab of tabs) setCurrent(tab, tab.hash === `#${part.id}`);
  }
}

function setCurrent(tab, isCurrent) {
  if (isCurrent) tab.setAttribute('aria-current', 'true');
  else tab.removeAttribute('aria-current');
}

/** Shows when the source was last read. The page itself may be hours old, so this requests the time from the service. */
async function showFreshness() {
  try {
    const { source, snapshot } = await (await fetch('/readyz')).json();
    const time = formatAgo(Date.parse(source.readAt ?? snapshot.refreshedAt));
    const isLate = source.state === 'ok' && Date.parse(source.nextAttempt) < Date.now() - LATE_MS;
    byId('Updated').textContent = fill(isLate ? texts.overdue : texts.updated, { time });
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
  const button = createButton(texts.reload);
  button.addEventListener('click', () => location.reload());
  byId('Updated').textContent = texts.outdated;
  byId('News').replaceChildren(' ', button);
}
