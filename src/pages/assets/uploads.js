// The list of uploads: those under way, those just done, and those of earlier visits.
import { withoutPlace } from './photo.js';
import { unfinished } from './resumable.js';
import { copy } from './share.js';
import { fill, savedList } from './shared.js';
import { formatBytes, texts } from './texts.js';
import { startTransfer } from './transfer.js';
import { createRow } from './upload-row.js';

/** What this browser has uploaded, with the addresses that delete it: `{ name, page, direct, deletion, expires }`. */
const uploaded = savedList('tayang-uploads', 200);
const MAX_AT_ONCE = 3;
const byId = (id) => document.getElementById(id);
const [form, notice, section, summary, copyAll] = ['drop', 'notice', 'mine', 'summary', 'copy-all'].map(byId);
const list = section.querySelector('ul');
const { maxSize } = form.dataset;
const maxBytes = Number(form.dataset.maxBytes);
/** The uploads of this visit, in the order in which they are sent: waiting, sending, paused, failed or done. */
let uploads = [];

const countOf = (...states) => uploads.filter(({ state }) => states.includes(state)).length;

/** Adds files to the list, and sends them, a few at a time. */
export function addFiles(files, lifetime, keepsPlace) {
  const added = files.map((file) => createUpload(file, lifetime, keepsPlace));
  uploads.push(...added);
  list.prepend(...added.map(({ row }) => row.element));
  form.classList.add('small');
  update();
}

/** Starts what may start, and shows how far everything is. */
function update() {
  const waiting = uploads.filter(({ state }) => state === 'waiting');
  for (const { start } of waiting.slice(0, Math.max(0, MAX_AT_ONCE - countOf('sending')))) start();
  const done = countOf('done');
  const counts = { done, total: uploads.length, failed: countOf('failed') };
  const text = counts.failed > 0 ? texts.someFailed : texts.someDone;
  summary.textContent = uploads.length > 1 ? fill(text, counts) : done === 1 ? texts.oneDone : '';
  copyAll.hidden = done < 2 || !navigator.clipboard;
  section.hidden = list.children.length === 0;
  // Registered only during an upload: browsers do not keep a page with this listener for the back button.
  const isBusy = countOf('waiting', 'sending', 'paused') > 0;
  window[isBusy ? 'addEventListener' : 'removeEventListener']('beforeunload', askBeforeLeaving);
}

function askBeforeLeaving(event) {
  event.preventDefault();
}

/** Takes a row off the list, and says why. The focus goes to the next row, because its button is gone. */
function remove({ element }, why) {
  const next = element.nextElementSibling ?? element.previousElementSibling;
  uploads = uploads.filter(({ row }) => row.element !== element);
  element.remove();
  notice.textContent = why;
  (next?.querySelector('h3') ?? byId('file')).focus();
  update();
}

function createUpload(file, lifetime, keepsPlace) {
  const row = createRow(file.name);
  const upload = { row, state: 'waiting', start };
  let transfer;
  /** When the current connection began (ms), and at which byte. */
  let since = { at: 0, offset: 0 };
  /** Without a photo's metadata it is smaller than the file. */
  let body = file;
  let sent = 0;

  function become(state) {
    upload.state = state;
    row.showBar(['sending', 'paused'].includes(state));
    row.label('cancel', state === 'failed' ? texts.dismiss : texts.cancel);
    row.label('retry', state === 'failed' && file.size <= maxBytes ? texts.retry : '');
    row.label('pause', transfer?.pause ? { sending: texts.pause, paused: texts.resume }[state] : '');
  }

  function wait() {
    become('waiting');
    row.showStatus(texts.queued);
  }

  async function start() {
    row.showStatus(texts.starting);
    become('sending');
    body = file;
    try {
      if (!keepsPlace) body = await withoutPlace(file);
    } catch {
      fail(texts.placeStays);
      return update();
    }
    // It may have been cancelled meanwhile.
    if (!row.element.isConnected) return;
    transfer = startTransfer(body, { lifetime, onStart, onProgress, onWait, onDone, onRefused });
    become('sending');
  }

  function onStart(offset) {
    since = { at: performance.now(), offset };
  }

  function onProgress(loaded) {
    sent = loaded;
    row.showTrouble('');
    row.showProgress(loaded, body.size, since);
  }

  function onWait(loaded, seconds) {
    since.offset = loaded;
    onProgress(loaded);
    row.showTrouble(seconds ? fill(texts.busy, { seconds }) : texts.waiting);
  }

  function onDone({ url: page, url_file: direct, expired: expires }, deletion) {
    const result = { name: file.name, page, direct, deletion, expires };
    uploaded.add(result);
    row.showTrouble('');
    showLinks(row, result);
    upload.page = page;
    upload.state = 'done';
    update();
  }

  function onRefused(status) {
    fail(reasonOf(status));
    update();
  }

  function fail(why) {
    become('failed');
    row.showStatus('');
    row.showTrouble(why);
  }

  row.on('retry', () => {
    row.showTrouble('');
    wait();
    row.heading.focus();
    update();
  });
  row.on('pause', () => {
    const isPaused = upload.state === 'paused';
    transfer[isPaused ? 'resume' : 'pause']();
    row.showStatus(isPaused ? texts.starting : texts.paused);
    become(isPaused ? 'sending' : 'paused');
    update();
  });
  row.on('cancel', () => {
    const text = sent < body.size ? texts.cancelled : texts.cancelledLate;
    if (upload.state !== 'failed') transfer?.abort();
    remove(row, upload.state === 'failed' ? '' : fill(text, file));
  });

  wait();
  if (file.size > maxBytes) fail(fill(texts.tooLarge, { size: formatBytes(file.size), max: maxSize }));
  return upload;
}

function showLinks(row, upload) {
  row.showLinks(upload, async () => {
    const { pathname } = new URL(upload.deletion);
    const response = await fetch(pathname, { method: 'DELETE' }).catch(() => undefined);
    // What is not there any more counts as deleted.
    if (!(response?.status < 500)) return row.showTrouble(texts.notDeleted);
    uploaded.remove(({ deletion }) => deletion === upload.deletion);
    remove(row, fill(texts.deleted, upload));
  });
}

/** Why the server refused. */
function reasonOf(status) {
  if (status === 0) return texts.notSent;
  return fill(texts.refusals[status] ?? texts.refusals.other, { max: maxSize });
}

copyAll.addEventListener('click', () => {
  const pages = uploads.filter(({ state }) => state === 'done').map(({ page }) => page);
  copy(copyAll, pages.join('\n'));
});
for (const upload of uploaded.read()) {
  const row = createRow(upload.name);
  showLinks(row, upload);
  list.append(row.element);
}
const [first] = unfinished.read();
// A page cannot open a file by itself, so it asks for it.
if (first) notice.textContent = fill(texts.unfinished, first);
update();
