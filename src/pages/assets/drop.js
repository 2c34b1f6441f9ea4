// Takes files and folders that are chosen, dropped or pasted. The list of uploads is loaded with the first of them.
/** @import { UploadTranslations } from '../i18n/translations.ts' */
import './share.js';
import { byId, fill, load } from './shared.js';

/** So many files are taken at a time: whoever drops a whole disk has not meant it. */
const MAX_FILES = 100;
/** What uploads.js and unfinished.js keep in this browser. */
const LISTS = ['tayang-uploads', 'tayang-unfinished'];
const form = byId('drop', HTMLFormElement);
const input = byId('file', HTMLInputElement);
const notice = byId('notice');
/** @type {UploadTranslations['scripts']} */
const texts = JSON.parse(form.dataset.texts ?? '');

form.reset();
input.multiple = true;
input.addEventListener('change', () => {
  take([...(input.files ?? [])]);
  input.value = '';
});
document.addEventListener('drop', async ({ dataTransfer }) => {
  try {
    take(await filesIn(dataTransfer?.items ?? []));
  } catch {
    say(texts.unreadable);
  }
});
document.addEventListener('paste', ({ clipboardData }) => take([...(clipboardData?.files ?? [])]));
for (const kind of /** @type {const} */ (['dragover', 'dragleave', 'drop'])) {
  document.addEventListener(kind, (event) => {
    event.preventDefault();
    // A child that is entered makes its parent fire dragleave; without a related target the window was left.
    form.classList.toggle('over', kind === 'dragover' || event.relatedTarget !== null);
  });
}
// Where uploads need a token.
if (document.getElementById('token')) import('./token.js').catch(() => {});
// Uploads of earlier visits, whether complete or sent in part, and those of other tabs.
if (LISTS.some(load)) showList();
window.addEventListener('storage', ({ key }) => LISTS.includes(key ?? '') && showList());

function showList() {
  import('./uploads.js').catch(() => {});
}

/** @param {string} text */
function say(text) {
  notice.textContent = text;
}

/** @param {File[]} files */
async function take(files) {
  if (files.length === 0) return;
  say(files.length > MAX_FILES ? fill(texts.tooManyFiles, { max: MAX_FILES }) : '');
  const choice = document.getElementById('lifetime');
  const lifetime = choice instanceof HTMLSelectElement ? choice.value : undefined;
  try {
    const { hasToken } = await import('./token.js');
    const { addFiles } = await import('./uploads.js');
    if (!hasToken()) say(texts.tokenMissing);
    else addFiles(files.slice(0, MAX_FILES), lifetime, !byId('place', HTMLInputElement).checked);
  } catch {
    // The network went before the first file was chosen.
    say(texts.notLoaded);
  }
}

/**
 * The files among what was dropped and in its folders. The items can be read only before the first `await`.
 * @param {Iterable<DataTransferItem>} items
 */
async function filesIn(items) {
  const dropped = [...items]
    .filter(({ kind }) => kind === 'file')
    .map((item) => ({ entry: item.webkitGetAsEntry(), file: item.getAsFile() }));
  /** @type {File[]} */
  const files = [];
  for (const { entry, file } of dropped) {
    if (entry && isFolder(entry)) await addFolder(entry, files);
    else if (file) files.push(file);
  }
  return files;
}

/**
 * @param {FileSystemEntry} entry
 * @returns {entry is FileSystemDirectoryEntry}
 */
const isFolder = (entry) => entry.isDirectory;

/**
 * Adds the files of a folder and of the folders in it, without hidden ones, until there are more than are taken.
 * @param {FileSystemDirectoryEntry} folder
 * @param {File[]} files
 * @returns {Promise<void>}
 */
async function addFolder(folder, files) {
  const reader = folder.createReader();
  /** @returns {Promise<FileSystemEntry[]>} */
  const read = () => new Promise((resolve, reject) => reader.readEntries(resolve, reject));
  // A reader gives some of the entries at a time, and none at the end.
  for (let entries = await read(); entries.length > 0; entries = await read()) {
    for (const entry of entries.filter(({ name }) => !name.startsWith('.'))) {
      if (files.length > MAX_FILES) return;
      if (isFolder(entry)) await addFolder(entry, files);
      else files.push(await readFile(/** @type {FileSystemFileEntry} */ (entry)));
    }
  }
}

/**
 * @param {FileSystemFileEntry} entry
 * @returns {Promise<File>}
 */
function readFile(entry) {
  return new Promise((resolve, reject) => entry.file(resolve, reject));
}
