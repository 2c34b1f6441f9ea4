import { onTestFinished, vi } from 'vitest';

/**
 * Sets `Date` in the thread of the test, and stops it until the test ends; timers go on. A service that was opened before
 * the first call keeps the clock of the machine.
 */
export function setClock(ms: number): void {
  if (!vi.isFakeTimers()) {
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
  }
  vi.setSystemTime(ms);
}
