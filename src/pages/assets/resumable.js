// Uploads a file by tus, in several requests: it continues after a broken connection, a pause or a later visit. A request
// that is repeated stores nothing twice: bytes have their place, and an upload without bytes is soon forgotten.
// https://tus.io/protocols/resumable-upload
/** @import { Answer, Send } from './transfer.js' */
/** @import { Unfinished } from './unfinished.js' */
import { begin, forget, isOwn, release, takeOver } from './unfinished.js';

const VERSION = { 'Tus-Resumable': '1.0.0' };

/**
 * The requests for one file, which are sent by `send` of transfer.js.
 * @param {File} file
 * @param {string | undefined} lifetime
 * @param {Send} send
 */
export function tus(file, lifetime, send) {
  const identity = [file.name, file.size, file.lastModified, file.type].join('|');
  /** @type {string | undefined} */
  let path;

  /**
   * Continues at the offset of the server. Resolves with the answer that ended the attempt.
   * @returns {Promise<Answer>}
   */
  async function attempt() {
    if (!path || !isOwn(path)) path = await findBegun();
    let offset = 0;
    if (path) {
      const head = await send('HEAD', path, VERSION);
      if (isGone(head)) end();
      else if (head.status !== 200) return head;
      else offset = offsetIn(head);
    }
    if (!path) {
      const created = await create();
      if (!path) return created;
    }
    if (offset < file.size) {
      const about = { 'Upload-Offset': `${offset}`, 'Content-Type': 'application/offset+octet-stream' };
      const sent = await send('PATCH', path, { ...VERSION, ...about }, file.slice(offset), offset);
      if (isGone(sent)) {
        end();
        // It was there just now: another one is created after a wait.
        return { status: 409 };
      }
      if (sent.status !== 204) return sent;
    }
    return send('GET', path, {});
  }

  /** The path of an upload of this file that an earlier visit has begun. One with another lifetime is given up. */
  async function findBegun() {
    /** @param {Unfinished} upload */
    const isSame = (upload) => upload.file === identity && upload.lifetime === lifetime;
    /** @param {Unfinished} upload */
    const isOther = (upload) => upload.file === identity && upload.lifetime !== lifetime;
    for (let other = await takeOver(isOther); other; other = await takeOver(isOther)) forget(other.path);
    return (await takeOver(isSame))?.path;
  }

  async function create() {
    const about = { 'Upload-Length': `${file.size}`, 'Upload-Metadata': describe(file) };
    const query = lifetime ? `?expires=${lifetime}` : '';
    const answer = await send('POST', `/files${query}`, { ...VERSION, ...about });
    if (answer.status !== 201) return answer;
    path = new URL(answer.header?.('Location') ?? '').pathname;
    const expires = Date.parse(answer.header?.('Upload-Expires') ?? '');
    await begin({ file: identity, lifetime, name: file.name, path, expires });
    return answer;
  }

  /**
   * Removes what has arrived. A complete file stays: its links are in the answer. Resolves with the answer that ended this.
   * @returns {Promise<Answer>}
   */
  async function cancel() {
    if (!path) return { status: 204 };
    const head = await send('HEAD', path, VERSION);
    if (head.status !== 200) return head;
    if (offsetIn(head) === file.size) return send('GET', path, {});
    return send('DELETE', path, VERSION);
  }

  function end() {
    if (path) forget(path);
    path = undefined;
  }

  return { attempt, cancel, end, release: () => path && release(path) };
}

/** @param {Answer} answer */
const isGone = ({ status }) => status === 404 || status === 410;
/** @param {Answer} head */
const offsetIn = (head) => Number(head.header?.('Upload-Offset'));

/** @param {File} file */
function describe({ name, type }) {
  /** @param {string} text */
  const encode = (text) => btoa(String.fromCharCode(...new TextEncoder().encode(text)));
  return `filename ${encode(name)}${type ? `,filetype ${encode(type)}` : ''}`;
}
