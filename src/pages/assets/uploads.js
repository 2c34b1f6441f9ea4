// The list of uploads: those under way, those just done, and those of earlier visits.
import { withoutPlace } from './photo.js';
import { fill, savedList } from './shared.js';
import { formatBytes, texts } from './texts.js';
import { startTransfer } from './transfer.js';
import { findAbandoned, UNFINISHED, watchAbandoned } from './unfinished.js';
import { createRow } from './upload-row.js';

/** What this browser has uploaded, with the addresses that delete it: `{ name, page, direct, deletion, expires }`. */
const UPLOADED = 'tayang-uploads';
const uploaded = savedList(UPLOADED, 200);
const MAX_AT_ONCE = 3;
const ids = ['drop', 'notice', 'mine', 'summary', 'copy-all'];
const [form, notice, section, summary, copyAll] = ids.map((id) => document.getElementById(id));
const list = section.querySelector('ul');
const { maxSize } = form.dataset;
const maxBytes = Number(form.dataset.maxBytes);
/** The uploads of this visit, in the order in which they are sent: waiting, sending, paused, cancelling, failed or done. */
let uploads = [];
/** The rows with links, by the addresses that delete their files. */
const shown = new Map();
/** The question about unfinished uploads that was shown last. */
let asked = '';

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
  const pages = uploads.filter(({ state }) => state === 'done').map(({ page }) => page);
  const done = pages.length;
  const counts = { done, total: uploads.length, failed: countOf('failed') };
  const text = counts.failed > 0 ? texts.someFailed : texts.someDone;
  summary.textContent = uploads.length > 1 ? fill(text, counts) : done === 1 ? texts.oneDone : '';
  copyAll.hidden = done < 2 || !navigator.clipboard;
  copyAll.dataset.copy = pages.join('\n');
  section.hidden = list.children.length === 0;
  // Registered only during an upload: browsers do not keep a page with this listener for the back button.
  const isBusy = countOf('waiting', 'sending', 'paused', 'cancelling') > 0;
  window.onbeforeunload = isBusy ? (event) => event.preventDefault() : null;
}

/** Takes a row off the list, and says why. The focus, if it was in the row, goes to the next one. */
function remove({ element }, why) {
  const next = element.nextElementSibling ?? element.previousElementSibling;
  const hadFocus = element.contains(document.activeElement);
  uploads = uploads.filter(({ row }) => row.element !== element);
  element.remove();
  notice.textContent = why;
  if (hadFocus) (next?.querySelector('h3') ?? form.file).focus();
  update();
}

