/**
 * A slug as the listing writes it: what is not ASCII as percent-escapes in lower case. Clients write the same escapes
 * in capitals, and a query arrives with its escapes decoded.
 */
export function normalizeSlug(slug: string): string {
  const escaped = slug.isWellFormed() ? slug.replace(/[^ -~]+/gu, encodeURIComponent) : slug;
  return escaped.replace(/%[0-9a-f]{2}/giu, (code) => code.toLowerCase());
}
