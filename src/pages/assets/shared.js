// What the scripts of all pages share: texts with values, and what this browser keeps.

/** Fills in a text: each `{name}` becomes the value of that name. */
export function fill(text, values) {
  return text.replace(/\{(\w+)\}/gu, (_, name) => values[name]);
}

/** The name of a zone at a moment, in every language as Indonesia says it: `WIB`. */
export function zoneName(at, timeZone) {
  const parts = new Intl.DateTimeFormat('id-ID', { timeZoneName: 'short', timeZone }).formatToParts(at);
  return parts.find(({ type }) => type === 'timeZoneName').value;
}

/** What could not be saved, because storage is full or not allowed: it lasts as long as the page. */
const unsaved = new Map();

/** Reads a value that was saved; undefined when there is none. */
export function load(key) {
  if (unsaved.has(key)) return unsaved.get(key);
  try {
    return JSON.parse(localStorage.getItem(key)) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Saves a value; undefined removes it. */
export function save(key, value) {
  try {
    if (value === undefined) localStorage.removeItem(key);
    else localStorage.setItem(key, JSON.stringify(value));
    unsaved.delete(key);
  } catch {
    unsaved.set(key, value);
  }
}

/** A list that is saved, newest first, of what ends at its `expires` (ms since 1970). */
export function savedList(key, max) {
  const read = () => [load(key) ?? []].flat().filter((one) => one?.expires > Date.now());
  const write = (list) => save(key, list.length > 0 ? list.slice(0, max) : undefined);
  return {
    read,
    add: (one) => write([one, ...read()]),
    remove: (isRemoved) => write(read().filter((one) => !isRemoved(one))),
  };
}
