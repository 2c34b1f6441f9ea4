import type { Pages } from '../support/sample-pages.ts';
import type { Change } from './change.ts';
import { listLies } from './lies.ts';
import { listRenames } from './renames.ts';
import { listRestructures } from './restructures.ts';

/** Which share of the anime is new since the snapshot: anywhere in the list, or all on top. */
export const NOVELTIES = [
  { name: '0 % new', share: 0, isOnTop: false },
  { name: '3 % new', share: 0.03, isOnTop: false },
  { name: '10 % new', share: 0.1, isOnTop: false },
  { name: '40 % new', share: 0.4, isOnTop: false },
  { name: '40 % new on top', share: 0.4, isOnTop: true },
];
export type Novelty = (typeof NOVELTIES)[number];

export function listChanges(pages: Pages): Change[] {
  return [...listRenames(pages), ...listRestructures(), ...listLies()];
}
