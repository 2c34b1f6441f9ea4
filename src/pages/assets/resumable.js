// Uploads a file by tus, in several requests: it continues after a broken connection, a pause or a later visit.
// https://tus.io/protocols/resumable-upload
import { savedList } from './shared.js';

const VERSION = { 'Tus-Resumable': '1.0.0' };

/** The uploads that this browser has not finished: `{ fingerprint, name, path, expires }`. */
export const unfinished = savedList('tayang-unfinished', 10);

/** The requests for one file, which are sent by `send` of transfer.js. */
export function tus(file, lifetime, send) {
  const fingerprint = [file.name, file.size, file.lastModified, file.type].join('|');
  let path = unfinished.read().find((upload) => upload.fingerprint === fingerprint)?.path;

  /** Continues at the offset of the server. Resolves with the answer that ended the attempt. */
  async function attempt() {
    let offset = 0;
    if (path) {
      const head = await send('HEAD', path, VERSION);
      if (isGone(head)) forget();
      else if (head.status !== 200) return head;
      else offset = Number(head.header('Upload-Offset'));
    }
    if (!path) {
      const created = await create();
      if (created.status !== 201) return created;
    }
    if (offset < file.size) {
      const about = { 'Upload-Offset': offset, 'Content-Type': 'application/offset+octet-stream' };
      const sent = await send('PATCH', path, { ...VERSION, ...about }, file.slice(offset), offset);
      if (isGone(sent)) {
        forget();
        // It was there just now: another one is created after a wait.
        return { status: 0 };
      }
      if (sent.status !== 204) return sent;
    }
    return send('GET', path, {});
  }

  async function create() {
    const about = { 'Upload-Length': file.size, 'Upload-Metadata': describe(file) };
    const query = lifetime ? `?expires=${lifetime}` : '';
    const answer = await send('POST', `/files${query}`, { ...VERSION, ...about });
    if (answer.status !== 201) return answer;
    path = new URL(answer.header('Location')).pathname;
    const expires = Date.parse(answer.header('Upload-Expires'));
    unfinished.add({ fingerprint, name: file.name, path, expires });
    return answer;
  }

  function forget() {
    unfinished.remove((upload) => upload.fingerprint === fingerprint);
    path = undefined;
  }

  return {
    attempt,
    isTemporary: (status) => [0, 409, 423, 429].includes(status) || (status >= 500 && status !== 507),
    /** Forgets the upload, and removes what has arrived of one that was cancelled. */
    end(isCancelled) {
      if (isCancelled && path) send('DELETE', path, VERSION);
      forget();
    },
  };
}

const isGone = ({ status }) => status === 404 || status === 410;

function describe({ name, type }) {
  const encode = (text) => btoa(String.fromCharCode(...new TextEncoder().encode(text)));
  return `filename ${encode(name)}${type ? `,filetype ${encode(type)}` : ''}`;
}
