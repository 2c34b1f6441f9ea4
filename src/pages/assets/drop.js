// Makes the upload form better where it can: drop, paste, progress with speed and time left, cancel, delete.
import './share.js';

const [form, input, notice, progress, done] = ['drop', 'file', 'notice', 'progress', 'done'].map(byId);
const bar = progress.querySelector('progress');
const maxBytes = Number(form.dataset.maxBytes);
const words = JSON.parse(form.dataset.words);
/** Larger files are sent in pieces, so that they go on after the connection has broken. */
const MAX_AT_ONCE = 5 * 1024 * 1024;
/** What is on its way. */
let upload;
/** The module of the list, which most visits do not need before they send a file. */
let mine;

form.reset();
form.classList.add('live');
input.addEventListener('change', () => take(input.files));
document.addEventListener('drop', (event) => take(event.dataTransfer.files));
document.addEventListener('paste', (event) => take(event.clipboardData.files));
for (const kind of ['dragover', 'dragleave', 'drop']) {
  document.addEventListener(kind, (event) => {
    event.preventDefault();
    // To enter a child is to leave its parent: only leaving the window ends it.
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

/** A text of `words` with values where it has `{name}`. */
function fill(text, values) {
  return text.replace(/\{(\w+)\}/gu, (_, name) => values[name]);
}

/** One of form, progress and done; what has the focus would be hidden, so it goes along. */
function show(panel) {
  for (const one of [form, progress, done]) one.hidden = one !== panel;
  notice.hidden = true;
  (panel.querySelector('h2') ?? input).focus();
}

function tell(message, isBad = false) {
  notice.textContent = message;
  notice.classList.toggle('bad', isBad);
  notice.hidden = false;
}

function refuse(message) {
  show(form);
  tell(message, true);
}

/** What was chosen, dropped or pasted. One upload at a time: a stray drop must not end the one under way. */
function take(files) {
  if (upload || files.length === 0) return;
  const [file] = files;
  if (files.length > 1) tell(words.oneFile, true);
  else if (file.size > maxBytes) {
    tell(
      fill(words.tooLarge, { name: file.name, size: inWords(file.size), max: form.dataset.maxSize }),
      true,
    );
  } else send(file);
  input.value = '';
}

function send(file) {
  window.addEventListener('beforeunload', stay);
  for (const name of document.querySelectorAll('h2 .name')) name.textContent = file.name;
  bar.value = 0;
  tellPace(words.starting);
  byId('pause').hidden = true;
  show(progress);
  upload = { abort() {} };
  loadMine().then(
    () => (file.size > MAX_AT_ONCE ? sendInPieces(file) : sendAtOnce(file)),
    () => {
      end();
      refuse(words.notSent);
    },
  );
}

async function loadMine() {
  mine ??= await import('./my-uploads.js');
  mine.showUploads(() => tell(words.notDeleted, true));
}

function end() {
  upload = undefined;
  window.removeEventListener('beforeunload', stay);
}

function cancelled() {
  show(form);
  tell(bar.value < 1 ? words.cancelled : words.cancelledLate);
}

function sendAtOnce(file) {
  const body = new FormData();
  const life = byId('life');
  if (life) body.append('expires', life.value);
  body.append('file', file);
  upload = new XMLHttpRequest();
  upload.responseType = 'json';
  upload.upload.onprogress = paceSince(performance.now());
  upload.onload = ({ target }) => {
    const { response, status } = target;
    if (response?.status) finish(response.result, target.getResponseHeader('X-Delete-Url'), file.name);
    else refuseFor(status, response?.message, target.getResponseHeader('Retry-After'));
  };
  upload.onerror = () => refuse(words.notSent);
  upload.onabort = cancelled;
  upload.onloadend = end;
  upload.open('POST', form.action);
  upload.send(body);
}

async function sendInPieces(file) {
  const { showPieces } = await import('./pieces.js');
  const life = byId('life')?.value;
  upload = showPieces(file, { words, life, paceSince, tellPace, end, finish, refuse: refuseFor, cancelled });
}

/** A page cannot open a file by itself: it asks for the one of which an earlier visit has sent a part. */
async function showEarlier() {
  if (localStorage.getItem('tayang-uploads')) await loadMine();
  if (!localStorage.getItem('tayang-unfinished')) return;
  const { unfinished } = await import('./resumable.js');
  const [first] = unfinished();
  if (first && !upload) tell(fill(words.unfinished, first));
}

/** Asks before an upload is lost. Only while there is one: pages that may ask are not kept for a way back. */
function stay(event) {
  event.preventDefault();
}

function paceSince(startedAt, offset = 0) {
  return ({ loaded, total }) => {
    const perSecond = (loaded - offset) / ((performance.now() - startedAt) / 1000);
    const left = Math.ceil((total - loaded) / perSecond);
    bar.value = loaded / total;
    if (!left) return tellPace(words.sent);
    const speed = inWords(perSecond);
    tellPace(
      fill(words.progress, { done: inWords(loaded), total: inWords(total) }),
      fill(words.pace, { speed, left: mine.formatSpan(left, 'narrow') }),
    );
  };
}

function tellPace(...parts) {
  for (const [index, place] of [...byId('pace').children].entries()) place.textContent = parts[index] ?? '';
}

/** Says why the server refuses: in the language of the page, where that is not the one of its messages. */
function refuseFor(status, message = `the server answered ${status}`, seconds = '') {
  const { refusals } = words;
  const text = refusals[status] ?? refusals.other;
  if (text) return refuse(fill(text, { max: form.dataset.maxSize, seconds: seconds ?? '' }));
  refuse(`${message[0].toUpperCase()}${message.slice(1)}.`);
}

function finish({ url, url_file: direct, expired: expires }, deletion, name) {
  for (const [id, address] of Object.entries({ page: url, direct, deletion })) {
    byId(id).href = address;
    byId(id).textContent = address;
  }
  byId('expires').textContent = mine.formatExpiry(expires);
  mine.remember({ name, page: url, deletion, expires });
  show(done);
}

async function remove() {
  if (!(await mine.deleteUpload(byId('deletion').href))) return tell(words.notDeleted, true);
  show(form);
  tell(words.deleted);
}

/** Rounded up, so that what is too large never looks like what is allowed. */
function inWords(bytes) {
  const power = bytes < 1024 ? 0 : Math.min(3, Math.floor(Math.log2(bytes) / 10));
  const size = bytes / 1024 ** power;
  const rounded = power < 2 ? Math.ceil(size) : (Math.ceil(size * 10) / 10).toFixed(1);
  return `${rounded} ${['B', 'KB', 'MB', 'GB'][power]}`;
}
