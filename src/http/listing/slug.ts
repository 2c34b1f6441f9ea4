/**
 * Returns a slug as the listing writes it: with percent-escapes in lower case for what is not ASCII. Clients may write the
 * escapes in capitals, and a query arrives with its escapes decoded.
 */
export function normalizeSlug(slug: string): string {
  const escaped = slug.isWellFormed() ? slug.replace(/[^ -~]+/gu, encodeURIComponent) : slug;
  return escaped.replace(/%[0-9a-f]{2}/giu, (code) => code.toLowerCase());
}
