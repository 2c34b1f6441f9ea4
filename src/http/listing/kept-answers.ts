import type { Document } from '../../publishing/document.ts';
import type { Edition } from '../../publishing/edition.ts';
import type { ListingView } from '../health.ts';

/** Returns the answer that is kept under a key, else the one that `make` makes. */
export type KeepAnswer = (key: string, make: () => Document) => Document;

/** How many answers are kept. Each may take some hundred kilobytes, and as much again for its encodings. */
const MAX_ANSWERS = 50;

/** Keeps answers, with their encodings, until the edition changes: many clients ask for the same ones. */
export function keepAnswers(view: ListingView): KeepAnswer {
  let edition: Edition | undefined;
  const answers = new Map<string, Document>();
  return (key, make) => {
    const current = view.edition();
    if (current !== edition) answers.clear();
    edition = current;
    const kept = answers.get(key);
    if (kept) return kept;
    const answer = make();
    if (answers.size >= MAX_ANSWERS) answers.clear();
    answers.set(key, answer);
    return answer;
  };
}
