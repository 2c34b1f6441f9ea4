import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { DAY_MS, toIso } from '../domain/units.ts';
import { ICON_SVG } from '../pages/layout.ts';
import { SITEMAP_PATH } from './addresses.ts';
import { COMPRESSED_WHEN_ASKED, createDocument, type Document } from './document.ts';

const TEXT = 'text/plain; charset=utf-8';
const YEAR_MS = 365 * DAY_MS;

/** Search engines may list the pages; the API has the same content for programs. `url`: public origin. */
export const listingRobots = (url: string) =>
  `User-agent: *\nDisallow: /api/\n\nSitemap: ${url}${SITEMAP_PATH}\n`;

/** Robots that fetch a page once, to show a preview of a link that somebody has posted. They index nothing. */
const PREVIEW_ROBOTS = [
  'Discordbot',
  'WhatsApp',
  'TelegramBot',
  'facebookexternalhit',
  'Twitterbot',
  'Slackbot',
  'Slackbot-LinkExpanding',
  'Slack-ImgProxy',
  'LinkedInBot',
  'SkypeUriPreview',
];

/**
 * An uploaded file is private to people with its address, so crawlers of search engines, archives and training data are
 * disallowed. `X-Robots-Tag` keeps pages that they fetch nevertheless out of an index. Robots that make previews of a link
 * may fetch the page and the picture, but no address that deletes.
 */
export const UPLOAD_ROBOTS = `${PREVIEW_ROBOTS.map((name) => `User-agent: ${name}\n`).join('')}Disallow: /d/

User-agent: *
Allow: /$
Allow: /assets/
Disallow: /
`;

interface SiteDocumentsOptions {
  robots: string;
  /** The address for reports of security problems, in security.txt; null for none. */
  contact: string | null;
  /** Wall clock, ms since 1970. */
  now: number;
}

/** Renders the documents that every origin has, by their paths: assets, and the files that programs expect. */
export async function renderSiteDocuments(options: SiteDocumentsOptions): Promise<Map<string, Document>> {
  const { robots, contact, now } = options;
  const documents = await openAssets();
  documents.set('/robots.txt', createDocument(TEXT, robots, now));
  documents.set('/favicon.svg', createDocument('image/svg+xml', ICON_SVG, now));
  if (contact) {
    // RFC 9116. It expires after a year, so it must be renewed before.
    const expires = toIso(now + YEAR_MS);
    const text = `Contact: ${contact}\nExpires: ${expires}\nPreferred-Languages: id, en\n`;
    documents.set('/.well-known/security.txt', createDocument(TEXT, text, now));
  }
  return documents;
}

const ASSETS_FOLDER = path.resolve(import.meta.dirname, '../pages/assets');
const TYPES: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.webmanifest': 'application/manifest+json; charset=utf-8',
};

/** Lines of comments in a script or a style, which are for readers of the source. */
const COMMENTS = /^\s*(?:\/\/.*|\/\*(?:(?!\*\/)[\s\S])*\*\/)\n/gmu;

/** Browsers request the icon there by themselves; a manifest and a service worker at the root cover the whole origin. */
const AT_ROOT = ['favicon.ico', 'manifest.webmanifest', 'service-worker.js'];

/** Reads the files that pages load, by their path on either origin. */
export async function openAssets(): Promise<Map<string, Document>> {
  const names = await readdir(ASSETS_FOLDER);
  const entries = names.map(async (name): Promise<[string, Document]> => {
    const file = path.join(ASSETS_FOLDER, name);
    const type = TYPES[path.extname(name)] ?? 'application/octet-stream';
    const { mtimeMs } = await stat(file);
    const address = AT_ROOT.includes(name) ? `/${name}` : `/assets/${name}`;
    const content = await readFile(file);
    const sent = /[.](?:css|js)$/u.test(name) ? String(content).replace(COMMENTS, '') : content;
    return [address, createDocument(type, sent, mtimeMs, COMPRESSED_WHEN_ASKED)];
  });
  return new Map(await Promise.all(entries));
}
