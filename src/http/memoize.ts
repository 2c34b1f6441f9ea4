const MAX_RESULTS = 100;

/** Keeps the results of a slow function of a request header. Clients send few different values, so 100 are enough. */
export function memoize<Result>(compute: (header: string) => Result): (header: string) => Result {
  const results = new Map<string, Result>();
  return (header) => {
    const known = results.get(header);
    if (known !== undefined) return known;
    const result = compute(header);
    if (results.size >= MAX_RESULTS) results.clear();
    results.set(header, result);
    return result;
  };
}
