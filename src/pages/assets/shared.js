// What the scripts of all pages share: elements of the page, texts with values, and what this browser keeps.

/**
 * The element with an id, which the page has.
 * @template {HTMLElement} [Type=HTMLElement]
 * @param {string} id
 * @param {new () => Type} [type]
 * @returns {Type}
 */
export function byId(id, type) {
  return find(document, `#${id}`, type);
}

/**
 * The first element of a part of the page that a selector finds.
 * @template {HTMLElement} [Type=HTMLElement]
 * @param {ParentNode} part
 * @param {string} selector
 * @param {new () => Type} [type]
 * @returns {Type}
 */
export function find(part, selector, type) {
  const element = part.querySelector(selector);
  if (element instanceof (type ?? HTMLElement)) return /** @type {Type} */ (element);
  throw new Error(`the page has no ${type?.name ?? 'element'} ${selector}`);
}

/**
 * All elements of a part of the page that a selector finds.
 * @param {ParentNode} part
 * @param {string} selector
 */
export function findAll(part, selector) {
  return /** @type {HTMLElement[]} */ ([...part.querySelectorAll(selector)]);
}

/**
 * Fills in a text: each `{name}` becomes the value of that name.
 * @param {string} text
 * @param {Record<string, string | number>} values
 */
export function fill(text, values) {
  return text.replace(/\{(\w+)\}/gu, (_, name) => String(values[name]));
}

/**
 * The name of a zone at a moment, in every language as Indonesia says it: `WIB`.
 * @param {Date | number} at
 * @param {string | undefined} timeZone
 */
export function zoneName(at, timeZone) {
  const parts = new Intl.DateTimeFormat('id-ID', { timeZoneName: 'short', timeZone }).formatToParts(at);
  return parts.find(({ type }) => type === 'timeZoneName')?.value ?? '';
}

/**
 * What could not be saved, because storage is full or not allowed: it lasts as long as the page.
 * @type {Map<string, unknown>}
 */
const unsaved = new Map();

/**
 * Reads a value that was saved, which another version may have written; undefined when there is none.
 * @param {string} key
 * @returns {unknown}
 */
export function load(key) {
  if (unsaved.has(key)) return unsaved.get(key);
  try {
    return JSON.parse(localStorage.getItem(key) ?? 'null') ?? undefined;
  } catch {
    return undefined;
  }
}

/**
 * Saves a value; undefined removes it.
 * @param {string} key
 * @param {unknown} value
 */
export function save(key, value) {
  try {
    if (value === undefined) localStorage.removeItem(key);
    else localStorage.setItem(key, JSON.stringify(value));
    unsaved.delete(key);
  } catch {
    unsaved.set(key, value);
  }
}

/**
 * A list that is saved, newest first, of what ends at its `expires` (ms since 1970).
 * @template {{ expires: number }} Item
 * @param {string} key
 * @param {number} max
 */
export function savedList(key, max) {
  /** @returns {Item[]} */
  const read = () =>
    /** @type {Item[]} */ ([load(key) ?? []].flat()).filter((one) => one?.expires > Date.now());
  /** @param {Item[]} list */
  const write = (list) => save(key, list.length > 0 ? list.slice(0, max) : undefined);
  return {
    read,
    /** @param {Item} one */
    add: (one) => write([one, ...read()]),
    /** @param {(one: Item) => boolean} isRemoved */
    remove: (isRemoved) => write(read().filter((one) => !isRemoved(one))),
  };
}
