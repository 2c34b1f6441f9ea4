// Remembers the language that was chosen last, and adds it as `?lang=` to an address that names none.
const KEY = 'tayang-language';

/** Storage may be refused; then the links alone keep the language. */
function tryStorage(use) {
  try {
    return use(localStorage);
  } catch {
    return null;
  }
}

const links = [...document.querySelectorAll('header a[hreflang]')];
for (const link of links) {
  link.addEventListener('click', () => tryStorage((storage) => storage.setItem(KEY, link.hreflang)));
}
const address = new URL(location.href);
const chosen = tryStorage((storage) => storage.getItem(KEY));
if (!address.searchParams.has('lang') && links.some(({ hreflang }) => hreflang === chosen)) {
  address.searchParams.set('lang', chosen);
  location.replace(address);
}
