import type { ConditionalCase } from './conditional-case.ts';
import { CONDITIONS } from './conditions.ts';
import { RANGES } from './ranges.ts';

/** The cases by what they are from. */
export const CONDITIONAL_CASES: Record<string, ConditionalCase[]> = {
  'Go, net/http: ranges': RANGES,
  'Go, net/http: conditions': CONDITIONS,
};
