// The list of uploads: those under way, those just done, and those of earlier visits.
import { withoutPlace } from './photo.js';
import { unfinished } from './resumable.js';
import { fill, savedList } from './shared.js';
import { formatBytes, texts } from './texts.js';
import { startTransfer } from './transfer.js';
import { createRow } from './upload-row.js';

/** What this browser has uploaded, with the addresses that delete it: `{ name, page, direct, deletion, expires }`. */
const uploaded = savedList('tayang-uploads', 200);
const MAX_AT_ONCE = 3;
const ids = ['drop', 'notice', 'mine', 'summary', 'copy-all'];
const [form, notice, section, summary, copyAll] = ids.map((id) => document.getElementById(id));
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
  const pages = uploads.filter(({ state }) => state === 'done').map(({ page }) => page);
  const done = pages.length;
  const counts = { done, total: uploads.length, failed: countOf('failed') };
  const text = counts.failed > 0 ? texts.someFailed : texts.someDone;
  summary.textContent = uploads.length > 1 ? fill(text, counts) : done === 1 ? texts.oneDone : '';
  copyAll.hidden = done < 2 || !navigator.clipboard;
  copyAll.dataset.copy = pages.join('\n');
  section.hidden = list.children.length === 0;
  // Registered only during an upload: browsers do not keep a page with this listener for the back button.
  const isBusy = countOf('waiting', 'sending', 'paused') > 0;
  window.onbeforeunload = isBusy ? (event) => event.preventDefault() : null;
}

/** Takes a row off the list, and says why. The focus goes to the next row, because its button is gone. */
function remove({ element }, why) {
  const next = element.nextElementSibling ?? element.previousElementSibling;
  uploads = uploads.filter(({ row }) => row.element !== element);
  element.remove();
  notice.textContent = why;
  (next?.querySelector('h3') ?? form.file).focus();
  update();
}

function createUpload(file, lifetime, keepsPlace) {
  const row = createRow(file.name);
  const upload = { row, start };
  let transfer;
  /** Without a photo's metadata it is smaller than the file. */
  let body = file;
  let sent = 0;

  function become(state, status = '', trouble = '') {
    upload.state = state;
    row.show(status, trouble);
    row.bar.hidden = !['sending', 'paused'].includes(state);
    row.label('cancel', state === 'failed' ? texts.dismiss : texts.cancel);
    row.label('retry', state === 'failed' && file.size <= maxBytes ? texts.retry : '');
    row.label('pause', transfer?.pause ? { sending: texts.pause, paused: texts.resume }[state] : '');
  }

  async function start() {
    become('sending', texts.starting);
    body = file;
    try {
      if (!keepsPlace) body = await withoutPlace(file);
    } catch {
      return fail(texts.placeStays);
    }
    // It may have been cancelled meanwhile.
    if (!row.element.isConnected) return;
    transfer = startTransfer(body, lifetime, onChange);
    become('sending', texts.starting);
    const answer = await transfer.answer;
    if (answer?.result) finish(answer);
    else if (answer) fail(reasonOf(answer.status));
  }

  function onChange({ sent: bytes, since, seconds }) {
    sent = bytes;
    const trouble = seconds ? fill(texts.busy, { seconds }) : seconds === 0 ? texts.waiting : '';
    row.showProgress(sent, body.size, since, trouble);
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
    const text = sent < body.size ? texts.cancelled : texts.cancelledLate;
    if (upload.state !== 'failed') transfer?.abort();
    remove(row, upload.state === 'failed' ? '' : fill(text, file));
  });

  if (file.size <= maxBytes) become('waiting', texts.queued);
  else become('failed', '', fill(texts.tooLarge, { size: formatBytes(file.size), max: maxSize }));
  return upload;
}

/** Why the server refused. */
function reasonOf(status) {
  const why = status === 0 ? texts.notSent : (texts.refusals[status] ?? texts.refusals.other);
  return fill(why, { max: maxSize });
}

function showLinks(row, upload) {
  row.showLinks(upload, async () => {
    const { pathname } = new URL(upload.deletion);
    const response = await fetch(pathname, { method: 'DELETE' }).catch(() => undefined);
    // What is not there any more counts as deleted.
    if (!(response?.status < 500)) return row.show('', texts.notDeleted);
    uploaded.remove(({ deletion }) => deletion === upload.deletion);
    remove(row, fill(texts.deleted, upload));
  });
}

for (const upload of uploaded.read()) {
  const row = createRow(upload.name);
  showLinks(row, upload);
  list.append(row.element);
}
const [first] = unfinished.read();
// A page cannot open a file by itself, so it asks for it.
if (first) notice.textContent = fill(texts.unfinished, first);
update();
