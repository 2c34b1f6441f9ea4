import { hash } from 'node:crypto';
import type { Listing } from '../../domain/listing.ts';
import type { OngoingPage } from '../../source/source.ts';
import type { Corrections } from './corrections.ts';
import type { ReadPages } from './crawl-index.ts';
import { checkConsistent } from './guard.ts';
import { checkProgress, checkSameAge, checkSharedAnime } from './guard-history.ts';
import { markContradictions } from './mark-contradictions.ts';

export interface CompareOptions {
  lastGood: Listing | undefined;
  force: boolean;
  corrections: Corrections;
}

/** Compares the pages with each other and, without `force`, with the last good listing; marks what contradicts them. */
export function comparePages<Read extends ReadPages>(
  read: Read,
  { lastGood, force, corrections }: CompareOptions,
): Read {
  const known = force ? undefined : lastGood;
  checkSameAge(read);
  checkSharedAnime(read);
  const marked = markContradictions(read, known, corrections);
  checkConsistent(marked);
  if (known) checkProgress(read.pages, known, corrections);
  return marked;
}

/** Two readings of page 1 with the same digest lead to the same listing. */
export function digestPage({ number, lastNumber, cards, alts }: OngoingPage): string {
  return hash('sha256', JSON.stringify([number, lastNumber, cards, alts]), 'base64url');
}
