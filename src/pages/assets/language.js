// Remembers the language that was chosen last, and adds it as `?lang=` to an address that names none.
import { load, save } from './shared.js';

const KEY = 'tayang-language';
const links = [...document.querySelectorAll('header a[hreflang]')];
for (const link of links) link.addEventListener('click', () => save(KEY, link.hreflang));
const address = new URL(location.href);
const chosen = load(KEY);
if (!address.searchParams.has('lang') && links.some(({ hreflang }) => hreflang === chosen)) {
  address.searchParams.set('lang', chosen);
  location.replace(address);
}
