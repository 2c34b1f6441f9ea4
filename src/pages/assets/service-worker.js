// Shows the last pages offline, shows notifications, and renews a subscription that the browser has replaced.
/** @import { NewEpisodes, PushMessage } from '../../domain/push-message.ts' */

const worker = /** @type {ServiceWorkerGlobalScope} */ (/** @type {unknown} */ (self));
const TEXTS = {
  id: {
    out: 'Episode {n} sudah rilis',
    allOut: 'Episode {n} sudah rilis',
    several: '{n} anime punya episode baru',
    offline: 'Kamu sedang offline. Isi halaman ini dari {time}.',
    missing: 'Kamu sedang offline',
    lead: 'Halaman ini belum tersimpan di perangkatmu. Coba lagi saat koneksi kembali.',
    front: 'Ke beranda',
  },
  en: {
    out: 'Episode {n} is out',
    allOut: 'Episodes {n} are out',
    several: '{n} anime have a new episode',
    offline: 'You are offline. This page is from {time}.',
    missing: 'You are offline',
    lead: 'This page is not stored on your device. Try again once you are back online.',
    front: 'To the front page',
  },
};
const ICON = '/assets/icon-192.png';
/** The same as in keep-pages.js. */
const PAGES = 'tayang-pages';
/** The same as in push.js. */
const [CACHE, STATE] = ['tayang-push', '/push/state'];

worker.addEventListener('fetch', (event) => {
  if (isKept(event.request)) event.respondWith(load(event.request));
});
worker.addEventListener('push', (event) => event.waitUntil(show(event.data?.json())));
worker.addEventListener('notificationclick', (event) => {
  event.notification.close();
  event.waitUntil(openPage(event.notification.data));
});
worker.addEventListener('pushsubscriptionchange', (event) => event.waitUntil(renew(event.newSubscription)));

/**
 * Pages and what they load; the API and files of other origins are not kept.
 * @param {Request} request
 */
function isKept({ method, mode, url }) {
  const { origin, pathname } = new URL(url);
  if (method !== 'GET' || origin !== location.origin) return false;
  return mode === 'navigate' || pathname.startsWith('/assets/');
}

/**
 * Asks the server for the current page. Without a worker, the browser does that for every page that it opens; a worker that
 * fetches the page gets the cached copy, for as long as Cache-Control allows a stale one.
 * @param {Request} request
 */
async function load(request) {
  try {
    return await (request.mode === 'navigate' ? fetch(request, { cache: 'no-cache' }) : fetch(request));
  } catch {
    return showKept(request);
  }
}

/**
 * A kept page says of when it is; one that is not kept says so, under its own address.
 * @param {Request} request
 */
async function showKept({ mode, url }) {
  const cache = await caches.open(PAGES);
  if (mode !== 'navigate') return (await cache.match(url)) ?? Response.error();
  const address = await findKept(cache, new URL(url));
  const kept = address && (await cache.match(address));
  if (!address || !kept) return renderMissing(new URL(url));
  const lang = languageOf(address);
  const format = new Intl.DateTimeFormat(lang, { dateStyle: 'medium', timeStyle: 'short' });
  const time = format.format(new Date(kept.headers.get('Date') ?? ''));
  const note = TEXTS[lang].offline.replace('{time}', time);
  const text = await kept.text();
  const shown = text.replace('<main id="Main">', `$&<p class="card trouble" role="status">${note}</p>`);
  return new Response(shown, kept);
}

/** @param {URL} address */
function renderMissing(address) {
  const lang = languageOf(address);
  const { missing, lead, front } = TEXTS[lang];
  const page = `<!doctype html>
<html lang="${lang}">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${missing} · Tayang</title>
<link rel="stylesheet" href="/assets/style.css">
<main id="Main"><h1>${missing}</h1>
<p class="lead">${lead}</p>
<p><a class="button" href="/?lang=${lang}">${front}</a></p></main>`;
  const headers = { 'Content-Type': 'text/html; charset=utf-8' };
  return new Response(page, { status: 503, headers });
}

/**
 * The address under which a page is kept: in the requested language, else in the one kept last.
 * @param {Cache} cache
 * @param {URL} address
 */
async function findKept(cache, { pathname, searchParams }) {
  const addresses = (await cache.keys()).map(({ url }) => new URL(url));
  const same = addresses.filter((address) => address.pathname === pathname);
  return same.find((address) => address.searchParams.get('lang') === searchParams.get('lang')) ?? same.at(-1);
}

/** @param {URL} address */
function languageOf({ searchParams }) {
  return searchParams.get('lang') === 'en' ? 'en' : 'id';
}

/**
 * What push.js wrote last; undefined while notifications are off.
 * @returns {Promise<{ endpoint: string, slugs: string[], lang: 'id' | 'en' } | undefined>}
 */
async function readState() {
  return (await caches.match(STATE))?.json();
}

/**
 * A message that is repeated has the same id, and takes the place of the first one.
 * @param {PushMessage} message
 */
async function show({ id, anime, count }) {
  const lang = (await readState())?.lang ?? 'id';
  const { out, allOut, several } = TEXTS[lang];
  const [first] = anime;
  if (!first) return;
  const { slug, title, image, episodes } = first;
  const names = anime.map((one) => `${one.title} · Ep ${numbersOf(one)}`);
  if (count > names.length) names.push('…');
  const isOne = count === 1;
  await worker.registration.showNotification(isOne ? title : several.replace('{n}', `${count}`), {
    body: isOne ? (episodes ? allOut : out).replace('{n}', numbersOf(first)) : names.join('\n'),
    icon: image ?? ICON,
    badge: ICON,
    tag: id,
    lang,
    data: isOne ? `/anime/${slug}?lang=${lang}` : `/?lang=${lang}#Mine`,
  });
}

/**
 * `9`, `8 & 9`, `1–3`, or `6, 8 & 9` where one between them is not new.
 * @param {NewEpisodes} anime
 */
function numbersOf({ episode, episodes = [episode] }) {
  const first = episodes[0] ?? episode;
  const last = episodes.at(-1) ?? episode;
  if (episodes.length < 2) return `${first}`;
  const isWhole = last - first === episodes.length - 1;
  return episodes.length > 2 && isWhole
    ? `${first}–${last}`
    : `${episodes.slice(0, -1).join(', ')} & ${last}`;
}

/** @param {string} path */
async function openPage(path) {
  const { href } = new URL(path, location.origin);
  const pages = await worker.clients.matchAll({ type: 'window' });
  const shown = pages.find((one) => one.url === href);
  return shown ? shown.focus() : worker.clients.openWindow(href);
}

/** @param {PushSubscription | null} given */
async function renew(given) {
  const state = await readState();
  if (!state) return;
  const { data } = await (await fetch('/push/key')).json();
  const options = { userVisibleOnly: true, applicationServerKey: data.key };
  const subscription = given ?? (await worker.registration.pushManager.subscribe(options));
  const { endpoint } = subscription;
  await change('PUT', { subscription, slugs: state.slugs });
  const cache = await caches.open(CACHE);
  await cache.put(STATE, new Response(JSON.stringify({ ...state, endpoint, sentAt: Date.now() })));
  if (endpoint !== state.endpoint) await change('DELETE', { endpoint: state.endpoint });
}

/**
 * @param {'PUT' | 'DELETE'} method
 * @param {object} body
 */
async function change(method, body) {
  const headers = { 'Content-Type': 'application/json' };
  const { ok, status } = await fetch('/push/subscription', { method, headers, body: JSON.stringify(body) });
  if (!ok) throw new Error(`the subscription was answered ${status}`);
}
