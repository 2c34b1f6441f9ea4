// Copies and shares links: shows the buttons that work in this browser. `data-copy` and `data-share` have the link.
async function copy(button, text) {
  // Without a clipboard, as over plain HTTP, a list is in the address bar.
  if (!navigator.clipboard) return location.assign(text);
  await navigator.clipboard.writeText(text);
  button.dataset.label ??= button.textContent;
  button.textContent = button.dataset.done;
  setTimeout(() => {
    button.textContent = button.dataset.label;
  }, 2000);
}

/** Shows the buttons below `place` that work. */
export function showButtons(place) {
  for (const button of place.querySelectorAll('[data-copy]'))
    button.hidden = !navigator.clipboard && button.id !== 'MineLink';
  for (const button of place.querySelectorAll('[data-share]')) button.hidden = !navigator.share;
}

document.addEventListener('click', ({ target }) => {
  const { copy: text, share: url } = target.dataset;
  if (text) copy(target, text);
  // A visitor who closes the dialog has not asked for anything else.
  if (url) navigator.share({ url }).catch(() => {});
});
showButtons(document);
