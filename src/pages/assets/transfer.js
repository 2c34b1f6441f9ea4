// Sends a file, and continues by itself after temporary failures.
import { tus } from './resumable.js';
import { authorization } from './token.js';

/**
 * What the server says of an upload that is complete, as `POST /upload` answers it.
 * @typedef {{ url: string, url_file: string, expired: number }} Result
 */
/**
 * The answer to a request: its status, which is 0 when the connection broke, stalled or was aborted, its headers, and what it
 * says of the upload.
 * @typedef {object} Answer
 * @property {number} status
 * @property {number} [retryAfterMs]
 * @property {(name: string) => string | null} [header]
 * @property {Result} [result]
 * @property {string | null} [deletion]
 */
/** @typedef {(method: string, path: string, headers: Record<string, string>, body?: Blob, offset?: number) => Promise<Answer>} Send */
/**
 * How a transfer ended: with the answer of the server; after a cancellation, with whether what had arrived was removed.
 * @typedef {Partial<Answer> & { isUnreadable?: boolean, isRemoved?: boolean }} Outcome
 */
/**
 * How far a transfer is, of a connection that began at `since.at` (ms) with `since.offset` bytes; before a wait for the next
 * attempt, also the `status` of the failure and the `seconds` of the wait.
 * @typedef {object} Progress
 * @property {number} sent
 * @property {{ at: number, offset: number }} since
 * @property {number | undefined} [status]
 * @property {number} [seconds]
 */

/**
 * The temporary failures, for files of every size: a lost connection (0), an upload that another request still writes to or
 * whose offset has to be asked for again, too many requests, and a server that is unavailable.
 */
const TEMPORARY = [0, 409, 423, 429, 502, 503, 504];
const MAX_BACKOFF_MS = 10_000;
/** Longer timers fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;
const STORAGE_FULL = 507;
/** How often a removal is tried. */
const MAX_REMOVALS = 3;
/** A connection that sends nothing for this long is closed: it may be dead without the browser noticing. */
const STALL_TIMEOUT_MS = 30_000;
/** The server may check a whole file for malware before it answers, which takes up to 30 s. */
const ANSWER_TIMEOUT_MS = 200_000;

/**
 * Begins or continues the upload of a file. A file that was already complete when it is cancelled stays, and has its `result`.
 * @param {File} file
 * @param {string | undefined} lifetime
 * @param {(progress: Progress) => void} onChange
 */
