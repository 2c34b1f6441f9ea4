// Takes over a list of MyAnimeList or AniList: its file is read here, and sent nowhere.
/** @import { Translations } from '../i18n/translations.ts' */
/** @import { ListedAnime } from '../listed-anime.ts' */
import { squeeze } from './filter.js';
import { loadListed } from './listed.js';
import { createElement, follow, followed, watched } from './my-anime.js';
import { parseList } from './parse-list.js';
import { byId, fill, find } from './shared.js';

const box = byId('TakeOver');
/** @type {Translations['takeOver']['scripts']} */
const texts = JSON.parse(box.dataset.texts ?? '');
const status = find(box, '[role=status]');

/**
 * Follows what is on air and being watched, with its progress, and says what was not found.
 * @param {HTMLInputElement} input
 */
export async function takeOver(input) {
  const [file] = input.files ?? [];
  input.value = '';
  if (!file) return;
  const entries = await parseList(file).catch(() => undefined);
  if (!entries) return say(texts.unreadable);
  if (entries.length === 0) return say(texts.none);
  const listed = await loadListed().catch(() => undefined);
  if (!listed) return say(texts.offline);
  const find = createFinder(listed.filter(({ isListed }) => isListed));
  const found = entries.flatMap((entry) => {
    const anime = find(entry);
    return anime ? [{ slug: anime.slug, progress: entry.progress }] : [];
  });
  const missing = entries.filter((entry) => !find(entry)).map(({ name }) => name);
  const [slugs, numbers] = [followed(), watched()];
  const added = found.filter(({ slug }) => !slugs.has(slug));
  const further = found.filter(
    ({ slug, progress }) => slugs.has(slug) && progress > (numbers.get(slug) ?? 0),
  );
  follow([...added, ...further].map(({ slug, progress }) => [slug, progress]));
  say(found.length > 0 && added.length === 0 ? texts.known : fill(texts.done, { n: added.length }), missing);
}

/**
 * Finds the anime of an entry by its ids, else by its titles.
 * @param {readonly ListedAnime[]} listed
 * @returns {(entry: import('./parse-list.js').ListEntry) => ListedAnime | undefined}
 */
function createFinder(listed) {
  const named = listed.map((anime) => ({
    anime,
    names: new Set([anime.title, ...anime.names].map(squeeze)),
  }));
  return ({ mal, anilist, names }) =>
    listed.find((one) => (mal && one.mal === mal) || (anilist && one.anilist === anilist)) ??
    named.find((one) => names.some((name) => one.names.has(squeeze(name))))?.anime;
}

/**
 * @param {string} text
 * @param {string[]} [missing] the names of what was not found
 */
function say(text, missing = []) {
  /** @type {HTMLElement[]} */
  const parts = [createElement('p', { textContent: text })];
  if (missing.length > 0) {
    const list = createElement('ul', { className: 'quiet' });
    list.append(...missing.map((name) => createElement('li', { textContent: name })));
    const textContent = fill(texts.missing, { n: missing.length });
    parts.push(createElement('p', { textContent }), list);
  }
  status.replaceChildren(...parts);
}
