/** Parses `Retry-After`, in seconds or as an HTTP date → ms from `now` (ms since 1970); undefined for anything else. */
export function parseRetryAfter(value: string, now: number): number | undefined {
  if (/^\d{1,9}$/u.test(value)) return Number(value) * 1_000;
  const at = / GMT$/u.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}
