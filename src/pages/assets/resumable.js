// Uploads a large file by tus, in several requests: it continues after a broken connection, a pause or a later visit.
// https://tus.io/protocols/resumable-upload
const KEY = 'tayang-unfinished';
const MAX_REMEMBERED = 10;
const MAX_WAIT_MS = 10_000;
/** A connection that sends nothing for this long is closed: it may be dead without the browser noticing. */
const STALL_TIMEOUT_MS = 30_000;
/** The server may check a whole file for malware before it answers, which takes up to 30 s. */
const ANSWER_TIMEOUT_MS = 200_000;
const VERSION = { 'Tus-Resumable': '1.0.0' };

/**
 * The uploads that this browser has not finished, newest first: `{ fingerprint, name, path, expires }`. None where the
 * browser denies storage.
 */
export function unfinished() {
  try {
    return (JSON.parse(localStorage.getItem(KEY)) ?? []).filter(({ expires }) => expires > Date.now());
  } catch {
    return [];
  }
}

function keep(uploads) {
  try {
    if (uploads.length > 0) localStorage.setItem(KEY, JSON.stringify(uploads.slice(0, MAX_REMEMBERED)));
    else localStorage.removeItem(KEY);
  } catch {
    // Without storage an upload can continue only while the page is open.
  }
}

function forget(fingerprint) {
  keep(unfinished().filter((upload) => upload.fingerprint !== fingerprint));
}

/**
 * Begins or continues the upload of a file. `onStart(bytes)` is called for each new connection, `onProgress(bytes)` as
 * bytes are sent, and `onWait(bytes, seconds)` before a wait for the next attempt, with the seconds that the server asks
 * for; each gets the bytes sent so far. The last call is `onDone(result, deletion)` or `onRefused(status, message)`.
 * Returns `{ pause, resume, abort }`.
 */
export function startUpload(file, { lifetime, onStart, onProgress, onWait, onDone, onRefused }) {
  const fingerprint = [file.name, file.size, file.lastModified, file.type].join('|');
  let path = unfinished().find((upload) => upload.fingerprint === fingerprint)?.path;
  let [transfer, isPaused, isOver, attempts, reached] = [undefined, false, false, 0, 0];
  let wake = () => {};

  async function run() {
    while (!isOver) {
      const answer = isPaused ? { status: 0 } : await step().catch(asAnswer);
      if (isOver) break;
      if (answer.isDone) return finish(answer);
      const isTemporary = [0, 409, 423, 429].includes(answer.status) || answer.status >= 500;
      if (!isTemporary || answer.status === 507) return refuse(answer);
      await wait(answer.seconds);
    }
    drop();
  }

  /** Continues at the offset of the server. Resolves with the answer that ended the attempt. */
  async function step() {
    const isNew = !path;
    path ??= await create();
    const head = await request(path, { method: 'HEAD', headers: VERSION });
    if (head.status === 404 || head.status === 410) {
      forget(fingerprint);
      path = undefined;
      // An upload that was created just now should be there: another one is created after a wait.
      return isNew ? { status: 0 } : step();
    }
    if (!head.ok) return asRefusal(head);
    const offset = Number(head.headers.get('Upload-Offset'));
    if (offset < file.size) {
      const status = await send(offset);
      const seconds = Number(transfer.getResponseHeader('Retry-After'));
      if (status !== 204) return { ...transfer.response, status, seconds };
    }
    const answer = await request(path);
    if (!answer.ok) return asRefusal(answer);
    const { result } = await answer.json();
    return { isDone: true, result, deletion: answer.headers.get('X-Delete-Url') };
  }

  async function create() {
    const query = lifetime ? `?expires=${lifetime}` : '';
    const answer = await request(`/files${query}`, {
      method: 'POST',
      headers: { ...VERSION, 'Upload-Length': file.size, 'Upload-Metadata': describe(file) },
    });
    if (answer.status !== 201) throw await asRefusal(answer);
    const { pathname } = new URL(answer.headers.get('Location'));
    const expires = Date.parse(answer.headers.get('Upload-Expires'));
    keep([{ fingerprint, name: file.name, path: pathname, expires }, ...unfinished()]);
    return pathname;
  }

  /** Sends the rest of the file. Resolves with the status, which is 0 when the connection broke, stalled or was aborted. */
  function send(offset) {
    onStart(offset);
    reached = offset;
    return new Promise((resolve) => {
      const current = new XMLHttpRequest();
      transfer = current;
      let stalled = setTimeout(() => current.abort(), STALL_TIMEOUT_MS);
      current.responseType = 'json';
      current.upload.onprogress = ({ loaded }) => {
        clearTimeout(stalled);
        attempts = 0;
        onProgress(offset + loaded);
        const isSent = offset + loaded === file.size;
        stalled = setTimeout(() => current.abort(), isSent ? ANSWER_TIMEOUT_MS : STALL_TIMEOUT_MS);
        // A connection that breaks may report everything as sent.
        if (!isSent) reached = offset + loaded;
      };
      current.onloadend = () => {
        clearTimeout(stalled);
        resolve(current.status);
      };
      current.open('PATCH', path);
      for (const [name, value] of Object.entries({ ...VERSION, 'Upload-Offset': offset }))
        current.setRequestHeader(name, value);
      current.setRequestHeader('Content-Type', 'application/offset+octet-stream');
      current.send(file.slice(offset));
    });
  }

  /** Waits until the network is back, the pause is over, or the backoff, at least `seconds`, has passed. */
  async function wait(seconds = 0) {
    if (!isPaused) onWait(reached, seconds);
    attempts += 1;
    await new Promise((resolve) => {
      wake = resolve;
      if (!seconds) addEventListener('online', resolve, { once: true });
      const backoffMs = Math.min(500 * 2 ** attempts, MAX_WAIT_MS);
      if (!isPaused) setTimeout(resolve, Math.max(backoffMs, seconds * 1000));
    });
    removeEventListener('online', wake);
  }

  /** Removes what has arrived of an upload that was cancelled. */
  function drop() {
    forget(fingerprint);
    if (path) request(path, { method: 'DELETE', headers: VERSION }).catch(() => {});
  }

  function finish({ result, deletion }) {
    isOver = true;
    forget(fingerprint);
    onDone(result, deletion);
  }

  function refuse({ status, message }) {
    isOver = true;
    forget(fingerprint);
    onRefused(status, message);
  }

  run();
  return {
    pause() {
      isPaused = true;
      transfer?.abort();
    },
    resume() {
      isPaused = false;
      attempts = 0;
      wake();
    },
    abort() {
      isOver = true;
      transfer?.abort();
      wake();
    },
  };
}

/** Makes an answer of what an attempt threw: a refusal has a status, a connection that failed has none. */
function asAnswer({ status = 0, ...rest }) {
  return { status, ...rest };
}

function request(path, options) {
  return fetch(path, { ...options, signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS) });
}

async function asRefusal(answer) {
  const { message } = await answer.json().catch(() => ({}));
  return { status: answer.status, message, seconds: Number(answer.headers.get('Retry-After')) };
}

function describe({ name, type }) {
  const encode = (text) => btoa(String.fromCharCode(...new TextEncoder().encode(text)));
  return `filename ${encode(name)}${type ? `,filetype ${encode(type)}` : ''}`;
}