function createUpload(file, lifetime, keepsPlace) {
  const row = createRow(file.name);
  const upload = { row, start };
  let transfer;
  /** Without a photo's metadata it is smaller than the file. */
  let body = file;

  function become(state, status = '', trouble = '') {
    upload.state = state;
    row.show(status, trouble);
    row.bar.hidden = !['sending', 'paused'].includes(state);
    row.label('cancel', { failed: texts.dismiss, cancelling: '' }[state] ?? texts.cancel);
    row.label('retry', state === 'failed' && file.size <= maxBytes ? texts.retry : '');
    row.label('pause', transfer ? { sending: texts.pause, paused: texts.resume }[state] : '');
  }

  async function start() {
    become('sending', texts.starting);
    body = file;
    try {
      if (!keepsPlace) body = await withoutPlace(file);
    } catch (error) {
      // A DOMException comes from the browser, which cannot read the file; any other error from what is in it.
      return fail(error instanceof DOMException ? texts.unreadable : texts.placeStays);
    }
    // It may have been cancelled meanwhile.
    if (!row.element.isConnected) return;
    transfer = startTransfer(body, lifetime, onChange);
    become('sending', texts.starting);
    // An answer that is not from this service, such as the login page of a hotel's network, may have any form.
    end(await transfer.answer.catch(() => ({})));
  }

  function onChange({ sent, since, status, seconds }) {
    if (upload.state === 'sending') row.showProgress(sent, body.size, since, troubleOf(status, seconds));
  }

  function end(answer) {
    const isCancelled = upload.state === 'cancelling';
    if (answer.result) {
      if (isCancelled) notice.textContent = fill(texts.complete, file);
      finish(answer);
    } else if (isCancelled) remove(row, fill(answer.isRemoved ? texts.cancelled : texts.cancelledLate, file));
    else fail(answer.isUnreadable ? texts.unreadable : reasonOf(answer.status));
  }

  function finish({ result: { url: page, url_file: direct, expired: expires }, deletion }) {
    const result = { name: file.name, page, direct, deletion, expires };
    uploaded.add(result);
    showLinks(row, result);
    Object.assign(upload, { page, state: 'done' });
    update();
  }

  function fail(why) {
    become('failed', '', why);
    update();
  }

  row.on('retry', () => {
    // The one that failed is over: until the next one starts, there is nothing to cancel.
    transfer = undefined;
    become('waiting', texts.queued);
    row.heading.focus();
    update();
  });
  row.on('pause', () => {
    const isPaused = upload.state === 'paused';
    transfer[isPaused ? 'resume' : 'pause']();
    if (isPaused) become('sending', texts.starting);
    else become('paused', texts.paused);
    update();
  });
  row.on('cancel', () => {
    if (upload.state === 'failed') return remove(row, '');
    if (!transfer) return remove(row, fill(texts.cancelled, file));
    become('cancelling', texts.cancelling);
    row.heading.focus();
    transfer.cancel();
    update();
  });

  if (file.size <= maxBytes) become('waiting', texts.queued);
  else become('failed', '', fill(texts.tooLarge, { size: formatBytes(file.size), max: maxSize }));
  return upload;
}

/** What to say of a temporary failure while it lasts; after a 409, only the offset has to be asked for again. */
function troubleOf(status, seconds) {
  if (status === undefined || status === 409) return '';
  if (status === 0) return texts.waiting;
  return fill(status === 429 ? texts.busy : texts.unavailable, { seconds });
}

/** Why the server refused. */
function reasonOf(status) {
  return fill(texts.refusals[status] ?? texts.refusals.other, { max: maxSize });
}

function showLinks(row, upload) {
  shown.set(upload.deletion, row);
  row.showLinks(upload, async () => {
    const { pathname } = new URL(upload.deletion);
    const response = await fetch(pathname, { method: 'DELETE' }).catch(() => undefined);
    // What is not there any more counts as deleted.
    const isDeleted = response && (response.ok || [404, 410, 451].includes(response.status));
    if (!isDeleted) return row.show('', texts.notDeleted);
    uploaded.remove(({ deletion }) => deletion === upload.deletion);
    removeLinks(upload, fill(texts.deleted, upload));
  });
}

function removeLinks({ deletion }, why) {
  const row = shown.get(deletion);
  shown.delete(deletion);
  if (row) remove(row, why);
}

/** Adds rows for what was uploaded by earlier visits or another tab, newest first. */
function showUploaded() {
  const added = uploaded.read().filter(({ deletion }) => !shown.has(deletion));
  for (const upload of added.toReversed()) {
    const row = createRow(upload.name);
    showLinks(row, upload);
    list.prepend(row.element);
  }
  update();
}

/** Asks for the files of uploads that were broken off: a page cannot open a file by itself. */
function askForUnfinished() {
  watchAbandoned(askForUnfinished);
  const files = findAbandoned();
  const text = files.length > 1 ? texts.unfinishedSeveral : texts.unfinished;
  const question = files.length > 0 ? fill(text, { n: files.length, name: files[0].name }) : '';
  // Any other message stays.
  if (notice.textContent === asked) notice.textContent = question;
  asked = question;
}

window.addEventListener('storage', ({ key, oldValue }) => {
  if (key === UNFINISHED) askForUnfinished();
  if (key !== UPLOADED) return;
  showUploaded();
  const now = uploaded.read();
  for (const upload of JSON.parse(oldValue) ?? [])
    if (!now.some(({ deletion }) => deletion === upload.deletion)) removeLinks(upload, notice.textContent);
});
showUploaded();
askForUnfinished();
