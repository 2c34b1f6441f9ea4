// Copies and shares links: shows the buttons that work in this browser. `data-copy` and `data-share` have the link.
import { findAll } from './shared.js';

/**
 * @param {HTMLElement} button
 * @param {string} text
 */
async function copy(button, text) {
  // Without a clipboard, as over plain HTTP, a list is in the address bar.
  if (!navigator.clipboard) return location.assign(text);
  await navigator.clipboard.writeText(text);
  const label = button.dataset.label ?? button.textContent;
  button.dataset.label = label;
  button.textContent = button.dataset.done ?? label;
  setTimeout(() => {
    button.textContent = label;
  }, 2000);
}

/**
 * Shows the buttons below `place` that work.
 * @param {ParentNode} place
 */
export function showButtons(place) {
  for (const button of findAll(place, '[data-copy]'))
    button.hidden = !navigator.clipboard && button.id !== 'MineLink';
  const canShare = 'share' in navigator;
  for (const button of findAll(place, '[data-share]')) button.hidden = !canShare;
}

document.addEventListener('click', ({ target }) => {
  if (!(target instanceof HTMLElement)) return;
  const { copy: text, share: url } = target.dataset;
  if (text) copy(target, text);
  // A visitor who closes the dialog has not asked for anything else.
  if (url) navigator.share({ url }).catch(() => {});
});
showButtons(document);
