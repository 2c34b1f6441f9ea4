// Shows the upload of a large file, which continues after a pause or a broken connection.
import { uploadInPieces } from './resumable.js';

const button = document.getElementById('pause');
const bar = document.querySelector('progress');

/** Starts and shows the upload. The second argument has functions and texts of the form. Returns the upload, with `abort`. */
export function showPieces(
  file,
  { texts, lifetime, onProgressSince, showStatus, end, finish, refuse, cancelled },
) {
  let showProgress;
  const pieces = uploadInPieces(file, {
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
      refuse(...why);
    },
  });
  let isPaused = false;

  button.textContent = texts.pause;
  button.hidden = false;
  button.onclick = () => {
    isPaused = !isPaused;
    button.textContent = isPaused ? texts.resume : texts.pause;
    showStatus(isPaused ? texts.paused : texts.starting);
    if (isPaused) pieces.pause();
    else pieces.resume();
  };
  return {
    abort() {
      pieces.abort();
      end();
      cancelled();
    },
  };
}
