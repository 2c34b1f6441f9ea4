// Searches the reference: shows the entries that have every word, without regard to case and accents.
import { fill } from './shared.js';

const form = document.getElementById('search');
const input = form.querySelector('input');
const status = form.querySelector('[role=status]');
const groups = [...document.querySelectorAll('.group')];
const entries = [...document.querySelectorAll('.group details')];
const texts = new Map(entries.map((entry) => [entry, normalize(entry.textContent)]));

form.hidden = false;
form.addEventListener('submit', (event) => event.preventDefault());
input.addEventListener('input', search);
// A link to an entry shows it, whatever was searched for.
window.addEventListener('hashchange', () => {
  if (!document.querySelector(':target')?.closest('[hidden]')) return;
  form.reset();
  search();
  document.querySelector(':target').scrollIntoView();
});
search();

function normalize(text) {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
}

function search() {
  const words = normalize(input.value).split(/\s+/u);
  const found = entries.filter((entry) => words.every((word) => texts.get(entry).includes(word)));
  for (const entry of entries) entry.hidden = !found.includes(entry);
  for (const group of groups) group.hidden = !group.querySelector('details:not([hidden])');
  status.textContent = input.value.trim() ? fill(status.dataset.text, { n: found.length }) : '';
}
