import type { SourceFault } from './fault.ts';
import { readRows } from './read-rows.ts';
import { lies } from './rows/lies.ts';
import { moves } from './rows/moves.ts';
import { networkFaults } from './rows/network.ts';
import { pageFaults } from './rows/pages.ts';

/** Every fault of a source that the service must handle. */
export const FAULTS: readonly SourceFault[] = [
  ...networkFaults,
  ...readRows('refusals'),
  ...moves,
  ...pageFaults,
  ...lies,
];
