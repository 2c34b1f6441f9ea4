import { AppError } from '../domain/errors.ts';
import { MINUTE_MS } from '../domain/units.ts';
import type { Verdict } from '../network/limiter.ts';

/** Throws AppError `too-many-requests` for an address that is over its limit. `what`: what it has sent too many of. */
export function refuseOverLimit({ ok, resetMs }: Verdict, what: string): void {
  if (ok) return;
  const wait =
    resetMs > 2 * MINUTE_MS ? `${Math.ceil(resetMs / MINUTE_MS)} minutes` : `${Math.ceil(resetMs / 1_000)} s`;
  const message = `too many ${what} from your address; try again in ${wait}`;
  throw new AppError('too-many-requests', message, { retryAfterMs: resetMs });
}
