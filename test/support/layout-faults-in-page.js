/*
 * Finds faults in the layout of the page that it runs in: elements that overflow their box, controls that are too low for a
 * thumb (`minTarget`, in CSS pixels), and columns that are too narrow.
 * A text that wraps into lines of fewer than `minCharacters` is hard to read; from `minLines` lines on, it is a column.
 */
const TARGETS = 'header a, .button, button:not(.link), label:has([type=radio], [type=checkbox])';

function findFaults(minCharacters, minLines, minTarget) {
  const faults = [];
  for (const details of document.querySelectorAll('details')) details.open = true;
  // What is not in view has no layout of its own before it comes into view.
  for (const row of document.querySelectorAll('.rows > li')) row.style.contentVisibility = 'visible';
  const nameOf = (element) => {
    const place = element.closest('[id]');
    const own = element.tagName.toLowerCase() + (element.className ? `.${element.className}` : '');
    return `${own + (place ? ` in #${place.id}` : '')}: ${element.textContent.trim().slice(0, 40)}`;
  };
  const isScrolled = (element) =>
    ['auto', 'scroll', 'hidden', 'clip'].includes(getComputedStyle(element).overflowX);
  const width = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth > width) faults.push('the page is wider than its window');
  for (const element of document.body.querySelectorAll('*')) {
    if (!element.checkVisibility() || element.closest('svg')) continue;
    const box = element.getBoundingClientRect();
    const scroller = element.parentElement.closest('pre, [data-scrolls]');
    if (box.right > width + 1 && !(scroller && isScrolled(scroller)))
      faults.push(`beyond the window: ${nameOf(element)}`);
    if (element.matches(TARGETS) && box.height < minTarget)
      faults.push(`too low for a thumb: ${nameOf(element)}`);
    const isBox = !['inline', 'contents'].includes(getComputedStyle(element).display);
    if (
      isBox &&
      element.clientWidth > 0 &&
      element.scrollWidth > element.clientWidth + 1 &&
      !isScrolled(element)
    )
      faults.push(`wider than its box: ${nameOf(element)}`);
  }
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node; node = texts.nextNode()) {
    const element = node.parentElement;
    if (node.data.trim().length <= minCharacters || !element.checkVisibility() || element.closest('pre'))
      continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    const lines = new Map();
    for (const { top, left, right } of range.getClientRects()) {
      const [from, to] = lines.get(Math.round(top)) ?? [left, right];
      lines.set(Math.round(top), [Math.min(from, left), Math.max(to, right)]);
    }
    const widest = Math.max(...[...lines.values()].map(([from, to]) => to - from));
    const character = parseFloat(getComputedStyle(element).fontSize) / 2;
    if (lines.size >= minLines && widest < minCharacters * character)
      faults.push(`a column of ${Math.round(widest / character)} characters: ${nameOf(element)}`);
  }
  return faults;
}

findFaults(globalThis.minCharacters, 3, 44);
