/**
 * Addresses as the source writes them. Its host changes every few months, so a slug is what follows `/anime/`,
 * never "the address less the host".
 */

const SLUG = /^(?:[a-z0-9-]|%[0-9a-f]{2})+$/u;
const LONGEST_ADDRESS = 2048;

/** `…/anime/SLUG/` → SLUG, escapes in lower case and never decoded; undefined when it is another address. */
export function readSlug(href: string | undefined, pageUrl: string): string | undefined {
  const path = parseUrl(href, pageUrl)?.pathname;
  const segment = path && /\/anime\/([^/]+)\/?$/u.exec(path)?.[1];
  const slug = segment?.replace(/%[0-9a-f]{2}/giu, (code) => code.toLowerCase());
  return slug && SLUG.test(slug) ? slug : undefined;
}

/**
 * The address of a cover from an image's attributes, the lazy loader's before the placeholder in `src`. One that
 * is absolute is kept to the letter, raw `½` and all; another is resolved against the page.
 */
export function readImage(
  attributes: Record<string, string | undefined>,
  pageUrl: string,
): string | undefined {
  const { src, srcset } = attributes;
  const lazy = attributes['data-src'] ?? attributes['data-lazy-src'] ?? attributes['data-original'];
  const candidates = [lazy, src, firstOf(attributes['data-srcset'] ?? srcset)];
  for (const candidate of candidates) {
    const address = candidate?.trim();
    const url = parseUrl(address, pageUrl);
    if (!address || !url || !/^https?:$/u.test(url.protocol)) continue;
    return /^https?:\/\/\S+$/iu.test(address) ? address : url.href;
  }
  return undefined;
}

function firstOf(srcset: string | undefined): string | undefined {
  return srcset?.trim().split(/\s|,\s/u)[0];
}

function parseUrl(address: string | undefined, base: string): URL | undefined {
  if (!address?.trim() || address.length > LONGEST_ADDRESS) return undefined;
  return URL.parse(address.trim(), base) ?? undefined;
}
