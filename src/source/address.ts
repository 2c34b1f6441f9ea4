import { cleanText } from '../domain/text.ts';

/** Parses the addresses in a page of the source. Its host changes every few months, so only the path is significant. */

/** Escapes are of the bytes of UTF-8, and never of control characters. */
const SLUG = /^(?:[a-z0-9-]|%(?![01]|7f)[0-9a-f]{2})+$/u;
export const MAX_URL_LENGTH = 2048;
/** WordPress cuts slugs at 200 characters, escapes included. */
const MAX_SLUG_LENGTH = 250;
const PAGE_OF_LIST = /^(.*)\/page\/(\d+)\/?$/u;
/** A DNS name, an IPv4 or an IPv6 address. The URL parser also accepts hosts with `;`, `*` or `'`. */
const HOST = /^(?=.{1,253}$)(?:[a-z0-9_.-]+|\[[0-9a-f:.]+\])$/u;

/** `…/anime/SLUG/` → SLUG, with its escapes in lower case and not decoded; undefined for any other address. */
export function parseSlug(href: string | undefined, pageUrl: string): string | undefined {
  return parseAnimeLink(href, pageUrl)?.slug;
}

/** The same, with the host that the address names. */
export function parseAnimeLink(
  href: string | undefined,
  pageUrl: string,
): { slug: string; host: string } | undefined {
  const url = parseUrl(href, pageUrl);
  const segment = url && /\/anime\/([^/]+)\/?$/u.exec(url.pathname)?.[1];
  const slug = segment?.replace(/%[0-9a-f]{2}/giu, (code) => code.toLowerCase());
  if (!url || !slug || slug.length > MAX_SLUG_LENGTH || !SLUG.test(slug)) return undefined;
  return { slug, host: url.host };
}

/** `…/page/N/` → N, where it is a page of the same list as `pageUrl`: the site has several lists with pages. */
export function parsePageNumber(href: string | undefined, pageUrl: string): number | undefined {
  const [, list, number] = PAGE_OF_LIST.exec(parseUrl(href, pageUrl)?.pathname ?? '') ?? [];
  const ownList = new URL(pageUrl).pathname.replace(/(?:\/page\/\d+)?\/?$/u, '');
  return list === ownList && Number.isSafeInteger(Number(number)) ? Number(number) : undefined;
}

/**
 * The absolute URL of a cover from the attributes of its `img`; a lazy loader's come before `src`, which may be a
 * placeholder. An absolute URL stays as written, raw `½` included; a relative one is resolved against the page. It
 * becomes part of pages and of their content security policy, so URLs with credentials, invisible characters, white
 * space or an unusual host are skipped.
 */
export function parseImageUrl(
  attributes: Record<string, string | undefined>,
  pageUrl: string,
): string | undefined {
  const { src, srcset } = attributes;
  const lazy = attributes['data-src'] ?? attributes['data-lazy-src'] ?? attributes['data-original'];
  for (const candidate of [lazy, src, firstCandidate(attributes['data-srcset'] ?? srcset)]) {
    const url = parseUrl(candidate, pageUrl);
    const address = candidate?.trim() ?? '';
    if (!url || !isSafe(url) || /\s/u.test(address) || cleanText(address) !== address) continue;
    return address.startsWith(`${url.origin}/`) ? address : url.href;
  }
  return undefined;
}

function isSafe({ protocol, hostname, username, password }: URL): boolean {
  return /^https?:$/u.test(protocol) && HOST.test(hostname) && !username && !password;
}

function firstCandidate(srcset: string | undefined): string | undefined {
  return srcset
    ?.slice(0, MAX_URL_LENGTH)
    .trim()
    .split(/\s|,\s/u)[0];
}

function parseUrl(address: string | undefined, base: string): URL | undefined {
  if (!address || address.length > MAX_URL_LENGTH || !address.trim()) return undefined;
  return URL.parse(address.trim(), base) ?? undefined;
}
