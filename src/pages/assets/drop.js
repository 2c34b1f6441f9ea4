// Makes the upload form better where it can: drop, paste, progress with speed and time left, cancel, copy, delete.
const [form, input, notice, progress, done] = ['drop', 'file', 'notice', 'progress', 'done'].map(byId);
const bar = progress.querySelector('progress');
const maxBytes = Number(form.dataset.maxBytes);
/** The request that is on its way. */
let upload;

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
for (const button of done.querySelectorAll('dd button')) {
  button.hidden = !navigator.clipboard;
  button.addEventListener('click', () => copy(button));
}

function byId(id) {
  return document.getElementById(id);
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
  if (files.length > 1) tell('One file at a time, please. Nothing was uploaded.', true);
  else if (file.size > maxBytes) {
    const { maxSize } = form.dataset;
    tell(
      `“${file.name}” is too large: it has ${inWords(file.size)}, and a file may have up to ${maxSize}.`,
      true,
    );
  } else send(file);
  form.reset();
}

function send(file) {
  const body = new FormData();
  body.append('file', file);
  upload = new XMLHttpRequest();
  upload.responseType = 'json';
  upload.upload.onprogress = paceSince(performance.now());
  upload.onload = ({ target }) => (target.response?.status ? finish(target) : refuse(messageOf(target)));
  upload.onerror = () =>
    refuse('The file could not be sent. Is it a file, and is there a connection? Try again.');
  upload.onabort = () => {
    show(form);
    tell(bar.value < 1 ? 'Cancelled. Nothing was kept.' : 'Cancelled, but the file may have arrived.');
  };
  upload.onloadend = () => {
    upload = undefined;
    window.removeEventListener('beforeunload', stay);
  };
  window.addEventListener('beforeunload', stay);
  upload.open('POST', form.action);
  upload.send(body);
  for (const name of document.querySelectorAll('h2 .name')) name.textContent = file.name;
  bar.value = 0;
  tellPace('Starting…');
  show(progress);
}

/** Asks before an upload is lost. Only while there is one: pages that may ask are not kept for a way back. */
function stay(event) {
  event.preventDefault();
}

function paceSince(startedAt) {
  return ({ loaded, total }) => {
    const perSecond = loaded / ((performance.now() - startedAt) / 1000);
    const left = Math.ceil((total - loaded) / perSecond);
    bar.value = loaded / total;
    if (left)
      tellPace(`${inWords(loaded)} of ${inWords(total)}`, `${inWords(perSecond)}/s, ${inTime(left)} left`);
    else tellPace('Sent. Waiting for the answer…');
  };
}

function tellPace(...parts) {
  for (const [index, place] of [...byId('pace').children].entries()) place.textContent = parts[index] ?? '';
}

function messageOf({ response, status }) {
  const message = response?.message ?? `the server answered ${status}`;
  return `${message[0].toUpperCase()}${message.slice(1)}.`;
}

function finish(request) {
  const { url, url_file: direct, expiredFmt } = request.response.result;
  const addresses = { page: url, direct, deletion: request.getResponseHeader('X-Delete-Url') };
  for (const [id, address] of Object.entries(addresses)) {
    byId(id).href = address;
    byId(id).textContent = address;
  }
  byId('expires').textContent = expiredFmt;
  show(done);
}

async function copy(button) {
  await navigator.clipboard.writeText(button.previousElementSibling.href);
  button.textContent = 'Copied';
  setTimeout(() => {
    button.textContent = 'Copy';
  }, 2000);
}

/** What is not there any more is as good as deleted. */
async function remove() {
  const response = await fetch(byId('deletion').pathname, { method: 'DELETE' }).catch(() => undefined);
  if (!(response?.status < 500)) return tell('It could not be deleted. Try again.', true);
  show(form);
  tell('Deleted. The file is gone.');
}

/** Rounded up, so that what is too large never looks like what is allowed. */
function inWords(bytes) {
  const power = bytes < 1024 ? 0 : Math.min(3, Math.floor(Math.log2(bytes) / 10));
  const size = bytes / 1024 ** power;
  const rounded = power < 2 ? Math.ceil(size) : (Math.ceil(size * 10) / 10).toFixed(1);
  return `${rounded} ${['B', 'KB', 'MB', 'GB'][power]}`;
}

function inTime(seconds) {
  if (seconds < 90) return `${seconds} s`;
  return seconds < 5400 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3600)} h`;
}
