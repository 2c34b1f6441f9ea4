import type { AnimeRecord } from '../domain/anime-record.ts';
import { findBreak } from '../domain/broadcast-break.ts';
import { releaseTime } from '../domain/episode-history.ts';
import { toIso } from '../domain/units.ts';
import { fill, type Html } from './html.ts';
import type { PageContext } from './listing-page.ts';
import { newestOut } from './rows.ts';

/** What chats and search engines show of the page of an anime. */

/** What comes next and what came last, as a text. */
export function describeAnime({ texts, times }: PageContext, record: AnimeRecord): string {
  const { preview } = texts.anime;
  const { next, episodes, hasEnded } = record;
  const sentences: Html[] = [];
  if (hasEnded) sentences.push(fill(preview.ended, {}));
  else if (findBreak(record)) sentences.push(fill(preview.paused, {}));
  if (next && !hasEnded) {
    const { episode: n, expectedAt, late, unseen } = next;
    const text = late ? preview.late : unseen ? preview.unseen : preview.expected;
    sentences.push(fill(text, { n, day: times.dateText(expectedAt), hour: times.clockText(expectedAt) }));
  }
  const [newest] = episodes;
  const at = newest && releaseTime(newest);
  if (newest && (at !== undefined || newest.date)) {
    const day = at === undefined ? times.longDate(newest.date ?? '') : times.dateText(at);
    sentences.push(fill(preview.out, { n: newest.episode, day }));
  }
  const text = sentences.map(String).join(' ');
  return text || texts.anime.description.replace('{title}', () => record.title);
}

/** https://schema.org/TVSeries with the episodes that are known. */
export function structureAnime({ url }: PageContext, record: AnimeRecord): object {
  const { title, slug, image, details, medium, episodes, next } = record;
  const address = `${url}/anime/${slug}`;
  const episodeOf = (episodeNumber: number, datePublished?: string) => ({
    '@type': 'TVEpisode',
    episodeNumber,
    name: `${title} – Episode ${episodeNumber}`,
    url: address,
    ...(datePublished && { datePublished }),
  });
  const known = episodes.map((release) => {
    const at = releaseTime(release);
    return episodeOf(release.episode, at === undefined ? release.date : toIso(at));
  });
  const names = [details?.japanese, medium?.english].filter((name) => name);
  const newest = newestOut(record);
  return {
    '@type': 'TVSeries',
    name: title,
    url: address,
    inLanguage: 'ja',
    ...(image && { image }),
    ...(names.length > 0 && { alternateName: names }),
    ...(details && details.genres.length > 0 && { genre: details.genres }),
    ...(details?.synopsis && { description: details.synopsis }),
    ...(details?.startedOn && { startDate: details.startedOn }),
    ...(details?.totalEpisodes && { numberOfEpisodes: details.totalEpisodes }),
    ...(details &&
      details.studios.length > 0 && {
        productionCompany: details.studios.map((name) => ({ '@type': 'Organization', name })),
      }),
    episode: [
      ...(next && next.episode > newest ? [episodeOf(next.episode, toIso(next.expectedAt))] : []),
      ...(known.length > 0 ? known : newest > 0 ? [episodeOf(newest)] : []),
    ],
  };
}
