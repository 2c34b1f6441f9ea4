// What this browser has uploaded, with the addresses that delete it. It is kept here and never sent.
const KEY = 'tayang-uploads';
const MAX = 50;
const HOUR = 3_600_000;
const section = document.getElementById('mine');
const { texts, timeZone } = document.getElementById('drop').dataset;
const { locale, expiresIn } = JSON.parse(texts);

/** Newest first, without those that have expired. Storage may be refused, or hold something else. */
function read() {
  try {
    const uploads = JSON.parse(localStorage.getItem(KEY)) ?? [];
    return uploads.filter(({ expires }) => expires > Date.now()).slice(0, MAX);
  } catch {
    return [];
  }
}

function write(uploads) {
  try {
    localStorage.setItem(KEY, JSON.stringify(uploads));
  } catch {
    // Without storage there is no list.
  }
  showUploads();
}

/** `{ name, page, deletion, expires }`, expires in ms since 1970. */
export function remember(upload) {
  write([upload, ...read()].slice(0, MAX));
}

export function forget(deletion) {
  write(read().filter((upload) => upload.deletion !== deletion));
}

/** Resolves with whether the file is gone: what is not there any more counts as deleted. */
export async function deleteUpload(deletion) {
  const { pathname } = new URL(deletion, location.href);
  const response = await fetch(pathname, { method: 'DELETE' }).catch(() => undefined);
  const isGone = response?.status < 500;
  if (isGone) forget(deletion);
  return isGone;
}

/** `in 23 hours, 21:40 GMT+7`, as the pages of the server have it. */
export function formatExpiry(ms) {
  const left = ms - Date.now();
  const day = left < 24 * HOUR ? {} : { weekday: 'short', day: 'numeric', month: 'short' };
  const clock = { hour: '2-digit', minute: '2-digit', timeZoneName: 'short', timeZone };
  const at = new Intl.DateTimeFormat(locale, { ...day, ...clock }).format(ms);
  return expiresIn.replace('{left}', formatSpan(left / 1000)).replace('{at}', at);
}

/** Seconds as `23 hours` or `90 minutes`: in the largest unit of which there are at least two. */
export function formatSpan(seconds, style = 'long') {
  const units = { day: 86_400, hour: 3_600, minute: 60, second: 1 };
  const [unit, size] = Object.entries(units).find(([, size]) => seconds >= 2 * size) ?? ['second', 1];
  const format = new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: style });
  return format.format(Math.round(seconds / size));
}

let onFailure = () => {};

/** Shows the list; `onFailed` is called when an upload in it cannot be deleted. */
export function showUploads(onFailed = onFailure) {
  onFailure = onFailed;
  const uploads = read();
  const template = section.querySelector('template').content;
  section.querySelector('ul').replaceChildren(
    ...uploads.map(({ name, page, deletion, expires }) => {
      const entry = template.cloneNode(true);
      const [link, time, button] = entry.querySelectorAll('a, span, button');
      link.href = page;
      link.textContent = name;
      time.textContent = formatExpiry(expires);
      button.addEventListener('click', async () => {
        if (!(await deleteUpload(deletion))) onFailure();
      });
      return entry;
    }),
  );
  section.hidden = uploads.length === 0;
}
