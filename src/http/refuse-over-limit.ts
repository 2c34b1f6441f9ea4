import { AppError } from '../domain/errors.ts';
import { MINUTE_MS } from '../domain/units.ts';
import type { RateLimitState } from '../network/limiter.ts';

/** Throws AppError `too-many-requests` for an address that is over its limit. `what`: what it has sent too many of. */
export function refuseOverLimit({ ok, resetMs }: RateLimitState, what: string): void {
  if (ok) return;
  const message = `too many ${what} from your address; try again in ${formatWait(resetMs)}`;
  throw new AppError('too-many-requests', message, { retryAfterMs: resetMs });
}

function formatWait(ms: number): string {
  return ms > 2 * MINUTE_MS ? `${Math.ceil(ms / MINUTE_MS)} minutes` : `${Math.ceil(ms / 1_000)} s`;
}
