// A row of the list of uploads: what it shows while a file is sent, when it failed, and when it has its links.
/** @import { Uploaded } from './uploaded.js' */
import { showButtons } from './share.js';
import { fill, find, findAll } from './shared.js';
import { formatBytes, formatExpiry, formatSpan, texts } from './texts.js';

const template = find(document, '#mine template', HTMLTemplateElement).content;
let rows = 0;

/** @typedef {ReturnType<typeof createRow>} Row */
/**
 * Makes a row for the file of that name.
 * @param {string} name
 */
export function createRow(name) {
  const copy = /** @type {DocumentFragment} */ (template.cloneNode(true));
  const element = find(copy, 'li');
  /** @param {string} selector */
  const part = (selector) => find(element, selector);
  const heading = part('h3');
  const bar = find(element, 'progress', HTMLProgressElement);
  const message = part('.message');
  const status = part('.upload-status > :first-child');
  const speed = part('.upload-status > :last-child');
  rows += 1;
  heading.id = `upload-${rows}`;
  heading.textContent = name;
  bar.setAttribute('aria-labelledby', heading.id);
  for (const button of findAll(element, 'button')) button.setAttribute('aria-describedby', heading.id);

  /**
   * Shows how it goes, and what is wrong, which a screen reader says.
   * @param {string} text
   */
  function show(text, trouble = '', rate = '') {
    [status.textContent, message.textContent, speed.textContent] = [text, trouble, rate];
  }

  return {
    element,
    heading,
    bar,
    show,
    /** @type {(action: string, listener: () => void) => void} */
    on: (action, listener) => part(`.${action}`).addEventListener('click', listener),
    /**
     * Names the button of an action, and shows it; without a label, it hides the button.
     * @param {string} action
     * @param {string} label
     */
    label(action, label) {
      part(`.${action}`).hidden = !label;
      part(`.${action}`).textContent = label;
    },
    /**
     * Shows how much has been sent, of a connection that began at `since.at` (ms) with `since.offset` bytes.
     * @param {number} loaded
     * @param {number} total
     * @param {{ at: number, offset: number }} since
     * @param {string} trouble
     */
    showProgress(loaded, total, since, trouble) {
      bar.value = loaded / (total || 1);
      if (loaded === total) return show(texts.sent, trouble);
      const perSecond = (loaded - since.offset) / ((performance.now() - since.at) / 1000);
      const left = formatSpan(Math.ceil((total - loaded) / perSecond), 'narrow');
      const rate = fill(texts.speed, { speed: formatBytes(perSecond), left });
      const progress = fill(texts.progress, { done: formatBytes(loaded), total: formatBytes(total) });
      show(progress, trouble, perSecond > 0 ? rate : '');
    },
    /**
     * Shows the links of an upload, and the button that removes it.
     * @param {Uploaded} upload
     * @param {() => void} remove
     */
    showLinks({ page, direct, deletion, expires }, remove) {
      if (element.contains(document.activeElement)) heading.focus();
      bar.remove();
      part('.working').remove();
      message.textContent = '';
      for (const one of findAll(element, '.links')) one.hidden = false;
      for (const [kind, address] of Object.entries({ page, direct: direct ?? page, deletion })) {
        part(`.copy-${kind}`).dataset.copy = address;
        const link = element.querySelector(`a.${kind}`);
        if (!(link instanceof HTMLAnchorElement)) continue;
        link.href = address;
        link.textContent = address;
      }
      part('[data-share]').dataset.share = page;
      part('.expiry').textContent = formatExpiry(expires);
      showButtons(element);
      askToDelete(part('.delete'), remove);
    },
  };
}

/**
 * Has a button ask once more, in its place, before it deletes. The second click of a double click is no answer.
 * @param {HTMLElement} button
 * @param {() => void} remove
 */
function askToDelete(button, remove) {
  const label = button.textContent;
  /** @param {boolean} isAsking */
  const ask = (isAsking) => {
    button.classList.toggle('plain', !isAsking);
    button.textContent = isAsking ? texts.deleteSure : label;
  };
  button.addEventListener('blur', () => ask(false));
  button.addEventListener('click', ({ detail }) => {
    const isSure = !button.classList.contains('plain');
    if (isSure && detail > 1) return;
    ask(!isSure);
    // Some browsers do not focus a button that is clicked, and it would ask for ever.
    button.focus();
    if (isSure) remove();
  });
}
