// Shows the progress of a resumable upload, with a button that pauses it.
import { startUpload } from './resumable.js';

const button = document.getElementById('pause');
const bar = document.querySelector('progress');

/** Starts the upload of a file. The second argument has functions and texts of the form. Returns `{ abort }`. */
export function sendWithProgress(
  file,
  { texts, lifetime, onProgressSince, showStatus, end, finish, showRefusal, cancelled },
) {
  let showProgress;
  const upload = startUpload(file, {
    lifetime,
    onStart(offset) {
      showProgress = onProgressSince(performance.now(), offset);
    },
    onProgress: (loaded) => showProgress({ loaded, total: file.size }),
    onWait(reached) {
      bar.value = reached / file.size;
      showStatus(texts.waiting);
    },
    onDone(...result) {
      end();
      finish(...result, file.name);
    },
    onRefused(...why) {
      end();
      showRefusal(...why);
    },
  });
  let isPaused = false;

  button.textContent = texts.pause;
  button.hidden = false;
  button.onclick = () => {
    isPaused = !isPaused;
    button.textContent = isPaused ? texts.resume : texts.pause;
    showStatus(isPaused ? texts.paused : texts.starting);
    if (isPaused) upload.pause();
    else upload.resume();
  };
  return {
    abort() {
      upload.abort();
      end();
      cancelled();
    },
  };
}
