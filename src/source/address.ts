import { cleanText } from '../domain/text.ts';

/**
 * Addresses as the source writes them. Its host changes every few months, so a slug is what follows `/anime/`,
 * never "the address less the host".
 */

const SLUG = /^(?:[a-z0-9-]|%[0-9a-f]{2})+$/u;
const MAX_ADDRESS = 2048;
/** WordPress keeps 200 characters, escapes included. */
const MAX_SLUG = 250;
const PAGE_OF_LIST = /^(.*)\/page\/(\d+)\/?$/u;
/** A name of DNS, an IPv4 or an IPv6 address: a URL may hold a host with `;`, `*` or `'` in it. */
const HOST = /^(?=.{1,253}$)(?:[a-z0-9_.-]+|\[[0-9a-f:.]+\])$/u;

/** `…/anime/SLUG/` → SLUG, escapes in lower case and never decoded; undefined when it is another address. */
export function readSlug(href: string | undefined, pageUrl: string): string | undefined {
  const path = parseUrl(href, pageUrl)?.pathname;
  const segment = path && /\/anime\/([^/]+)\/?$/u.exec(path)?.[1];
  const slug = segment?.replace(/%[0-9a-f]{2}/giu, (code) => code.toLowerCase());
  return slug && slug.length <= MAX_SLUG && SLUG.test(slug) ? slug : undefined;
}

/** The N of `…/page/N/` where it is a page of the list that `pageUrl` is a page of: other lists have pages too. */
export function readPageNumber(href: string | undefined, pageUrl: string): number | undefined {
  const [, list, number] = PAGE_OF_LIST.exec(parseUrl(href, pageUrl)?.pathname ?? '') ?? [];
  const ownList = new URL(pageUrl).pathname.replace(/(?:\/page\/\d+)?\/?$/u, '');
  return list === ownList && Number.isSafeInteger(Number(number)) ? Number(number) : undefined;
}

/**
 * The address of a cover from an image's attributes, the lazy loader's before the placeholder in `src`. One that
 * is absolute is kept to the letter, raw `½` and all; another is resolved against the page. It goes into pages and
 * into their policy: one with credentials, invisible characters or white space, or an odd host, is not read.
 */
export function readImage(
  attributes: Record<string, string | undefined>,
  pageUrl: string,
): string | undefined {
  const { src, srcset } = attributes;
  const lazy = attributes['data-src'] ?? attributes['data-lazy-src'] ?? attributes['data-original'];
  for (const candidate of [lazy, src, firstOf(attributes['data-srcset'] ?? srcset)]) {
    const url = parseUrl(candidate, pageUrl);
    const address = candidate?.trim() ?? '';
    if (!url || !isHarmless(url) || /\s/u.test(address) || cleanText(address) !== address) continue;
    return address.startsWith(`${url.origin}/`) ? address : url.href;
  }
  return undefined;
}

function isHarmless({ protocol, hostname, username, password }: URL): boolean {
  return /^https?:$/u.test(protocol) && HOST.test(hostname) && !username && !password;
}

function firstOf(srcset: string | undefined): string | undefined {
  return srcset
    ?.slice(0, MAX_ADDRESS)
    .trim()
    .split(/\s|,\s/u)[0];
}

function parseUrl(address: string | undefined, base: string): URL | undefined {
  if (!address || address.length > MAX_ADDRESS || !address.trim()) return undefined;
  return URL.parse(address.trim(), base) ?? undefined;
}
