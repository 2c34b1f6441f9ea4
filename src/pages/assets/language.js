// Remembers the language that was chosen last, and adds it as `?lang=` to an address that names none.
import { load, save } from './shared.js';

const KEY = 'tayang-language';
const links = /** @type {NodeListOf<HTMLAnchorElement>} */ (document.querySelectorAll('header a[hreflang]'));
for (const link of links) link.addEventListener('click', () => save(KEY, link.hreflang));
const address = new URL(location.href);
const chosen = load(KEY);
const link = [...links].find(({ hreflang }) => hreflang === chosen);
if (!address.searchParams.has('lang') && link) {
  address.searchParams.set('lang', link.hreflang);
  location.replace(address);
}
