const MAX_REMEMBERED = 100;

/** Wraps a slow function of a request header: clients send few different values, so its results are kept, 100 at most. */
export function remember<Result>(compute: (header: string) => Result): (header: string) => Result {
  const results = new Map<string, Result>();
  return (header) => {
    const known = results.get(header);
    if (known !== undefined) return known;
    const result = compute(header);
    if (results.size >= MAX_REMEMBERED) results.clear();
    results.set(header, result);
    return result;
  };
}
