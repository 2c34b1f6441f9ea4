// Lets the browser be told of new episodes while every tab is closed, and keeps that in step with what is followed.
/** @typedef {{ endpoint: string, slugs: string[], lang: string, sentAt: number }} PushState */
import { register } from './keep-pages.js';
import { follow, followed, lang, onChange, page, texts } from './my-anime.js';
import { byId, find } from './shared.js';

const box = byId('Push');
const button = byId('PushButton', HTMLButtonElement);
/** On the page of an anime the button has an icon, and a label of its own. */
const label = button.querySelector('span') ?? button;
const status = find(box, '[role=status]');
const { push } = texts;
const startText = label.textContent;
const lead = status.textContent;
/** What the service has been sent last, which the service worker reads as well. */
const [CACHE, STATE] = ['tayang-push', '/push/state'];
/** What the service has lost comes back at a visit after this time. */
const RESEND_MS = 86_400_000;
/** Several stars are often tapped in a row. */
const DELAY_MS = 2_000;
/** The maximum number of anime that the service takes; the ones followed last count. */
const MAX_SLUGS = 200;
/**
 * Undefined while notifications are off. Another tab may change it.
 * @type {PushState | undefined}
 */
let state;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;
let running = Promise.resolve();
/** What failed last is said until the visitor asks again, or the service was told. */
let hasFailed = false;

if ('PushManager' in window && navigator.serviceWorker && window.caches) start();
else {
  box.hidden = true;
  button.hidden = true;
}

async function start() {
  button.addEventListener('click', () => {
    attempt(state ? end : begin, true);
  });
  onChange(() => {
    clearTimeout(timer);
    timer = setTimeout(() => attempt(sync), DELAY_MS);
  });
  document.addEventListener('visibilitychange', () => attempt(sync));
  await attempt(sync);
}

/**
 * Runs one of the functions below, after those before it, and shows what has come of it.
 * @param {() => Promise<void>} work
 * @param {boolean} [isAsked] whether the visitor asks for it
 */
function attempt(work, isAsked = false) {
  button.disabled = true;
  running = running
    .then(read)
    .then(work)
    .then(
      () => {
        if (isAsked || state) hasFailed = false;
        show();
      },
      () => {
        hasFailed = true;
        show();
      },
    );
  return running;
}

async function read() {
  state = await (await caches.match(STATE))?.json();
}

/** @param {PushState} next */
async function write(next) {
  state = next;
  await (await caches.open(CACHE)).put(STATE, new Response(JSON.stringify(state)));
}

function show() {
  const isDenied = Notification.permission === 'denied';
  button.disabled = isDenied;
  const isOn = state !== undefined;
  if (label === button) label.textContent = isOn ? push.stop : startText;
  else button.ariaPressed = `${isOn}`;
  status.textContent = hasFailed ? push.failed : isDenied ? push.denied : isOn ? push.on : lead;
}

/** The one place that asks for permission. Who is told on the page of an anime wants to be told of that one. */
async function begin() {
  if ((await Notification.requestPermission()) !== 'granted') return;
  if (page.dataset.slug) follow([[page.dataset.slug]]);
  // What was followed just now is among what is sent.
  clearTimeout(timer);
  await send(await subscribe());
}

async function end() {
  const subscription = await (await register()).pushManager.getSubscription();
  await subscription?.unsubscribe();
  await forget();
}

/** Sends what has changed. Ends what the person has ended in the settings of the browser. */
async function sync() {
  clearTimeout(timer);
  if (!state) return;
  if (Notification.permission !== 'granted') return forget();
  const isRecent = Date.now() - state.sentAt < RESEND_MS;
  const subscription = isRecent && (await (await register()).pushManager.getSubscription());
  await send(subscription || (await subscribe()));
}

/** Subscribes with the key of the service: a subscription with an earlier key would get nothing. */
async function subscribe() {
  const { data } = await (await request('GET', '/push/key')).json();
  await register();
  const { pushManager } = await navigator.serviceWorker.ready;
  const options = { userVisibleOnly: true, applicationServerKey: data.key };
  // A browser refuses another key than that of the subscription that it has.
  return pushManager.subscribe(options).catch(async (error) => {
    if (error.name !== 'InvalidStateError') throw error;
    await (await pushManager.getSubscription())?.unsubscribe();
    return pushManager.subscribe(options);
  });
}

/** @param {PushSubscription} subscription */
async function send(subscription) {
  const slugs = [...followed()].slice(-MAX_SLUGS);
  const { endpoint } = subscription;
  const isSame = state?.endpoint === endpoint && String(state.slugs) === String(slugs);
  if (state && isSame && Date.now() - state.sentAt < RESEND_MS) {
    if (state.lang !== lang) await write({ ...state, lang });
    return;
  }
  if (state && state.endpoint !== endpoint) await forget();
  await request('PUT', '/push/subscription', { subscription, slugs });
  await write({ endpoint, slugs, lang, sentAt: Date.now() });
}

/** The service finds out by itself when it cannot be reached now: the endpoint has ended. */
async function forget() {
  if (!state) return;
  const { endpoint } = state;
  state = undefined;
  await caches.delete(CACHE);
  await request('DELETE', '/push/subscription', { endpoint }).catch(() => {});
}

/**
 * @param {'GET' | 'PUT' | 'DELETE'} method
 * @param {string} path
 * @param {object} [body]
 */
async function request(method, path, body) {
  const headers = { 'Content-Type': 'application/json' };
  const response = await fetch(path, {
    method,
    headers,
    ...(body && { body: JSON.stringify(body) }),
    keepalive: true,
  });
  if (!response.ok) throw new Error(`${path} answered ${response.status}`);
  return response;
}
