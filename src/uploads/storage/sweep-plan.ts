/**
 * Remembers when the complete uploads of an hour that is over may be forgotten, so that each sweep need not read all of
 * them again. Times are in ms since 1970.
 */
export function createSweepPlan() {
  const nextSweeps = new Map<string, number>();
  return {
    isDue: (hour: string, now: number): boolean => now >= (nextSweeps.get(hour) ?? 0),
    /** Undefined when nothing is left of that hour. */
    setNext(hour: string, next: number | undefined): void {
      if (next === undefined) nextSweeps.delete(hour);
      else nextSweeps.set(hour, next);
    },
  };
}
