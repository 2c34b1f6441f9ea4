// Shows the last pages offline, shows notifications, and renews a subscription that the browser has replaced.
const lang = new URL(location.href).searchParams.get('lang') === 'en' ? 'en' : 'id';
const [out, several, offline] = {
  id: [
    'Episode {n} sudah rilis',
    '{n} anime punya episode baru',
    'Anda sedang offline. Halaman ini seperti pada {time}.',
  ],
  en: ['Episode {n} is out', '{n} anime have a new episode', 'You are offline. This page is as of {time}.'],
}[lang];
const ICON = '/assets/icon-192.png';
/** The same as in my-anime.js. */
const PAGES = 'tayang-pages';
/** The same as in push.js. */
const [CACHE, STATE] = ['tayang-push', '/push/state'];

// Another language is another address of this script, which takes over at once.
self.addEventListener('install', () => self.skipWaiting());
self.addEventListener('fetch', (event) => {
  if (isKept(event.request)) event.respondWith(fetch(event.request).catch(() => showKept(event.request)));
});
self.addEventListener('push', (event) => event.waitUntil(show(event.data.json())));
self.addEventListener('notificationclick', (event) => {
  event.notification.close();
  event.waitUntil(openPage(event.notification.data));
});
self.addEventListener('pushsubscriptionchange', (event) => event.waitUntil(renew(event.newSubscription)));

/** Pages and what they load; the API and files of other origins are not kept. */
function isKept({ method, mode, url }) {
  const { origin, pathname } = new URL(url);
  if (method !== 'GET' || origin !== location.origin) return false;
  return mode === 'navigate' || pathname.startsWith('/assets/');
}

/** A kept page says of when it is. Where this one is not kept, the front page is shown. */
async function showKept({ mode, url }) {
  const cache = await caches.open(PAGES);
  if (mode !== 'navigate') return (await cache.match(url)) ?? Response.error();
  const { pathname, searchParams } = new URL(url);
  const named = `${pathname}?lang=${searchParams.get('lang') ?? lang}`;
  const kept = (await cache.match(named)) ?? (await cache.match(`/?lang=${lang}`));
  if (!kept) return Response.error();
  const format = new Intl.DateTimeFormat(lang, { dateStyle: 'medium', timeStyle: 'short' });
  const note = offline.replace('{time}', format.format(new Date(kept.headers.get('Date'))));
  const text = await kept.text();
  const shown = text.replace('<main id="Main">', `$&<p class="card trouble" role="status">${note}</p>`);
  return new Response(shown, kept);
}

/** A message that is repeated has the same id, and takes the place of the first one. */
function show({ id, anime, count }) {
  const [{ slug, title, episode, image }] = anime;
  const names = anime.map((one) => `${one.title} · Ep ${one.episode}`);
  if (count > names.length) names.push('…');
  const isOne = count === 1;
  return self.registration.showNotification(isOne ? title : several.replace('{n}', count), {
    body: isOne ? out.replace('{n}', episode) : names.join('\n'),
    icon: image ?? ICON,
    badge: ICON,
    tag: id,
    lang,
    data: isOne ? `/anime/${slug}?lang=${lang}` : `/?lang=${lang}#Mine`,
  });
}

async function openPage(path) {
  const { href } = new URL(path, location.origin);
  const pages = await self.clients.matchAll({ type: 'window' });
  const shown = pages.find((one) => one.url === href);
  return shown ? shown.focus() : self.clients.openWindow(href);
}

async function renew(given) {
  const state = await (await caches.match(STATE))?.json();
  if (!state) return;
  const { data } = await (await fetch('/push/key')).json();
  const options = { userVisibleOnly: true, applicationServerKey: data.key };
  const subscription = given ?? (await self.registration.pushManager.subscribe(options));
  const { endpoint } = subscription;
  await change('PUT', { subscription, slugs: state.slugs });
  const cache = await caches.open(CACHE);
  await cache.put(STATE, new Response(JSON.stringify({ ...state, endpoint, sentAt: Date.now() })));
  if (endpoint !== state.endpoint) await change('DELETE', { endpoint: state.endpoint });
}

async function change(method, body) {
  const headers = { 'Content-Type': 'application/json' };
  const { ok, status } = await fetch('/push/subscription', { method, headers, body: JSON.stringify(body) });
  if (!ok) throw new Error(`the subscription was answered ${status}`);
}
