// A row of the list of uploads: what it shows while a file is sent, when it failed, and when it has its links.
import { showButtons } from './share.js';
import { fill } from './shared.js';
import { formatBytes, formatExpiry, formatSpan, texts } from './texts.js';

const template = document.querySelector('#mine template').content;
let rows = 0;

/** Makes a row for the file of that name. */
export function createRow(name) {
  const element = template.cloneNode(true).firstElementChild;
  const part = (selector) => element.querySelector(selector);
  const [heading, bar, message] = ['h3', 'progress', '.message'].map(part);
  const [status, speed] = part('.upload-status').children;
  rows += 1;
  heading.id = `upload-${rows}`;
  heading.textContent = name;
  bar.setAttribute('aria-labelledby', heading.id);
  for (const button of element.querySelectorAll('button'))
    button.setAttribute('aria-describedby', heading.id);

  /** Shows how it goes, and what is wrong, which a screen reader says. */
  function show(text, trouble = '', rate = '') {
    [status.textContent, message.textContent, speed.textContent] = [text, trouble, rate];
  }

  return {
    element,
    heading,
    bar,
    show,
    on: (action, listener) => part(`.${action}`).addEventListener('click', listener),
    /** Names the button of an action, and shows it; without a label, it hides the button. */
    label(action, label) {
      part(`.${action}`).hidden = !label;
      part(`.${action}`).textContent = label;
    },
    /** Shows how much has been sent, of a connection that began at `since.at` (ms) with `since.offset` bytes. */
    showProgress(loaded, total, since, trouble) {
      bar.value = loaded / (total || 1);
      if (loaded === total) return show(texts.sent, trouble);
      const perSecond = (loaded - since.offset) / ((performance.now() - since.at) / 1000);
      const left = formatSpan(Math.ceil((total - loaded) / perSecond), 'narrow');
      const rate = fill(texts.speed, { speed: formatBytes(perSecond), left });
      const progress = fill(texts.progress, { done: formatBytes(loaded), total: formatBytes(total) });
      show(progress, trouble, perSecond > 0 ? rate : '');
    },
    /** Shows the links of an upload, and the button that removes it. */
    showLinks({ page, direct, deletion, expires }, remove) {
      if (element.contains(document.activeElement)) heading.focus();
      bar.remove();
      part('.working').remove();
      message.textContent = '';
      for (const one of element.querySelectorAll('.links')) one.hidden = false;
      for (const [kind, address] of Object.entries({ page, direct: direct ?? page, deletion })) {
        part(`.copy-${kind}`).dataset.copy = address;
        const link = part(`a.${kind}`);
        if (link) [link.href, link.textContent] = [address, address];
      }
      part('[data-share]').dataset.share = page;
      part('.expiry').textContent = formatExpiry(expires);
      showButtons(element);
      askToDelete(part('.delete'), remove);
    },
  };
}

/** Has a button ask once more, in its place, before it deletes. The second click of a double click is no answer. */
function askToDelete(button, remove) {
  const label = button.textContent;
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
