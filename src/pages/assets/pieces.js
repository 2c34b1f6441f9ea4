// Shows the upload of a large file, which goes on after a pause or a broken connection.
import { uploadInPieces } from './resumable.js';

const button = document.getElementById('pause');
const bar = document.querySelector('progress');

/** `page` is what the form does with any upload. Returns the upload, with `abort`. */
export function showPieces(file, { words, life, paceSince, tellPace, end, finish, refuse, cancelled }) {
  let tellProgress;
  const pieces = uploadInPieces(file, {
    life,
    onStart(offset) {
      tellProgress = paceSince(performance.now(), offset);
    },
    onProgress: (loaded) => tellProgress({ loaded, total: file.size }),
    onWait(reached) {
      bar.value = reached / file.size;
      tellPace(words.waiting);
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

  button.textContent = words.pause;
  button.hidden = false;
  button.onclick = () => {
    isPaused = !isPaused;
    button.textContent = isPaused ? words.resume : words.pause;
    tellPace(isPaused ? words.paused : words.starting);
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
