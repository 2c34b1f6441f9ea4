import type { AnimeRecord } from '../domain/anime-record.ts';
import { localDay } from '../domain/local-day.ts';
import { listingChangedAt } from '../domain/snapshot.ts';
import { renderAnimePage } from '../pages/anime-page.ts';
import { createTimes } from '../pages/formats.ts';
import { type FrontPage, renderFrontPage } from '../pages/front-page.ts';
import { LANGUAGES, TRANSLATIONS } from '../pages/i18n/translations.ts';
import { pageHeaders } from '../pages/layout.ts';
import { renderListedAnime } from '../pages/listed-anime.ts';
import { animePath, type PageContext } from '../pages/listing-page.ts';
import { frontPageAddress, LISTED_ANIME_PATH } from './addresses.ts';
import { COMPRESSED_LATER, type Content, JSON_TYPE } from './document.ts';
import { sitemapContent } from './sitemap.ts';

/** A header has a limit. The source needs one host, and two while it moves to another one. */
const MAX_ORIGINS = 4;
/** The origins that a policy can name: a host with other characters could end its directive and begin another one. */
const ORIGIN = /^https?:\/\/(?=[^:]{1,253}(?::|$))[a-z0-9-]+(?:\.[a-z0-9-]+)*(?::\d+)?$/u;

interface PagesState extends Omit<FrontPage, 'today'>, Omit<PageContext, 'texts' | 'times' | 'coverOrigins'> {
  timeZone: string;
  /** Wall clock, ms since 1970. */
  now: number;
}

/**
 * The front page and the page of each anime, in every language, and what scripts and search engines read of them. Anime that
 * left are not on the front page.
 */
export function renderPages(state: PagesState): Content[] {
  const { snapshot, records, timeZone, now } = state;
  const coverOrigins = chooseCoverOrigins(records);
  const listed = records.filter(({ leftAt }) => leftAt === null);
  const front = { ...state, records: listed, today: localDay(timeZone, now) };
  const pages = LANGUAGES.flatMap((language) => {
    const texts = TRANSLATIONS[language];
    const context = { ...state, coverOrigins, texts, times: createTimes(texts.locale, timeZone) };
    const options = {
      contentType: 'text/html; charset=utf-8',
      vary: ['Accept-Language'],
      headers: Object.entries({ ...pageHeaders(coverOrigins), 'Content-Language': language }).flat(),
    };
    return [
      { ...options, address: frontPageAddress(language), text: renderFrontPage(context, front) },
      ...records.map((record) => ({
        ...options,
        address: animePath(record.slug, language),
        text: renderAnimePage(context, record),
        ...COMPRESSED_LATER,
      })),
    ];
  });
  const anime = renderListedAnime(records);
  return [
    ...pages,
    { address: LISTED_ANIME_PATH, contentType: JSON_TYPE, text: anime, ...COMPRESSED_LATER },
    sitemapContent({ records, url: state.url, changedAt: listingChangedAt(snapshot) }),
  ];
}

/** The origins that most covers come from which are not kept here, for the policy of the pages; in alphabetical order. */
function chooseCoverOrigins(records: readonly AnimeRecord[]): string[] {
  const foreign = records.filter(({ cover }) => !cover);
  const origins = foreign.map(({ image }) => URL.parse(image ?? '')?.origin ?? '');
  const byOrigin = Map.groupBy(
    origins.filter((origin) => ORIGIN.test(origin)),
    (origin) => origin,
  );
  const byFrequency = [...byOrigin].toSorted().toSorted(([, a], [, b]) => b.length - a.length);
  return byFrequency
    .slice(0, MAX_ORIGINS)
    .map(([origin]) => origin)
    .toSorted();
}
