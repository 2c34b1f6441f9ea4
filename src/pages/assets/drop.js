// Adds to the upload form: drop, paste, progress with speed and time left, cancel, delete.
import './share.js';

const [form, input, notice, progress, done] = ['drop', 'file', 'notice', 'progress', 'done'].map(byId);
const bar = progress.querySelector('progress');
const maxBytes = Number(form.dataset.maxBytes);
const texts = JSON.parse(form.dataset.texts);
/** Larger files are sent by tus, so that they can continue after the connection has broken. */
const MAX_FORM_BYTES = 5 * 1024 * 1024;
/** The current upload, with `abort`; undefined without one. */
let upload;
/** The module `my-uploads.js`, once it is loaded. Most visits do not need it before they send a file. */
let ownUploads;

form.reset();
form.classList.add('live');
input.addEventListener('change', () => takeFiles(input.files));
document.addEventListener('drop', (event) => takeFiles(event.dataTransfer.files));
document.addEventListener('paste', (event) => takeFiles(event.clipboardData.files));
for (const kind of ['dragover', 'dragleave', 'drop']) {
  document.addEventListener(kind, (event) => {
    event.preventDefault();
    // A child that is entered makes its parent fire dragleave; without a related target the window was left.
    form.classList.toggle('over', kind === 'dragover' || event.relatedTarget !== null);
  });
}
byId('cancel').addEventListener('click', () => upload?.abort());
byId('another').addEventListener('click', () => show(form));
byId('delete').addEventListener('click', remove);
showEarlier().catch(() => {});

function byId(id) {
  return document.getElementById(id);
}

/** Fills in a text: each `{name}` becomes the value of that name. */
function fill(text, values) {
  return text.replace(/\{(\w+)\}/gu, (_, name) => values[name]);
}

/** Shows one of form, progress and done, and focuses it, because the focused element is hidden. */
function show(panel) {
  for (const one of [form, progress, done]) one.hidden = one !== panel;
  notice.hidden = true;
  (panel.querySelector('h2') ?? input).focus();
}

function showNotice(message, isBad = false) {
  notice.textContent = message;
  notice.classList.toggle('bad', isBad);
  notice.hidden = false;
}

function refuse(message) {
  show(form);
  showNotice(message, true);
}

/** Takes files that were chosen, dropped or pasted. It ignores them during an upload, so that a stray drop does not end it. */
function takeFiles(files) {
  if (upload || files.length === 0) return;
  const [file] = files;
  if (files.length > 1) showNotice(texts.oneFile, true);
  else if (file.size > maxBytes) {
    showNotice(
      fill(texts.tooLarge, { name: file.name, size: formatBytes(file.size), max: form.dataset.maxSize }),
      true,
    );
  } else send(file);
  input.value = '';
}

function send(file) {
  window.addEventListener('beforeunload', askBeforeLeaving);
  for (const name of document.querySelectorAll('h2 .name')) name.textContent = file.name;
  bar.value = 0;
  showStatus(texts.starting);
  byId('pause').hidden = true;
  show(progress);
  upload = { abort() {} };
  start(file).catch(() => {
    end();
    refuse(texts.notSent);
  });
}

async function start(file) {
  await loadOwnUploads();
  if (file.size > MAX_FORM_BYTES) await sendResumable(file);
  else sendForm(file);
}

async function loadOwnUploads() {
  ownUploads ??= await import('./my-uploads.js');
  ownUploads.showUploads(() => showNotice(texts.notDeleted, true));
}

function end() {
  upload = undefined;
  window.removeEventListener('beforeunload', askBeforeLeaving);
}

function cancelled() {
  show(form);
  showNotice(bar.value < 1 ? texts.cancelled : texts.cancelledLate);
}

function sendForm(file) {
  const body = new FormData();
  const lifetime = byId('lifetime')?.value;
  if (lifetime) body.append('expires', lifetime);
  body.append('file', file);
  upload = new XMLHttpRequest();
  upload.responseType = 'json';
  upload.upload.onprogress = onProgressSince(performance.now());
  upload.onload = ({ target }) => {
    const { response, status } = target;
    if (response?.status) finish(response.result, target.getResponseHeader('X-Delete-Url'), file.name);
    else showRefusal(status, response?.message, target.getResponseHeader('Retry-After'));
  };
  upload.onerror = () => refuse(texts.notSent);
  upload.onabort = cancelled;
  upload.onloadend = end;
  upload.open('POST', form.action);
  upload.send(body);
}

async function sendResumable(file) {
  const { sendWithProgress } = await import('./resumable-progress.js');
  const lifetime = byId('lifetime')?.value;
  const callbacks = { onProgressSince, showStatus, end, finish, showRefusal, cancelled };
  upload = sendWithProgress(file, { texts, lifetime, ...callbacks });
}

/** Asks for a file that an earlier visit has sent in part: a page cannot open a file by itself. */
async function showEarlier() {
  if (localStorage.getItem('tayang-uploads')) await loadOwnUploads();
  if (!localStorage.getItem('tayang-unfinished')) return;
  const { unfinished } = await import('./resumable.js');
  const [first] = unfinished();
  if (first && !upload) showNotice(fill(texts.unfinished, first));
}

/** Registered only during an upload: browsers do not keep a page with this listener for the back button. */
function askBeforeLeaving(event) {
  event.preventDefault();
}

/** Returns a handler of progress events for a connection that began at `startedAt` (ms), at `offset` bytes. */
function onProgressSince(startedAt, offset = 0) {
  return ({ loaded, total }) => {
    const perSecond = (loaded - offset) / ((performance.now() - startedAt) / 1000);
    const left = Math.ceil((total - loaded) / perSecond);
    bar.value = loaded / total;
    if (!left) return showStatus(texts.sent);
    const speed = formatBytes(perSecond);
    showStatus(
      fill(texts.progress, { done: formatBytes(loaded), total: formatBytes(total) }),
      fill(texts.speed, { speed, left: ownUploads.formatSpan(left, 'narrow') }),
    );
  };
}

/** Shows up to two texts below the progress bar. */
function showStatus(...parts) {
  for (const [index, place] of [...byId('upload-status').children].entries())
    place.textContent = parts[index] ?? '';
}

/** Shows why the server refused: its message, or a text of the page when that is not in English. */
function showRefusal(status, message = `the server answered ${status}`, seconds = '') {
  const { refusals } = texts;
  const text = refusals[status] ?? refusals.other;
  if (text) return refuse(fill(text, { max: form.dataset.maxSize, seconds: seconds ?? '' }));
  refuse(`${message[0].toUpperCase()}${message.slice(1)}.`);
}

function finish({ url, url_file: direct, expired: expires }, deletion, name) {
  for (const [id, address] of Object.entries({ page: url, direct, deletion })) {
    byId(id).href = address;
    byId(id).textContent = address;
  }
  byId('expires').textContent = ownUploads.formatExpiry(expires);
  ownUploads.remember({ name, page: url, deletion, expires });
  show(done);
}

async function remove() {
  if (!(await ownUploads.deleteUpload(byId('deletion').href))) return showNotice(texts.notDeleted, true);
  show(form);
  showNotice(texts.deleted);
}

/** Rounds up, so that a size over the limit is never shown as the limit. */
function formatBytes(bytes) {
  const power = bytes < 1024 ? 0 : Math.min(3, Math.floor(Math.log2(bytes) / 10));
  const size = bytes / 1024 ** power;
  const rounded = power < 2 ? Math.ceil(size) : (Math.ceil(size * 10) / 10).toFixed(1);
  return `${rounded} ${['B', 'KB', 'MB', 'GB'][power]}`;
}
