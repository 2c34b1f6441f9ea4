import { addDays } from '../domain/local-day.ts';

const DAYS_BACK = 2;
const DAYS_AHEAD = 7;

/** The days that releases are listed for, the earliest first: from two days before a day to seven days after it. */
export function releaseDays(today: string): string[] {
  return Array.from({ length: DAYS_BACK + 1 + DAYS_AHEAD }, (_, index) => addDays(today, index - DAYS_BACK));
}
