import type { Document } from '../../publishing/document.ts';
import type { Edition } from '../../publishing/edition.ts';
import type { ListingView } from '../health.ts';

/**
 * Returns the answer kept under a key, else makes it with `make`. `before`: the last answer under this key, of an earlier
 * edition.
 */
export type KeepAnswer = (key: string, make: (before: Document | undefined) => Document) => Document;

/** How many answers are kept. Each may take some hundred kilobytes, and as much again for its encodings. */
const MAX_ANSWERS = 50;

/**
 * Keeps answers, with their encodings, until the edition changes: many clients ask for the same ones. The last answer of an
 * earlier edition stays, because one with the same bytes has its date.
 */
export function keepAnswers(view: ListingView): KeepAnswer {
  /** By key, the oldest first. */
  const answers = new Map<string, { edition: Edition | undefined; answer: Document }>();
  return (key, make) => {
    const edition = view.edition();
    const kept = answers.get(key);
    if (kept && kept.edition === edition) return kept.answer;
    const answer = make(kept?.answer);
    answers.delete(key);
    answers.set(key, { edition, answer });
    const [oldest] = answers.keys();
    if (answers.size > MAX_ANSWERS && oldest !== undefined) answers.delete(oldest);
    return answer;
  };
}
