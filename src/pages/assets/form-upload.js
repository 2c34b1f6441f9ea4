// Uploads a small file as a form, in one request.

/**
 * Sends a file, again after the wait that a 429 asks for, and when the network is back. It takes the callbacks of
 * `startUpload` in resumable.js, and returns `{ abort }`.
 */
export function sendForm(file, { lifetime, onStart, onProgress, onWait, onDone, onRefused }) {
  const body = new FormData();
  if (lifetime) body.append('expires', lifetime);
  body.append('file', file);
  let request;
  let timer;

  function send() {
    onStart(0);
    request = new XMLHttpRequest();
    request.responseType = 'json';
    // The form around the file is sent, too.
    request.upload.onprogress = ({ loaded }) => onProgress(Math.min(loaded, file.size));
    request.onload = answer;
    request.onerror = () => {
      if (navigator.onLine) return onRefused(0);
      onWait(0);
      addEventListener('online', send, { once: true });
    };
    request.open('POST', '/upload');
    request.send(body);
  }

  function answer() {
    const { status, response } = request;
    const seconds = Number(request.getResponseHeader('Retry-After'));
    if (response?.status) return onDone(response.result, request.getResponseHeader('X-Delete-Url'));
    if (status !== 429) return onRefused(status, response?.message);
    onWait(0, seconds);
    timer = setTimeout(send, seconds * 1000);
  }

  send();
  return {
    abort() {
      clearTimeout(timer);
      removeEventListener('online', send);
      request.abort();
    },
  };
}
