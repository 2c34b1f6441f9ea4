import type { OngoingAnime, ScheduledAnime } from '../domain/listing.ts';
import type { LocalDay } from '../domain/local-day.ts';
import { fill, type Html, html } from './html.ts';
import type { Language, Translations } from './i18n/translations.ts';
import type { Times } from './times.ts';

/** What a page needs to show an anime. */
export interface CardContext {
  texts: Translations;
  times: Times;
  today: LocalDay;
  /** A cover of another origin is left out, because the policy of the page does not allow it. */
  coverOrigins: readonly string[];
}

/** The page of an anime keeps the language of the page that links to it. */
export const animePath = (slug: string, language: Language) => `/anime/${slug}?lang=${language}`;

/** Whether the episode of today is out; false when it is not known. */
export function isOutToday(anime: OngoingAnime | undefined, { shortDate }: LocalDay): boolean {
  return anime?.date === shortDate;
}

/** A large card for an anime of today: whether today's episode is out, or else which one is awaited. */
export function renderPoster(
  { title, slug }: ScheduledAnime,
  anime: OngoingAnime | undefined,
  context: CardContext,
): Html {
  const { texts } = context;
  const isOut = isOutToday(anime, context.today);
  return html`<li data-slug="${slug}">${renderCover(title, anime?.image, context)}
<p class="state${isOut ? ' out' : ''}">${renderState(anime, isOut, texts)}</p>
<p class="title"><a href="${animePath(slug, texts.language)}">${title}</a></p>
${anime && !isOut ? html`<p class="quiet">${renderLast(anime, context)}</p>` : []}</li>
`;
}

/** The newest episode is last week's until today's is out, so the awaited one has the next number. */
function renderState(anime: OngoingAnime | undefined, isOut: boolean, texts: Translations): Html {
  if (!anime) return html`${texts.notOut}`;
  const episode = episodeOf(anime.episode + (isOut ? 0 : 1), texts);
  return fill(isOut ? texts.out : texts.awaited, { episode });
}

function renderLast({ episode, date }: OngoingAnime, { texts, times }: CardContext): Html {
  return fill(texts.last, { episode: episodeOf(episode, texts), date: times.short(date) });
}

/** An anime of the ongoing list. Its id is its slug, for old links; other ids have capitals, so none collides. */
export function renderRow(
  { title, slug, episode, date, day, image }: OngoingAnime,
  context: CardContext,
): Html {
  const { texts, times } = context;
  const slot = day === 'None' ? [] : html` · ${texts.days[day]}`;
  return html`<li id="${slug}" data-slug="${slug}" data-day="${day}" data-episode="${episode}">${renderCover(title, image, context)}
<div><h3 class="title"><a href="${animePath(slug, texts.language)}">${title}</a></h3>
<p class="quiet"><b>${fill(texts.episode, { n: episode })}</b> · ${times.short(date)}${slot}</p></div></li>
`;
}

/** `Ep 22` */
export function episodeOf(n: number, texts: Translations): Html {
  return fill(texts.episodeShort, { n });
}

/**
 * A box of the cover's shape that keeps its size, with or without the picture; without one it shows the title's
 * initial. The title is beside it, so the picture needs no text of its own.
 */
export function renderCover(
  title: string,
  image: string | undefined,
  { coverOrigins }: Pick<CardContext, 'coverOrigins'>,
): Html {
  const initial = (/[\p{L}\p{N}]/u.exec(title)?.[0] ?? '?').toUpperCase();
  const isShown = coverOrigins.includes(URL.parse(image ?? '')?.origin ?? '');
  const picture =
    image && isShown
      ? html`<img src="${image}" alt="" width="106" height="150" loading="lazy" decoding="async" referrerpolicy="no-referrer">`
      : [];
  return html`<div class="cover" data-initial="${initial}">${picture}</div>`;
}