export function startTransfer(file, lifetime, onChange) {
  const upload = tus(file, lifetime, send);
  /** @type {XMLHttpRequest | undefined} */
  let current;
  let isPaused = false;
  let isCancelled = false;
  let attempts = 0;
  let reached = 0;
  let begunAt = -1;
  let since = { at: 0, offset: 0 };
  let wake = () => {};

  /** @returns {Promise<Outcome>} */
  async function run() {
    while (!isCancelled) {
      const answer = isPaused ? undefined : await upload.attempt();
      if (isCancelled) break;
      const isUnreadable = answer?.status === 0 && !(await isReadable(file));
      if (isUnreadable || (answer && !TEMPORARY.includes(answer.status))) {
        if (answer.result) upload.end();
        // Another attempt can continue once there is room.
        else if (answer.status === STORAGE_FULL) upload.release();
        else removeArrived();
        return { ...answer, isUnreadable };
      }
      await wait(answer);
    }
    return removeArrived();
  }

  /**
   * Removes what has arrived of a file that is not complete, and forgets the upload.
   * @returns {Promise<Outcome>}
   */
  async function removeArrived() {
    let answer = await upload.cancel();
    for (let count = 1; TEMPORARY.includes(answer.status) && count < MAX_REMOVALS; count += 1) {
      await sleep(backoffMs(count));
      answer = await upload.cancel();
    }
    upload.end();
    return { ...answer, isRemoved: [204, 404, 410].includes(answer.status) };
  }

  /**
   * Sends a request, with the rest of the file from `offset` where there is a body.
   * @type {Send}
   */
  function send(method, path, headers, body, offset = 0) {
    const request = new XMLHttpRequest();
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let timer;
    /** @param {number} ms */
    const limit = (ms) => {
      clearTimeout(timer);
      timer = setTimeout(() => request.abort(), ms);
    };
    limit(body || isCancelled ? STALL_TIMEOUT_MS : ANSWER_TIMEOUT_MS);
    request.upload.onprogress = ({ loaded }) => {
      const bytes = Math.min(offset + loaded, file.size);
      onChange({ sent: bytes, since });
      limit(bytes < file.size ? STALL_TIMEOUT_MS : ANSWER_TIMEOUT_MS);
      // A connection that breaks may report everything as sent.
      if (bytes < file.size) reached = bytes;
    };
    request.responseType = 'json';
    request.open(method, path);
    const all = method === 'POST' ? { ...headers, ...authorization() } : headers;
    for (const [name, value] of Object.entries(all)) request.setRequestHeader(name, value);
    current = request;
    if (body) {
      since = { at: performance.now(), offset };
      reached = offset;
      // The last attempts got further, so the backoff starts again.
      if (offset > begunAt) [attempts, begunAt] = [0, offset];
    }
    request.send(body);
    return new Promise((resolve) => {
      request.onloadend = () => {
        clearTimeout(timer);
        /** @param {string} name */
        const header = (name) => request.getResponseHeader(name);
        const { status, response } = request;
        const [result, deletion] = [response?.result, header('X-Delete-Url')];
        resolve({ status, retryAfterMs: parseRetryAfter(header('Retry-After')), header, result, deletion });
      };
    });
  }

  /**
   * Waits for the backoff, at least as long as the server asks; and while there is no network or the upload is paused.
   * @param {Partial<Answer>} [answer]
   */
  async function wait({ status, retryAfterMs = 0 } = {}) {
    since.offset = reached;
    attempts += 1;
    const ms = Math.max(backoffMs(attempts), retryAfterMs);
    if (!isPaused) onChange({ sent: reached, since, status, seconds: Math.ceil(ms / 1_000) });
    if (!isPaused) await interruption(retryAfterMs === 0, ms);
    if (!isCancelled && (isPaused || !navigator.onLine)) await interruption(!isPaused);
  }

  /**
   * Resolves after `ms`, when the pause is over or the upload cancelled, or when the network is back.
   * @param {boolean} byNetwork
   * @param {number} [ms]
   */
  async function interruption(byNetwork, ms) {
    await new Promise((resolve) => {
      wake = () => resolve(undefined);
      if (byNetwork) addEventListener('online', wake, { once: true });
      if (ms !== undefined) setTimeout(wake, Math.min(ms, MAX_TIMER_MS));
    });
    removeEventListener('online', wake);
  }

  return {
    answer: run(),
    cancel() {
      isCancelled = true;
      current?.abort();
      wake();
    },
    pause() {
      isPaused = true;
      current?.abort();
      wake();
    },
    resume() {
      isPaused = false;
      attempts = 0;
      wake();
    },
  };
}

/** @param {number} attempts */
const backoffMs = (attempts) => Math.min(500 * 2 ** attempts, MAX_BACKOFF_MS);
/** @param {number} ms */
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * `Retry-After` in ms: seconds or a date (RFC 9110, section 10.2.3); 0 for none.
 * @param {string | null} text
 */
function parseRetryAfter(text) {
  if (text === null) return 0;
  const ms = /^\d+$/u.test(text) ? Number(text) * 1_000 : Date.parse(text) - Date.now();
  return Math.max(ms, 0) || 0;
}

/**
 * Whether the file is still there, as it was when it was chosen; a folder never is.
 * @param {File} file
 */
async function isReadable(file) {
  try {
    await file.slice(0, 1).arrayBuffer();
    return true;
  } catch {
    return false;
  }
}
