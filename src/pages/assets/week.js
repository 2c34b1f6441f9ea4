// Makes the front page better where it can: a filter, what is new since the last visit, how fresh it all is.
const page = byId('Page');
const words = JSON.parse(page.dataset.words);
const { lang } = document.documentElement;
const rows = [...document.querySelectorAll('.rows > li')];
/** A visit ends when nobody has looked for so long. */
const VISIT_MS = 30 * 60_000;
const KEY = 'tayang';
/** In seconds. */
const UNITS = { day: 86_400, hour: 3_600, minute: 60 };

dropBrokenCovers();
startFilter();
markNews();
tellFreshness();
document.addEventListener('visibilitychange', () => document.hidden || tellFreshness());

function byId(id) {
  return document.getElementById(id);
}

function fill(text, values) {
  return text.replace(/\{(\w+)\}/gu, (_, name) => values[name]);
}

function count(n, { one, other }, values = {}) {
  return fill(n === 1 ? one : other, { ...values, n });
}

/** `3 minutes ago`, `yesterday`. */
function ago(ms) {
  const seconds = (Date.now() - ms) / 1000;
  const unit = Object.keys(UNITS).find((one) => seconds >= UNITS[one]);
  if (!unit) return words.justNow;
  return new Intl.RelativeTimeFormat(lang, { numeric: 'auto' }).format(
    -Math.trunc(seconds / UNITS[unit]),
    unit,
  );
}

/** Case and accents do not matter to who looks for a title. */
function plain(text) {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
}

/** In the place of a picture that does not come there is the title's initial. */
function dropBrokenCovers() {
  for (const cover of document.querySelectorAll('.cover img')) {
    if (cover.complete && cover.naturalWidth === 0 && cover.currentSrc) cover.remove();
    else cover.addEventListener('error', () => cover.remove());
  }
}

function startFilter() {
  const [form, title, day, onlyNew] = ['Filter', 'Title', 'Day', 'OnlyNew'].map(byId);
  const texts = new Map(rows.map((row) => [row, plain(row.querySelector('.title').textContent)]));
  form.reset();
  form.querySelector('fieldset').disabled = false;
  form.addEventListener('input', filter);
  form.addEventListener('submit', (event) => event.preventDefault());
  // Who follows an address of an anime wants to see it, whatever the filter says.
  window.addEventListener('hashchange', () => {
    form.reset();
    filter();
  });

  function filter() {
    const wanted = plain(title.value).split(/\s+/u);
    let shown = 0;
    for (const row of rows) {
      const fits =
        wanted.every((word) => texts.get(row).includes(word)) &&
        (!day.value || row.dataset.day === day.value) &&
        (!onlyNew.checked || row.dataset.new !== undefined);
      row.hidden = !fits;
      shown += fits;
    }
    const isFiltered = shown < rows.length;
    if (shown === 0) byId('Count').textContent = words.none;
    else byId('Count').textContent = isFiltered ? count(shown, words.shown) : '';
  }
}

/** What a browser remembers of visits: episodes by slug at the end of the one before, and as last seen. */
function readVisits() {
  try {
    return JSON.parse(localStorage.getItem(KEY)) ?? {};
  } catch {
    return {};
  }
}

function writeVisits(visits) {
  try {
    localStorage.setItem(KEY, JSON.stringify(visits));
  } catch {
    // Nobody has to let us remember.
  }
}

function markNews() {
  const { seen, seenAt, before, beforeAt } = readVisits();
  const episodes = Object.fromEntries(rows.map(({ dataset }) => [dataset.slug, Number(dataset.episode)]));
  const isNewVisit = seen && Date.now() - seenAt > VISIT_MS;
  const last = isNewVisit ? seen : before;
  const lastAt = isNewVisit ? seenAt : beforeAt;
  writeVisits({ seen: episodes, seenAt: Date.now(), before: last, beforeAt: lastAt });
  if (!last) {
    byId('News').textContent = words.firstVisit;
    return;
  }
  const fresh = rows.filter(({ dataset }) => !(episodes[dataset.slug] <= last[dataset.slug]));
  const slugs = new Set(fresh.map(({ dataset }) => dataset.slug));
  for (const item of document.querySelectorAll('[data-slug]')) {
    if (slugs.has(item.dataset.slug)) mark(item);
  }
  const time = ago(lastAt);
  const news = byId('News');
  news.classList.toggle('good', fresh.length > 0);
  news.textContent = fresh.length ? count(fresh.length, words.news, { time }) : fill(words.noNews, { time });
  byId('OnlyNew').disabled = fresh.length === 0;
}

function mark(item) {
  item.dataset.new = '';
  const badge = document.createElement('span');
  badge.className = 'new';
  badge.textContent = words.isNew;
  item.querySelector('.cover').append(badge);
}

/** The page is the same for hours; when the source was last asked is not in it. */
async function tellFreshness() {
  try {
    const [ready, head] = await Promise.all([
      fetch('/readyz').then((response) => response.json()),
      fetch('/api/anime/schedule', { method: 'HEAD' }),
    ]);
    const time = ago(Date.parse(ready.snapshot.refreshedAt));
    const ttl = Number(/ttl=(-?\d+)/u.exec(head.headers.get('Cache-Status'))?.[1] ?? 0);
    const isLate = ttl < -300 && ready.source.state === 'ok';
    byId('Checked').textContent = fill(isLate ? words.overdue : words.checked, { time });
    if (isOutdated(ready.snapshot.changedAt)) offerReload();
  } catch {
    // Whoever is offline keeps what the page itself says.
  }
}

function isOutdated(changedAt) {
  const { changed, date, timeZone } = page.dataset;
  return changedAt !== changed || new Intl.DateTimeFormat('en-CA', { timeZone }).format() !== date;
}

/** A link would be answered from the browser's cache; a reload asks. */
function offerReload() {
  const button = document.createElement('button');
  button.className = 'plain';
  button.type = 'button';
  button.textContent = words.reload;
  button.addEventListener('click', () => location.reload());
  byId('News').replaceChildren(words.outdated, ' ', button);
}
