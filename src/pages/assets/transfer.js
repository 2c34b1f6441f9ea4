// Sends a file: a small one as a form in one request, a large one by tus. It continues by itself after what passes.
import { tus } from './resumable.js';

/** Larger files are sent by tus, so that they can continue after the connection has broken. */
const MAX_FORM_BYTES = 5 * 1024 * 1024;
const MAX_WAIT_MS = 10_000;
/** A connection that sends nothing for this long is closed: it may be dead without the browser noticing. */
const STALL_TIMEOUT_MS = 30_000;
/** The server may check a whole file for malware before it answers, which takes up to 30 s. */
const ANSWER_TIMEOUT_MS = 200_000;

/**
 * Begins or continues the upload of a file. `onChange({ sent, since, seconds })` is called as bytes are sent, of a
 * connection that began at `since.at` (ms) with `since.offset` bytes, and before a wait for the next attempt, with the
 * seconds that the server asks for, or 0. Returns `{ abort }`, with `pause` and `resume` for a large file, and `answer`: it
 * resolves with `{ result, deletion }`, with the `status` of a refusal, or with nothing when the upload was aborted.
 */
export function startTransfer(file, lifetime, onChange) {
  const isLarge = file.size > MAX_FORM_BYTES;
  const { attempt, isTemporary, end } = (isLarge ? tus : form)(file, lifetime, send);
  let [current, isPaused, isOver, attempts, reached] = [undefined, false, false, 0, 0];
  let since = { at: 0, offset: 0 };
  let wake = () => {};

  async function run() {
    while (!isOver) {
      const answer = isPaused ? undefined : await attempt();
      if (isOver) break;
      if (answer && !isTemporary(answer.status)) {
        end?.();
        return answer;
      }
      await wait(answer?.seconds);
    }
    end?.('cancelled');
  }

  /**
   * Sends a request, with the rest of the file from `offset` where there is a body. Resolves with the answer: its status,
   * which is 0 when the connection broke, stalled or was aborted, its headers, and what it says of the upload.
   */
  function send(method, path, headers, body, offset) {
    const request = new XMLHttpRequest();
    let timer;
    const limit = (ms) => {
      clearTimeout(timer);
      timer = setTimeout(() => request.abort(), ms);
    };
    limit(body ? STALL_TIMEOUT_MS : ANSWER_TIMEOUT_MS);
    request.upload.onprogress = ({ loaded }) => {
      // The form around a file is sent, too.
      const bytes = Math.min(offset + loaded, file.size);
      attempts = 0;
      onChange({ sent: bytes, since });
      limit(bytes < file.size ? STALL_TIMEOUT_MS : ANSWER_TIMEOUT_MS);
      // A connection that breaks may report everything as sent.
      if (bytes < file.size) reached = bytes;
    };
    request.responseType = 'json';
    request.open(method, path);
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    if (body) {
      since = { at: performance.now(), offset };
      [current, reached] = [request, offset];
    }
    request.send(body);
    return new Promise((resolve) => {
      request.onloadend = () => {
        clearTimeout(timer);
        const header = (name) => request.getResponseHeader(name);
        const seconds = Number(header('Retry-After')) || 0;
        const { status, response } = request;
        resolve({ status, seconds, header, result: response?.result, deletion: header('X-Delete-Url') });
      };
    });
  }

  /** Waits until the network is back, the pause is over, or the backoff, at least `seconds`, has passed. */
  async function wait(seconds = 0) {
    since.offset = reached;
    if (!isPaused) onChange({ sent: reached, since, seconds });
    attempts += 1;
    await new Promise((resolve) => {
      wake = resolve;
      if (!seconds) addEventListener('online', resolve, { once: true });
      const backoffMs = Math.min(500 * 2 ** attempts, MAX_WAIT_MS);
      if (!isPaused && navigator.onLine) setTimeout(resolve, Math.max(backoffMs, seconds * 1000));
    });
    removeEventListener('online', wake);
  }

  function pause() {
    isPaused = true;
    current?.abort();
  }

  return {
    answer: run(),
    abort() {
      isOver = true;
      current?.abort();
      wake();
    },
    pause: isLarge ? pause : undefined,
    resume() {
      isPaused = false;
      attempts = 0;
      wake();
    },
  };
}

function form(file, lifetime, send) {
  const body = new FormData();
  // The server needs the lifetime before the file.
  if (lifetime) body.append('expires', lifetime);
  body.append('file', file);
  return {
    attempt: () => send('POST', '/upload', {}, body, 0),
    /** A form that fails while there is a network has a file that cannot be read. */
    isTemporary: (status) => status === 429 || (status === 0 && !navigator.onLine),
  };
}
