// Lets the browser be told of new episodes while every tab is closed, and keeps that in step with what is followed.
import { follow, followed, lang, onFollowed, page, register, texts } from './my-anime.js';

const box = document.getElementById('Push');
const [button, status] = box.querySelectorAll('button, [role=status]');
const words = { ...texts.push, start: button.textContent, lead: status.textContent };
/** What the service has been sent last, which the service worker reads as well. */
const [CACHE, STATE] = ['tayang-push', '/push/state'];
/** What the service has lost comes back at a visit after this time. */
const RESEND_MS = 86_400_000;
/** Several stars are often tapped in a row. */
const DELAY_MS = 2_000;
/** The maximum number of anime that the service takes; the ones followed last count. */
const MAX_SLUGS = 200;
/** `{ endpoint, slugs, lang, sentAt }`; undefined while notifications are off. Another tab may change it. */
let state;
let timer;
let running = Promise.resolve();

if ('PushManager' in window && navigator.serviceWorker && window.caches) start();
else box.hidden = true;

async function start() {
  button.addEventListener('click', () => attempt(state ? end : begin));
  onFollowed(() => {
    clearTimeout(timer);
    timer = setTimeout(() => attempt(sync), DELAY_MS);
  });
  document.addEventListener('visibilitychange', () => attempt(sync));
  await attempt(sync);
}

/** Runs one of the functions below, after those before it, and shows what has come of it. */
function attempt(work) {
  button.disabled = true;
  running = running
    .then(read)
    .then(work)
    .then(
      () => show(state ? words.on : words.lead),
      () => show(words.failed),
    );
  return running;
}

async function read() {
  state = await (await caches.match(STATE))?.json();
}

async function write(next) {
  state = next;
  await (await caches.open(CACHE)).put(STATE, new Response(JSON.stringify(state)));
}

function show(text) {
  button.disabled = Notification.permission === 'denied';
  button.textContent = state ? words.stop : words.start;
  status.textContent = button.disabled && text !== words.failed ? words.denied : text;
}

/** The one place that asks for permission. Who is told on the page of an anime wants to be told of that one. */
async function begin() {
  if ((await Notification.requestPermission()) !== 'granted') return;
  if (page.dataset.slug) follow([page.dataset.slug]);
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

async function send(subscription) {
  const slugs = [...followed()].slice(-MAX_SLUGS);
  const { endpoint } = subscription;
  const isSame = state?.endpoint === endpoint && String(state.slugs) === String(slugs);
  if (isSame && Date.now() - state.sentAt < RESEND_MS) {
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

async function request(method, path, body) {
  const headers = { 'Content-Type': 'application/json' };
  const response = await fetch(path, { method, headers, body: JSON.stringify(body), keepalive: true });
  if (!response.ok) throw new Error(`${path} answered ${response.status}`);
  return response;
}
