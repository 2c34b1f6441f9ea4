// Lets the page for channels offer what this browser follows. The form works without it.
import { byId, fill, find, load } from './shared.js';

const FOLLOWED = 'tayang-followed';
/** The maximum number of anime that the service takes; the ones followed last count. */
const MAX_SLUGS = 200;
const SLUG = /^(?:[a-z0-9-]|%[0-9a-f]{2})+$/u;

const box = byId('Followed');
const choice = find(box, 'input', HTMLInputElement);
const list = find(box, 'input[name=followed]', HTMLInputElement);
const kept = load(FOLLOWED);
const slugs = (Array.isArray(kept) ? kept : [])
  .filter((one) => typeof one === 'string' && SLUG.test(one))
  .slice(-MAX_SLUGS);
if (slugs.length > 0) {
  const label = find(box, 'span');
  label.textContent = fill('{label} ({count})', { label: label.textContent, count: slugs.length });
  list.value = slugs.join(',');
  choice.checked = document.querySelectorAll('[name=what]').length === 2;
  box.hidden = false;
}
