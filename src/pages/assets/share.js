// Copies and shares the address of a link: shows the buttons that work in this browser.
const linkOf = (id) => document.getElementById(id);

for (const button of document.querySelectorAll('[data-copy]')) {
  button.hidden = !navigator.clipboard;
  const label = button.textContent;
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(linkOf(button.dataset.copy).href);
    button.textContent = button.dataset.done;
    setTimeout(() => {
      button.textContent = label;
    }, 2000);
  });
}

for (const button of document.querySelectorAll('[data-share]')) {
  button.hidden = !navigator.share;
  // A visitor who closes the dialog has not asked for anything else.
  button.addEventListener('click', () =>
    navigator.share({ url: linkOf(button.dataset.share).href }).catch(() => {}),
  );
}
