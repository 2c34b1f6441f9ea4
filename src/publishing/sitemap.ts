import type { AnimeRecord } from '../domain/anime-record.ts';
import { releaseDay, releaseTime } from '../domain/episode-history.ts';
import { toIso } from '../domain/units.ts';
import { animePage, SITEMAP_PATH } from './addresses.ts';
import { COMPRESSED_LATER, type Content } from './document.ts';

interface SitemapOptions {
  records: readonly AnimeRecord[];
  /** Public origin. */
  url: string;
  /** When the listing last changed, ms since 1970. */
  changedAt: number;
}

/** The front page and the page of each anime, for search engines (https://www.sitemaps.org/protocol.html). */
export function sitemapContent({ records, url, changedAt }: SitemapOptions): Content {
  const pages = records.map((record) =>
    renderPage(animePage(url, record.slug), lastChangeOf(record) ?? toIso(changedAt)),
  );
  const text = `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${[renderPage(`${url}/`, toIso(changedAt)), ...pages].join('\n')}
</urlset>
`;
  return { address: SITEMAP_PATH, contentType: 'application/xml; charset=utf-8', text, ...COMPRESSED_LATER };
}

/** A slug has no characters that XML gives a meaning. */
const renderPage = (address: string, lastChange: string) =>
  `<url><loc>${address}</loc><lastmod>${lastChange}</lastmod></url>`;

/** When its newest episode came or it left the lists; undefined where neither is known. */
function lastChangeOf({ episodes: [newest], leftAt }: AnimeRecord): string | undefined {
  if (leftAt !== null) return toIso(leftAt);
  if (!newest) return undefined;
  const at = releaseTime(newest);
  return at === undefined ? releaseDay(newest) : toIso(at);
}
