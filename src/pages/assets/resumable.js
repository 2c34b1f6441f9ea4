// Uploads a large file in as many requests as it takes: over broken connections, pauses and visits of the page.
// https://tus.io/protocols/resumable-upload
const KEY = 'tayang-unfinished';
const MAX = 10;
const MAX_WAIT = 10_000;
/** A connection that sends nothing for so long is given up: it may be dead without the browser noticing. */
const STALLED = 30_000;
const VERSION = { 'Tus-Resumable': '1.0.0' };

/** What this browser has not finished, newest first: `{ print, name, path, expires }`. Storage may be refused. */
export function unfinished() {
  try {
    return (JSON.parse(localStorage.getItem(KEY)) ?? []).filter(({ expires }) => expires > Date.now());
  } catch {
    return [];
  }
}

function keep(uploads) {
  try {
    if (uploads.length > 0) localStorage.setItem(KEY, JSON.stringify(uploads.slice(0, MAX)));
    else localStorage.removeItem(KEY);
  } catch {
    // Without storage an upload goes on only as long as the page is open.
  }
}

function forget(print) {
  keep(unfinished().filter((upload) => upload.print !== print));
}

/**
 * Begins or continues the upload of a file. `onProgress(bytes)` reports what has arrived and `onStart(bytes)` each new
 * connection; `onWait(bytes)` that there is none. Then comes `onDone(result, deletion)`, or `onRefused(status, message,
 * seconds)`. Returns `{ pause, resume, abort }`.
 */
export function uploadInPieces(file, { life, onStart, onProgress, onWait, onDone, onRefused }) {
  const print = [file.name, file.size, file.lastModified, file.type].join('|');
  let path = unfinished().find((upload) => upload.print === print)?.path;
  let [request, isPaused, isOver, attempts, reached] = [undefined, false, false, 0, 0];
  let wake = () => {};

  async function run() {
    while (!isOver) {
      const answer = isPaused ? { status: 0 } : await step().catch(asAnswer);
      if (isOver) break;
      if (answer.isDone) return finish(answer);
      const isTemporary = [0, 409, 423, 429].includes(answer.status) || answer.status >= 500;
      if (!isTemporary || answer.status === 507) return refuse(answer);
      await wait();
    }
    drop();
  }

  /** Goes on from where the server is; resolves with what ended it. */
  async function step() {
    path ??= await create();
    const head = await fetch(path, { method: 'HEAD', headers: VERSION });
    if (head.status === 404 || head.status === 410) {
      forget(print);
      path = undefined;
      return step();
    }
    if (!head.ok) return head;
    const offset = Number(head.headers.get('Upload-Offset'));
    if (offset < file.size) {
      const status = await send(offset);
      if (status !== 204) return { ...request.response, status, seconds: request.getResponseHeader('Retry-After') };
    }
    const answer = await fetch(path);
    if (!answer.ok) return answer;
    const { result } = await answer.json();
    return { isDone: true, result, deletion: answer.headers.get('X-Delete-Url') };
  }

  async function create() {
    const query = life ? `?expires=${life}` : '';
    const answer = await fetch(`/files${query}`, {
      method: 'POST',
      headers: { ...VERSION, 'Upload-Length': file.size, 'Upload-Metadata': describe(file) },
    });
    if (answer.status !== 201) throw await asRefusal(answer);
    const { pathname } = new URL(answer.headers.get('Location'));
    const expires = Date.parse(answer.headers.get('Upload-Expires'));
    keep([{ print, name: file.name, path: pathname, expires }, ...unfinished()]);
    return pathname;
  }

  /** Sends the rest of the file. Resolves with the status; 0 when the connection broke, stalled or was given up. */
  function send(offset) {
    onStart(offset);
    reached = offset;
    return new Promise((resolve) => {
      const current = new XMLHttpRequest();
      request = current;
      let stalled = setTimeout(() => current.abort(), STALLED);
      current.responseType = 'json';
      current.upload.onprogress = ({ loaded }) => {
        clearTimeout(stalled);
        attempts = 0;
        onProgress(offset + loaded);
        // A connection that breaks may report everything as sent.
        if (offset + loaded === file.size) return;
        reached = offset + loaded;
        stalled = setTimeout(() => current.abort(), STALLED);
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

  /** Until the network is back, the pause is over, or a while has passed. */
  async function wait() {
    if (!isPaused) onWait(reached);
    attempts += 1;
    await new Promise((resolve) => {
      wake = resolve;
      addEventListener('online', resolve, { once: true });
      if (!isPaused) setTimeout(resolve, Math.min(500 * 2 ** attempts, MAX_WAIT));
    });
  }

  /** Removes what has arrived of an upload that was cancelled. */
  function drop() {
    forget(print);
    if (path) fetch(path, { method: 'DELETE', headers: VERSION }).catch(() => {});
  }

  function finish({ result, deletion }) {
    isOver = true;
    forget(print);
    onDone(result, deletion);
  }

  async function refuse(answer) {
    isOver = true;
    forget(print);
    const { status, message, seconds } = answer.json ? await asRefusal(answer) : answer;
    onRefused(status, message, seconds);
  }

  run();
  return {
    pause() {
      isPaused = true;
      request?.abort();
    },
    resume() {
      isPaused = false;
      attempts = 0;
      wake();
    },
    abort() {
      isOver = true;
      request?.abort();
      wake();
    },
  };
}

/** What broke off has no status. */
function asAnswer({ status = 0, ...rest }) {
  return { status, ...rest };
}

async function asRefusal(answer) {
  const { message } = await answer.json().catch(() => ({}));
  return { status: answer.status, message, seconds: answer.headers.get('Retry-After') };
}

function describe({ name, type }) {
  const encode = (text) => btoa(String.fromCharCode(...new TextEncoder().encode(text)));
  return `filename ${encode(name)}${type ? `,filetype ${encode(type)}` : ''}`;
}
