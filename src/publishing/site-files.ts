import { ICON_SVG } from '../pages/layout.ts';
import { createDocument, type Document } from './document.ts';

const TEXT = 'text/plain; charset=utf-8';
const YEAR_MS = 365 * 86_400_000;

/** The front page is for everybody; the rest says the same to programs. */
export const LISTING_ROBOTS = 'User-agent: *\nDisallow: /api/\n';

/** What somebody uploads is shown to who has its address. */
export const UPLOAD_ROBOTS = 'User-agent: *\nAllow: /$\nAllow: /assets/\nDisallow: /\n';

export const SECURITY_PATH = '/.well-known/security.txt';

/** What programs look for at fixed places of an origin, by its path. `now`: ms since 1970. */
export function siteFiles(robots: string, now: number): [path: string, Document][] {
  return [
    ['/robots.txt', createDocument(TEXT, robots, now)],
    ['/favicon.svg', createDocument('image/svg+xml', ICON_SVG, now)],
  ];
}

/** RFC 9116. It ends a year after it is made, so it must be made again before. */
export function createSecurityFile(contact: string, now: number): Document {
  const expires = new Date(now + YEAR_MS).toISOString();
  const lines = [`Contact: ${contact}`, `Expires: ${expires}`, 'Preferred-Languages: id, en', ''];
  return createDocument(TEXT, lines.join('\n'), now);
}
