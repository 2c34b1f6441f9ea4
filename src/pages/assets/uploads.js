// The list of uploads: those under way, those just done, and those of earlier visits.
/** @import { Outcome, Progress } from './transfer.js' */
/** @import { Row } from './upload-row.js' */
/** @import { Uploaded } from './uploaded.js' */
import { COLLECTED, collect, showCollected } from './collected.js';
import { withoutPlace } from './photo.js';
import { byId, fill, find } from './shared.js';
import { formatBytes, reasonOf, texts, troubleOf } from './texts.js';
import { rejectToken } from './token.js';
import { startTransfer } from './transfer.js';
import { UNFINISHED } from './unfinished.js';
import { askForUnfinished } from './unfinished-notice.js';
import { createRow } from './upload-row.js';
import { UPLOADED, uploaded } from './uploaded.js';

/**
 * An upload of this visit.
 * @typedef {object} Upload
 * @property {Row} row
 * @property {'waiting' | 'sending' | 'paused' | 'cancelling' | 'failed' | 'done'} state
 * @property {string} [page] the address of its page once it is done
 * @property {() => Promise<void>} start
 */
const MAX_AT_ONCE = 3;
const form = byId('drop');
const notice = byId('notice');
const section = byId('mine');
const summary = byId('summary');
const list = find(section, 'ul');
const { maxSize = '' } = form.dataset;
const maxBytes = Number(form.dataset.maxBytes);
/**
 * The uploads of this visit, in the order in which they are sent.
 * @type {Upload[]}
 */
let uploads = [];
/**
 * The rows with links, by the addresses that delete their files.
 * @type {Map<string, Row>}
 */
const shown = new Map();

/** @param {Upload['state'][]} states */
const countOf = (...states) => uploads.filter(({ state }) => states.includes(state)).length;

/**
 * Adds files to the list, and sends them, a few at a time.
 * @param {File[]} files
 * @param {string | undefined} lifetime
 * @param {boolean} keepsPlace whether photos keep the place where they were taken
 */
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
  const pages = uploads.map(({ page }) => page).filter((page) => page !== undefined);
  const done = pages.length;
  const counts = { done, total: uploads.length, failed: countOf('failed') };
  const text = counts.failed > 0 ? texts.someFailed : texts.someDone;
  summary.textContent = uploads.length > 1 ? fill(text, counts) : done === 1 ? texts.oneDone : '';
  if (countOf('waiting', 'sending') === 0) collect(pages);
  section.hidden = list.children.length === 0;
  // Registered only during an upload: browsers do not keep a page with this listener for the back button.
  const isBusy = countOf('waiting', 'sending', 'paused', 'cancelling') > 0;
  window.onbeforeunload = isBusy ? (event) => event.preventDefault() : null;
}

/**
 * Takes a row off the list, and says why. The focus, if it was in the row, goes to the next one.
 * @param {Row} row
 * @param {string} why
 */
function remove({ element }, why) {
  const next = element.nextElementSibling ?? element.previousElementSibling;
  const hadFocus = element.contains(document.activeElement);
  uploads = uploads.filter(({ row }) => row.element !== element);
  element.remove();
  notice.textContent = why;
  if (hadFocus) (next?.querySelector('h3') ?? byId('file')).focus();
  update();
}

/**
 * @param {File} file
 * @param {string | undefined} lifetime
 * @param {boolean} keepsPlace
 */
function createUpload(file, lifetime, keepsPlace) {
  const row = createRow(file.name);
  /** @type {Upload} */
  const upload = { row, state: 'waiting', start };
  /** @type {ReturnType<typeof startTransfer> | undefined} */
  let transfer;
  /** Without a photo's metadata it is smaller than the file. */
  let body = file;

  /** @param {Upload['state']} state */
  function become(state, status = '', trouble = '') {
    const isSending = state === 'sending';
    const isPaused = state === 'paused';
    upload.state = state;
    row.show(status, trouble);
    row.bar.hidden = !isSending && !isPaused;
    row.label('cancel', state === 'failed' ? texts.dismiss : state === 'cancelling' ? '' : texts.cancel);
    row.label('retry', state === 'failed' && file.size <= maxBytes ? texts.retry : '');
    row.label('pause', !transfer ? '' : isSending ? texts.pause : isPaused ? texts.resume : '');
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

  /** @param {Progress} progress */
  function onChange({ sent, since, status, seconds }) {
    if (upload.state === 'sending') row.showProgress(sent, body.size, since, troubleOf(status, seconds));
  }

  /** @param {Outcome} answer */
  function end(answer) {
    const isCancelled = upload.state === 'cancelling';
    if (answer.result) {
      if (isCancelled) notice.textContent = fill(texts.complete, { name: file.name });
      finish(answer.result, answer.deletion ?? '');
    } else if (isCancelled)
      remove(row, fill(answer.isRemoved ? texts.cancelled : texts.cancelledLate, { name: file.name }));
    else {
      if (answer.status === 401) rejectToken();
      fail(answer.isUnreadable ? texts.unreadable : reasonOf(answer.status));
    }
  }

  /**
   * @param {NonNullable<Outcome['result']>} result
   * @param {string} deletion
   */
  function finish({ url: page, url_file: direct, expired: expires }, deletion) {
    const result = { name: file.name, page, direct, deletion, expires };
    uploaded.add(result);
    showLinks(row, result);
    Object.assign(upload, { page, state: 'done' });
    update();
  }

  /** @param {string} why */
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
    if (isPaused) transfer?.resume();
    else transfer?.pause();
    if (isPaused) become('sending', texts.starting);
    else become('paused', texts.paused);
    update();
  });
  row.on('cancel', () => {
    if (upload.state === 'failed') return remove(row, '');
    if (!transfer) return remove(row, fill(texts.cancelled, { name: file.name }));
    become('cancelling', texts.cancelling);
    row.heading.focus();
    transfer.cancel();
    update();
  });

  if (file.size <= maxBytes) become('waiting', texts.queued);
  else become('failed', '', fill(texts.tooLarge, { size: formatBytes(file.size), max: maxSize }));
  return upload;
}

/**
 * @param {Row} row
 * @param {Uploaded} upload
 */
function showLinks(row, upload) {
  shown.set(upload.deletion, row);
  row.showLinks(upload, async () => {
    const { pathname } = new URL(upload.deletion);
    const response = await fetch(pathname, { method: 'DELETE' }).catch(() => undefined);
    // What is not there any more counts as deleted.
    const isDeleted = response && (response.ok || [404, 410, 451].includes(response.status));
    if (!isDeleted) return row.show('', texts.notDeleted);
    uploaded.remove(({ deletion }) => deletion === upload.deletion);
    removeLinks(upload, fill(texts.deleted, { name: upload.name }));
  });
}

/**
 * @param {Uploaded} upload
 * @param {string} why
 */
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

window.addEventListener('storage', ({ key, oldValue }) => {
  if (key === UNFINISHED) askForUnfinished();
  if (key === COLLECTED) showCollected();
  if (key !== UPLOADED) return;
  showUploaded();
  const now = uploaded.read();
  for (const upload of JSON.parse(oldValue ?? '[]'))
    if (!now.some(({ deletion }) => deletion === upload.deletion)) removeLinks(upload, notice.textContent);
});
showUploaded();
showCollected();
askForUnfinished();
