import type { AnimeRecord } from '../domain/anime-record.ts';
import { newestOut } from './rows.ts';

/** What scripts read of an anime that is listed, or was in the last 90 days. */
export interface ListedAnime {
  slug: string;
  title: string;
  /** Other titles by which a list of another site may have it. */
  names: string[];
  /** Its number at AniList, and at MyAnimeList, where they are known. */
  anilist?: number;
  mal?: number;
  /** The newest that is out; 0 before the first. */
  episode: number;
  /** Whether it is in one of the lists. */
  isListed: boolean;
  ended: boolean;
}

/** The document that scripts load when a page does not have what they look for. */
export function renderListedAnime(records: readonly AnimeRecord[]): string {
  return JSON.stringify({ anime: records.map(presentListed) });
}

function presentListed(record: AnimeRecord): ListedAnime {
  const { slug, title, details, medium, leftAt, hasEnded } = record;
  const names = [
    details?.japanese,
    medium?.romaji,
    medium?.english,
    medium?.native,
    ...(medium?.synonyms ?? []),
  ];
  return {
    slug,
    title,
    names: [...new Set(names.filter((name) => typeof name === 'string'))],
    ...(medium && { anilist: medium.id }),
    ...(medium?.idMal && { mal: medium.idMal }),
    episode: newestOut(record),
    isListed: leftAt === null,
    ended: hasEnded,
  };
}
