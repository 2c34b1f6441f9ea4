import { invalidRequest } from '../../domain/errors.ts';
import { localDay } from '../../domain/local-day.ts';
import { ANIME_PATH, RELEASES_PATH } from '../../publishing/addresses.ts';
import {
  COMPRESSED_LATER,
  type Document,
  jsonTextContent,
  renderDocument,
} from '../../publishing/document.ts';
import type { Edition } from '../../publishing/edition.ts';
import { releaseDays } from '../../publishing/release-days.ts';
import { squeeze } from '../../publishing/search-text.ts';
import { chooseAnime, chooseReleases, joinListing, joinReleases } from '../../publishing/selection.ts';
import type { ListingView } from '../health.ts';
import { keepAnswers } from './kept-answers.ts';
import { singleParameter } from './query.ts';
import { normalizeSlug, requireEdition } from './require-edition.ts';

const MAX_SLUGS = 100;
/** No title is longer, and the longest search takes a fraction of a millisecond. */
const MAX_SEARCH_LENGTH = 100;
const TODAY = 'today';
/** What a client cannot mean: white space, control characters, and the sign for bytes that are not UTF-8. */
const UNREADABLE = /[\s\p{Cc}\uFFFD]/u;

/** Finds the answer about the anime that a query chooses; undefined for a query that chooses none, and for other paths. */
export type FindSelection = (path: string, query: string) => Document | undefined;

interface Selection {
  path: string;
  /** In one form, however the query writes them. */
  criteria: object;
  /** When the whole answer changed, ms since 1970; undefined where time alone changes this one. */
  changedAt: number | undefined;
  join(): string;
}

/**
 * Answers `/api/anime` with `slugs` and `q`, and `/api/anime/releases` with `day` and `slugs`. Queries with different
 * criteria do not share an answer, even where it has the same bytes: each has its own date of change. Throws AppError
 * `invalid-request`, and as `requireEdition` does.
 */
export function createSelections(view: ListingView, timeZone: string): FindSelection {
  const keep = keepAnswers(view);

  function findListing(query: URLSearchParams): Document | undefined {
    const slugs = singleParameter(query, 'slugs');
    const search = singleParameter(query, 'q');
    if (slugs === undefined && search === undefined) return undefined;
    const { parts, documents, renamed } = requireEdition(view);
    const criteria = {
      slugs: slugs === undefined ? undefined : parseSlugs(slugs, renamed),
      words: search === undefined ? undefined : parseSearch(search),
    };
    return answer({
      path: ANIME_PATH,
      criteria,
      changedAt: documents.get(ANIME_PATH)?.changedAt,
      join: () => joinListing(parts, chooseAnime(parts, criteria)),
    });
  }

  function findReleases(query: URLSearchParams): Document | undefined {
    const slugs = singleParameter(query, 'slugs');
    const given = singleParameter(query, 'day');
    if (slugs === undefined && given === undefined) return undefined;
    const { parts, documents, renamed } = requireEdition(view);
    const criteria = {
      slugs: slugs === undefined ? undefined : parseSlugs(slugs, renamed),
      day: given === undefined ? undefined : parseDay(given, localDay(timeZone, view.now())),
    };
    const isForToday = given === TODAY;
    return answer({
      path: RELEASES_PATH,
      criteria: { ...criteria, isForToday },
      // A new day changes the answer for today, before the next edition.
      changedAt: isForToday ? undefined : documents.get(RELEASES_PATH)?.changedAt,
      join: () => joinReleases(chooseReleases(parts, criteria)),
    });
  }

  function answer({ path, criteria, changedAt, join }: Selection): Document {
    return keep(path + JSON.stringify(criteria), (before) => {
      const content = jsonTextContent(path, join(), { changedAt, ...COMPRESSED_LATER });
      return renderDocument(content, view.now(), before);
    });
  }

  return (path, query) => {
    if (query === '') return undefined;
    if (path === ANIME_PATH) return findListing(new URLSearchParams(query));
    return path === RELEASES_PATH ? findReleases(new URLSearchParams(query)) : undefined;
  };
}

/** `a,b,c` as slugs of today, sorted, each once: a corrected one stands for the new one. */
function parseSlugs(text: string, renamed: Edition['renamed']): string[] {
  const slugs = new Set(text.split(',').map((slug) => slug.trim()));
  const isReadable = [...slugs].every((slug) => slug !== '' && !UNREADABLE.test(slug));
  if (!isReadable || slugs.size > MAX_SLUGS) {
    throw invalidRequest(
      `slugs must be 1 to ${MAX_SLUGS} slugs with a comma between them, such as slugs=a,b`,
    );
  }
  const current = Array.from(slugs, normalizeSlug).map((slug) => renamed.get(slug) ?? slug);
  return [...new Set(current)].sort();
}

/** The words of a search, squeezed, sorted, each once. */
function parseSearch(text: string): string[] {
  const words = text.split(/\s+/u).map(squeeze).filter(Boolean);
  if (words.length > 0 && text.length <= MAX_SEARCH_LENGTH && !text.includes('\uFFFD')) {
    return [...new Set(words)].sort();
  }
  throw invalidRequest(`q must be 1 to ${MAX_SEARCH_LENGTH} characters, with a letter or a digit among them`);
}

function parseDay(text: string, today: string): string {
  const days = releaseDays(today);
  const day = text === TODAY ? today : text;
  if (days.includes(day)) return day;
  throw invalidRequest(`day must be today, or a date from ${days[0]} to ${days.at(-1)}`);
}
