// What this browser has uploaded, with the addresses that delete it. It is kept here and never sent.
const KEY = 'tayang-uploads';
const MAX = 200;

/** Newest first, without those that have expired. Storage may be refused, or hold something else. */
export function read() {
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
}

/** `{ name, page, direct, deletion, expires }`, expires in ms since 1970. */
export function remember(upload) {
  write([upload, ...read()].slice(0, MAX));
}

/** Resolves with whether the file is gone: what is not there any more counts as deleted. */
export async function deleteUpload(deletion) {
  const { pathname } = new URL(deletion, location.href);
  const response = await fetch(pathname, { method: 'DELETE' }).catch(() => undefined);
  const isGone = response?.status < 500;
  if (isGone) write(read().filter((upload) => upload.deletion !== deletion));
  return isGone;
}
