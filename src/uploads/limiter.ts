/** A bucket that a request is counted in. The same key always comes with the same limit. */
export interface BucketKey {
  key: string;
  /** Requests that any one window may hold. */
  limit: number;
}

/** What a caller may know about the tightest of the buckets it was counted in. */
export interface Verdict {
  ok: boolean;
  limit: number;
  /** Requests left in this window, the one just counted taken off; 0 when refused. */
  remaining: number;
  /**
   * Until the oldest counted request leaves the window; when refused, until the same take would succeed as far as
   * is known. Rounded up to whole milliseconds, so that who waits that long has waited long enough.
   */
  resetMs: number;
}

/** The port that decides how often an address may upload: never more than `limit` in any one window. */
export interface Limiter {
  /**
   * Counts one request in each of the buckets (at least one, no key twice), or in none of them when one is full.
   * A request counts from its instant t and leaves at t + window; a refused one never counts.
   */
  take(keys: readonly BucketKey[]): Verdict | Promise<Verdict>;
  /** What a request would find, without counting one. */
  look(keys: readonly BucketKey[]): Verdict | Promise<Verdict>;
  close(): Promise<void>;
}

/** More than any limit, and small enough that the engine keeps verdicts as whole numbers. */
const BEYOND = 2 ** 30 - 1;

/** What is true of no bucket at all: `tighter` prefers any other verdict. */
export const UNLIMITED: Verdict = { ok: true, limit: BEYOND, remaining: BEYOND, resetMs: 0 };

/** The one verdict to tell of two: the refusal that lasts longer, else the bucket with fewer left. */
export function tighter(a: Verdict, b: Verdict): Verdict {
  if (a.ok !== b.ok) return a.ok ? b : a;
  if (a.remaining !== b.remaining) return a.remaining < b.remaining ? a : b;
  return a.resetMs >= b.resetMs ? a : b;
}
