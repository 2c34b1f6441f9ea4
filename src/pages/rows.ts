import { type AnimeRecord, type Release, totalOf } from '../domain/anime-record.ts';
import { localDay } from '../domain/local-day.ts';
import { fill, type Html, html } from './html.ts';
import { animePath, type PageContext, renderCover } from './listing-page.ts';

/**
 * A row: a release, an anime on a break at its usual day, or one of which nothing is out or expected on the days that are
 * shown.
 */
export type TimelineRow = Pick<Release, 'record'> &
  Partial<Release> & {
    /** When an anime that is on a break comes back, ms since 1970. */
    resumesAt?: number;
  };

/** What a row has beside: attributes, its picture again, something before its hour and after its number. */
export type RowParts = Partial<Record<'attributes' | 'glow' | 'before' | 'after', Html | []>>;

/** The item of a row in a list: cover, hour and state in one phrase, title, number and badges. */
export function renderRow(row: TimelineRow, context: PageContext, parts: RowParts): Html {
  const { attributes = [], glow = [], before = [], after = [] } = parts;
  const { record } = row;
  const newest = newestOut(record);
  const episode = newest > 0 ? html` data-episode="${newest}"` : [];
  const state = row.state ?? (row.resumesAt === undefined ? 'other' : 'paused');
  return html`<li${attributes} data-slug="${record.slug}"${episode} class="${state}">${renderCover(record, context)}${glow}<div class="about"><p class="when">${before}${renderWhen(row, context)}</p><a class="title short" href="${animePath(record.slug, context.texts.language)}">${record.title}</a><p class="episode">${renderEpisode(row, context)}</p>${after}</div></li>
`;
}

/** The newest episode that is out, also one that is taken for released while the source is away; 0 before the first. */
export function newestOut({ ongoing, episodes, assumed }: AnimeRecord): number {
  return Math.max(ongoing?.episode ?? 0, episodes[0]?.episode ?? 0, ...assumed.map(({ episode }) => episode));
}

/** `Rilis 14.05`, `±20.47`: every estimate is marked, and the page says once what the mark means. Without a day, the date of the newest episode. */
function renderWhen(row: TimelineRow, { times, texts: { when } }: PageContext): Html {
  const { record, day, state, resumesAt } = row;
  if (resumesAt !== undefined) return fill(when.paused, { time: strong(times.date(resumesAt)) });
  if (!day || !state) return record.ongoing ? strong(html`${times.sourceDate(record.ongoing.date)}`) : html``;
  const at = timeOf(row, times.timeZone);
  if (at === null)
    return html`${{ out: when.outOnly, unseen: when.unseenOnly, late: when.someTime, expected: when.someTime }[state]}`;
  const isOfDay = localDay(times.timeZone, at) === day;
  const isEstimate = state === 'expected' || state === 'unseen';
  return fill(when[state], { time: strong(times.hour(at, isOfDay, isEstimate)) });
}

const strong = (time: Html) => html`<b class="hour">${time}</b>`;

/**
 * When it came or comes, ms since 1970; null where only the day is known. Until the own time of a release is known, and
 * where it never is, that is when a crawl or a peek saw it, if that was on its day.
 */
export function timeOf(
  { record, episode, day, state, releasedAt, expectedAt }: TimelineRow,
  timeZone: string,
): number | null {
  const known = releasedAt ?? expectedAt;
  if (known != null) return known;
  if (state !== 'out') return null;
  const at =
    episode === null
      ? record.unnumbered.find(({ date }) => date === day)?.at
      : record.episodes.find((one) => one.episode === episode)?.seenAt;
  return at !== undefined && localDay(timeZone, at) === day ? at : null;
}

/** `Ep 9`; of a release that is out, with the total where it is known: `Ep 9/12`; and what is special about it. */
function renderEpisode(row: TimelineRow, { texts }: PageContext): Html {
  const { record, episode, state, otherEpisodes = [] } = row;
  const { badges } = texts;
  const n = state ? episode : record.ongoing?.episode;
  if (n == null) return html`${state === 'out' ? texts.noNumber : texts.notOut}`;
  const total = totalOf(record);
  const numbers = [...otherEpisodes, n].join(' & ');
  const name = fill(texts.episodeShort, {
    n: state === 'out' && total !== null ? `${numbers}/${total}` : numbers,
  });
  const special =
    otherEpisodes.length > 0
      ? fill(badges.several, { n: otherEpisodes.length + 1 })
      : state && n === 1
        ? badges.first
        : state && isLast(record, n)
          ? badges.last
          : null;
  return special === null ? name : html`${name} <span class="badge">${special}</span>`;
}

function isLast(record: AnimeRecord, episode: number): boolean {
  const release = record.episodes.find((one) => one.episode === episode);
  return release?.isLast === true || totalOf(record) === episode;
}
