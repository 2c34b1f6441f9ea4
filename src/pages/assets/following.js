// The followed anime on the front page: their list, their place among what comes next, and what is new since the last visit.
import { countDown, showTime } from './clock.js';
import { apply, bySlug, rows } from './filter.js';
import {
  createElement,
  createStar,
  followed,
  lang,
  moveToCurrent,
  onFollowed,
  page,
  texts,
  title,
} from './my-anime.js';
import { fill, load, save } from './shared.js';

const root = document.documentElement;
const ids = ['Next', 'Offer', 'Mine', 'MineLink', 'New', 'OnlyMine'];
const [next, offer, mine, mineLink, news, onlyMine] = ids.map((id) => document.getElementById(id));
/** What was served as what comes next. */
export const cards = [...(next?.children ?? [])];
/** A visit is over when the page has not been opened for this time. */
const VISIT_MS = 30 * 60_000;
const VISITS = 'tayang';
/** The maximum number of anime in a calendar. */
const MAX_CALENDAR = 50;
/** The new episodes since the last visit, by slug. */
const fresh = findNews();

for (const row of [...rows, ...cards]) addStar(row);
for (const slug of fresh)
  mark(bySlug.get(slug).findLast((row) => row.matches('.out')) ?? bySlug.get(slug)[0]);
show(followed());
onFollowed(change);

function addStar(row) {
  row.append(createStar(row.dataset.slug, title(row)));
}

/** Shows what depends on what is followed: copies of the rows of the page. */
function show(now) {
  showNext(now);
  showNews(now);
  const left = [...now].filter((slug) => !bySlug.has(slug));
  mine.querySelector('h2 span').textContent = now.size || '';
  mine.querySelector('.rows').replaceChildren(...left.map(renderLeft), ...rowsToShow(now).map(copyRow));
  // Browsers do not send the fragment of a link to a server.
  mineLink.dataset.copy = `${location.origin}/?lang=${lang}#mine=${[...now].join(',')}`;
  const query = [...now].slice(0, MAX_CALENDAR).map((slug) => `slug=${slug}`);
  for (const link of offer.querySelectorAll('.links a'))
    link.href = `${link.href.split('?')[0]}?${query.join('&')}`;
  onlyMine.disabled = now.size === 0;
  if (now.size === 0) onlyMine.checked = false;
  apply();
}

/** The page must not jump under the finger that follows an anime. After the first one, it offers right there to tell of it. */
function change(now, star) {
  const isFirst = root.dataset.mine === undefined && now.size > 0;
  const before = star?.getBoundingClientRect().top;
  root.toggleAttribute('data-mine', now.size > 0);
  show(now);
  if (star?.isConnected) scrollBy({ top: star.getBoundingClientRect().top - before, behavior: 'instant' });
  if (!isFirst || !star?.closest('li')) return;
  const item = createElement('li', { className: 'offer' });
  item.append(offer);
  star.closest('li').after(item);
}

/** Among what comes next, the followed anime of today stand first, those whose time has passed before the others. */
function showNext(now) {
  if (!next) return;
  const timeOf = (row) => Date.parse(row.querySelector('.hour time')?.dateTime);
  const own = [...document.querySelectorAll('#Today :is(.expected, .late, .unseen)')]
    .filter((row) => now.has(row.dataset.slug) && timeOf(row))
    .sort((a, b) => timeOf(a) - timeOf(b));
  const all = [...Map.groupBy([...own, ...cards], ({ dataset }) => dataset.slug).values()];
  next.replaceChildren(...all.slice(0, cards.length).map(([row]) => cardOf(row)));
  countDown();
}

/** The card of a row: the one that was served, or a copy that has what cards have beside. */
function cardOf(row) {
  const known = cards.find(({ dataset }) => dataset.slug === row.dataset.slug);
  if (known) return known;
  const card = copyRow(row);
  const glow = card.querySelector('img')?.cloneNode();
  if (glow) card.append(Object.assign(glow, { className: 'glow' }));
  if (row.matches('.expected'))
    card.querySelector('.episode').after(createElement('p', { className: 'countdown' }));
  return card;
}

/** The new episodes of the followed anime, in a line that has its space from the beginning. */
function showNews(now) {
  const links = fresh
    .filter((slug) => now.has(slug))
    .map((slug) => {
      const row = bySlug.get(slug)[0];
      const link = createElement('a', { href: row.querySelector('.title').href, className: 'pill' });
      const episode = createElement('b', { textContent: fill(texts.episode, { n: row.dataset.episode }) });
      link.append(row.querySelector('.cover').cloneNode(true), title(row), ' ', episode);
      return link;
    });
  const textContent = links.length > 0 ? texts.isNew : texts.noNews;
  news.replaceChildren(createElement('span', { className: 'quiet', textContent }), ...links);
}

/** The row of each followed anime that matters most: what is new, then what should be out, then what comes next. */
function rowsToShow(now) {
  const rank = (row) => (row.dataset.new !== undefined ? 0 : row.matches('.late, .unseen') ? 1 : 2);
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
  const time = copy.querySelector('.hour time');
  const { date } = row.closest('.day').dataset;
  if (time) showTime(time);
  else if (date && date !== page.dataset.date) {
    const weekday = new Date(date).toLocaleDateString(lang, { weekday: 'short', timeZone: 'UTC' });
    copy.querySelector('.when').prepend(weekday, ' ');
  }
  return copy;
}

/** An anime that has left the lists: its page is known for a while, and says whether it has ended. */
function renderLeft(slug) {
  const item = createElement('li');
  item.dataset.slug = slug;
  const about = createElement('div', { className: 'about' });
  const href = `/anime/${slug}?lang=${lang}`;
  const link = createElement('a', { className: 'title short', href, textContent: slug });
  const state = createElement('p', { className: 'when', textContent: texts.left });
  about.append(link, state);
  item.append(about, createStar(slug, slug));
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

/** The anime with new episodes since the visit before this one. Stores the episodes of this visit. */
function findNews() {
  const { seen, seenAt, before, beforeAt } = load(VISITS) ?? {};
  const released = [...bySlug].filter(([, [{ dataset }]]) => dataset.episode !== undefined);
  const episodes = Object.fromEntries(
    released.map(([slug, [{ dataset }]]) => [slug, Number(dataset.episode)]),
  );
  const isNewVisit = seen && Date.now() - seenAt > VISIT_MS;
  const [known, lastAt] = isNewVisit ? [seen, seenAt] : [before, beforeAt];
  const last = known && moveToCurrent(known);
  save(VISITS, { seen: episodes, seenAt: Date.now(), before: last, beforeAt: lastAt });
  return last ? released.map(([slug]) => slug).filter((slug) => !(episodes[slug] <= last[slug])) : [];
}

/** Where a later episode is awaited, the mark says which one is new. */
export function mark(row) {
  if (row.dataset.new !== undefined) return;
  row.dataset.new = '';
  const number = row.matches('.out') ? '' : `: ${fill(texts.episode, { n: row.dataset.episode })}`;
  row
    .querySelector('.when')
    .append(createElement('b', { className: 'new badge', textContent: texts.isNew + number }));
}

/** Takes a new episode, which the rows show, to what is new. */
export function addNews(slug) {
  if (!bySlug.has(slug)) return;
  if (!fresh.includes(slug)) fresh.unshift(slug);
  show(followed());
}
