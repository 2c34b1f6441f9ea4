// Adds to the front page what needs a script: the filter, the followed anime, what is new, and how fresh it is.
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
} from './my-anime.js';

const rows = [...document.querySelectorAll('#Ongoing .rows > li')];
/** A visit is over when the page has not been opened for this time. */
const VISIT_MS = 30 * 60_000;
const VISITS = 'tayang';
/** The maximum number of anime in a calendar. */
const MAX_CALENDAR = 50;
/** A part is in view while it covers this line below the tabs, in CSS pixels from the top. */
const TAB_LINE = 96;
/** In seconds. */
const UNITS = { day: 86_400, hour: 3_600, minute: 60 };
let stream;

addStars();
const filter = startFilter();
markNews();
showMine(followed());
// The section moves at the load only: later, the page must not jump under the finger that follows an anime.
if (followed().size > 0) byId('Today').before(byId('Mine'));
onFollowed(showMine);
offerImport();
window.addEventListener('hashchange', offerImport);
startTabs();
showFreshness();
document.addEventListener('visibilitychange', () => document.hidden || showFreshness());

function byId(id) {
  return document.getElementById(id);
}

function fill(text, values) {
  return text.replace(/\{(\w+)\}/gu, (_, name) => values[name]);
}

function count(n, { one, other }) {
  return fill(n === 1 ? one : other, { n });
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

/** The search ignores case and accents. */
function normalize(text) {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
}

function addStars() {
  for (const item of document.querySelectorAll('.posters > li, #Ongoing .rows > li')) {
    item.append(createStar(item.dataset.slug, title(item)));
  }
}

function startFilter() {
  const [form, search, day, onlyNew, onlyMine] = ['Filter', 'Title', 'Day', 'OnlyNew', 'OnlyMine'].map(byId);
  const titles = new Map(rows.map((row) => [row, normalize(title(row))]));
  form.reset();
  form.querySelector('fieldset').disabled = false;
  form.addEventListener('input', apply);
  form.addEventListener('submit', (event) => event.preventDefault());
  byId('Search').addEventListener('click', (event) => {
    event.preventDefault();
    byId('Ongoing').scrollIntoView({ behavior: 'instant' });
    search.focus({ preventScroll: true });
  });
  // The address of an anime shows it, whatever the filter says.
  window.addEventListener('hashchange', () => {
    form.reset();
    apply();
  });

  function apply() {
    const wanted = normalize(search.value).split(/\s+/u);
    const mine = onlyMine.checked ? followed() : undefined;
    let shown = 0;
    for (const row of rows) {
      const matches =
        wanted.every((word) => titles.get(row).includes(word)) &&
        (!day.value || row.dataset.day === day.value) &&
        (!onlyNew.checked || row.dataset.new !== undefined) &&
        (!mine || mine.has(row.dataset.slug));
      // Setting the same value again would cost a recalculation of the style.
      if (row.hidden === matches) row.hidden = !matches;
      shown += matches;
    }
    const isFiltered = shown < rows.length;
    if (!isFiltered) byId('Count').textContent = '';
    else byId('Count').textContent = shown === 0 ? texts.none : count(shown, texts.shown);
  }
  return apply;
}

/** Shows the followed anime, and listens for their new episodes while there are any. */
function showMine(now) {
  const section = byId('Mine');
  const listed = rows.filter(({ dataset }) => now.has(dataset.slug));
  const others = [...now].filter((slug) => !listed.some(({ dataset }) => dataset.slug === slug));
  const mine = [...listed.map(copyRow), ...others.flatMap(renderScheduled)];
  const slugs = [...now].slice(0, MAX_CALENDAR);
  section.querySelector('h2 span').textContent = mine.length || '';
  section.querySelector('.rows').replaceChildren(...mine);
  byId('MineEmpty').hidden = now.size > 0;
  byId('MineTools').hidden = now.size === 0;
  byId('MineCalendar').href = `/feeds/schedule.ics?${slugs.map((slug) => `slug=${slug}`).join('&')}`;
  byId('MineLink').onclick = () => copyLink(now);
  byId('OnlyMine').disabled = now.size === 0;
  if (now.size === 0) byId('OnlyMine').checked = false;
  if (mine.length > 0 && !stream) listen();
  filter();
}

function copyRow(row) {
  const copy = row.cloneNode(true);
  copy.removeAttribute('id');
  copy.hidden = false;
  copy.querySelector('.star').replaceWith(createStar(row.dataset.slug, title(row)));
  return copy;
}

/** A row of an anime that only the schedule has; none for one that has left both lists. */
function renderScheduled(slug) {
  const link = document.querySelector(`#Week a[href^="/anime/${slug}?"]`);
  if (!link) return [];
  const item = document.createElement('li');
  item.dataset.slug = slug;
  item.innerHTML = '<div class="cover"></div><div><h3 class="title"></h3><p class="quiet"><b></b></p></div>';
  item.querySelector('.cover').dataset.initial = link.textContent[0];
  item.querySelector('.title').append(link.cloneNode(true));
  item.append(createStar(slug, title(item)));
  return [item];
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
  const button = document.createElement('button');
  button.id = 'Import';
  button.type = 'button';
  button.textContent = count(slugs.length, texts.import);
  button.addEventListener('click', () => {
    follow(slugs);
    history.replaceState(null, '', location.pathname + location.search);
    button.remove();
  });
  byId('Status').after(button);
}

/** Marks the new episodes of followed anime as they are announced. */
function listen() {
  stream = new EventSource('/api/anime/events/stream');
  for (const type of ['new-episode', 'added']) {
    stream.addEventListener(type, ({ data }) => announce(JSON.parse(data)));
  }
}

function announce({ slug, episode }) {
  if (followed().has(slug)) {
    for (const item of document.querySelectorAll(`.rows [data-slug="${CSS.escape(slug)}"]`)) {
      mark(item);
      item.querySelector('b').textContent = fill(texts.episode, { n: episode });
    }
  }
  offerReload();
}

/** Marks the anime with new episodes since the visit before this one, and stores the episodes of this visit. */
function markNews() {
  const { seen, seenAt, before, beforeAt } = load(VISITS) ?? {};
  const episodes = Object.fromEntries(rows.map(({ dataset }) => [dataset.slug, Number(dataset.episode)]));
  const isNewVisit = seen && Date.now() - seenAt > VISIT_MS;
  const last = isNewVisit ? seen : before;
  const lastAt = isNewVisit ? seenAt : beforeAt;
  save(VISITS, { seen: episodes, seenAt: Date.now(), before: last, beforeAt: lastAt });
  if (!last) return;
  const fresh = rows.filter(({ dataset }) => !(episodes[dataset.slug] <= last[dataset.slug]));
  const slugs = new Set(fresh.map(({ dataset }) => dataset.slug));
  for (const item of document.querySelectorAll('li[data-slug]')) {
    // A card of today that still awaits its episode is not marked for the episode before.
    if (slugs.has(item.dataset.slug) && !item.querySelector('.state:not(.out)')) mark(item);
  }
  if (fresh.length === 0) return;
  byId('News').textContent = ` · ${count(fresh.length, texts.news)}`;
  byId('News').className = 'good';
  byId('OnlyNew').disabled = false;
}

function mark(item) {
  if (item.dataset.new !== undefined) return;
  item.dataset.new = '';
  const badge = document.createElement('span');
  badge.className = 'new';
  badge.textContent = texts.isNew;
  item.querySelector('.cover').append(badge);
}

/** Marks the tab of the part that is in view. */
function startTabs() {
  const tabs = [...document.querySelectorAll('.tabs a:not(#Search)')];
  let observer;
  watch();
  // The margin of the observer depends on the height of the window.
  window.addEventListener('resize', watch);
  // At the top of the page, no part has reached the line yet.
  setCurrent(tabs[followed().size > 0 ? tabs.length - 1 : 0], true);

  function watch() {
    observer?.disconnect();
    observer = new IntersectionObserver(
      (entries) => {
        const part = entries.find(({ isIntersecting }) => isIntersecting)?.target;
        if (part) for (const tab of tabs) setCurrent(tab, tab.hash === `#${part.id}`);
      },
      { rootMargin: `${-TAB_LINE}px 0px ${TAB_LINE + 1 - innerHeight}px` },
    );
    for (const { hash } of tabs) observer.observe(document.querySelector(hash));
  }
}

function setCurrent(tab, isCurrent) {
  if (isCurrent) tab.setAttribute('aria-current', 'true');
  else tab.removeAttribute('aria-current');
}

/** Shows when the source was last read. The page itself may be hours old, so this requests the time from the service. */
async function showFreshness() {
  try {
    const [ready, head] = await Promise.all([
      fetch('/readyz').then((response) => response.json()),
      fetch('/api/anime/schedule', { method: 'HEAD' }),
    ]);
    const time = formatAgo(Date.parse(ready.snapshot.refreshedAt));
    const ttl = Number(/ttl=(-?\d+)/u.exec(head.headers.get('Cache-Status'))?.[1] ?? 0);
    const isLate = ttl < -300 && ready.source.state === 'ok';
    byId('Updated').textContent = fill(isLate ? texts.overdue : texts.updated, { time });
    if (isOutdated(ready.snapshot.changedAt)) offerReload();
  } catch {
    // Offline, the page keeps the time that it was rendered with.
  }
}

function isOutdated(changedAt) {
  const { changed, date, timeZone } = page.dataset;
  return changedAt !== changed || new Intl.DateTimeFormat('en-CA', { timeZone }).format() !== date;
}

/** Offers a reload: unlike a link, it is not answered from the browser's cache. */
function offerReload() {
  const button = document.createElement('button');
  button.className = 'plain';
  button.type = 'button';
  button.textContent = texts.reload;
  button.addEventListener('click', () => location.reload());
  byId('Updated').textContent = texts.outdated;
  byId('News').replaceChildren(' ', button);
}
