import type { Document } from '../../publishing/document.ts';
import type { Edition } from '../../publishing/edition.ts';
import type { ListingView } from '../health.ts';

/**
 * Returns the answer kept under a key, else makes it with `make`. `before`: the answer under this key in the previous
 * edition.
 */
export type KeepAnswer = (key: string, make: (before: Document | undefined) => Document) => Document;

/** How many answers are kept. Each may take some hundred kilobytes, and as much again for its encodings. */
const MAX_ANSWERS = 50;

/** Keeps answers, with their encodings, until the edition changes: many clients ask for the same ones. */
export function keepAnswers(view: ListingView): KeepAnswer {
  let edition: Edition | undefined;
  let answers = new Map<string, Document>();
  let answersBefore = new Map<string, Document>();
  return (key, make) => {
    const current = view.edition();
    if (current !== edition) {
      answersBefore = answers;
      answers = new Map();
      edition = current;
    }
    const kept = answers.get(key);
    if (kept) return kept;
    const answer = make(answersBefore.get(key));
    if (answers.size >= MAX_ANSWERS) answers.clear();
    answers.set(key, answer);
    return answer;
  };
}
