// Asks for the files of uploads that were broken off.
import { byId, fill } from './shared.js';
import { texts } from './texts.js';
import { findAbandoned, watchAbandoned } from './unfinished.js';

const notice = byId('notice');
/** The question about unfinished uploads that was shown last. */
let asked = '';

/** Asks for the files of uploads that were broken off: a page cannot open a file by itself. */
export function askForUnfinished() {
  watchAbandoned(askForUnfinished);
  const files = findAbandoned();
  const text = files.length > 1 ? texts.unfinishedSeveral : texts.unfinished;
  const [file] = files;
  const question = file ? fill(text, { n: files.length, name: file.name }) : '';
  // Any other message stays.
  if (notice.textContent === asked) notice.textContent = question;
  asked = question;
}
