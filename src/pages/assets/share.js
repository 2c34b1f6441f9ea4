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
  // Beside an icon, the text has an element of its own.
  const place = button.querySelector('span') ?? button;
  const label = button.dataset.label ?? place.textContent;
  button.dataset.label = label;
  place.textContent = button.dataset.done ?? label;
  setTimeout(() => {
    place.textContent = label;
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
  for (const button of findAll(place, '[data-share]'))
    button.hidden = !canShare && !(button.dataset.done && navigator.clipboard);
}

document.addEventListener('click', ({ target }) => {
  const button = target instanceof Element ? target.closest('[data-copy], [data-share]') : null;
  if (!(button instanceof HTMLElement)) return;
  const { copy: text, share: url, title } = button.dataset;
  if (text) copy(button, text);
  // A visitor who closes the dialog has not asked for anything else.
  if (url && 'share' in navigator) navigator.share({ url, ...(title && { title }) }).catch(() => {});
  else if (url) copy(button, url);
});
showButtons(document);
