import type { OngoingAnime, ScheduledAnime } from '../domain/listing.ts';
import type { LocalDay } from '../domain/local-day.ts';
import { type Html, html } from './html.ts';
import { fill } from './i18n/all.ts';
import type { Translations } from './i18n/translations.ts';
import type { Times } from './times.ts';

/** What it takes to show an anime. */
export interface Shown {
  words: Translations;
  times: Times;
  today: LocalDay;
  /** A cover from elsewhere is shown as none: the browser would not load it. */
  coverOrigins: readonly string[];
}

/** An anime of today, large: whether today's episode is out is what people come for. */
export function renderPoster(
  { title, slug }: ScheduledAnime,
  anime: OngoingAnime | undefined,
  shown: Shown,
): Html {
  const { words, times, today } = shown;
  const isOut = anime?.date === today.shortDate;
  const facts = anime
    ? html`<p class="quiet">${fill(words.episodeShort, { n: anime.episode })}${isOut ? [] : html` · ${times.short(anime.date)}`}</p>`
    : [];
  return html`<li data-slug="${slug}">${renderCover(title, anime?.image, shown)}
<p class="state${isOut ? ' out' : ''}">${isOut ? words.isOut : words.isExpected}</p>
<p class="title">${title}</p>
${facts}</li>
`;
}

/** An anime of the ongoing list. Feeds link to its slug, with which no other id can collide: those have capitals. */
export function renderRow({ title, slug, episode, date, day, image }: OngoingAnime, shown: Shown): Html {
  const { words, times } = shown;
  const slot = day === 'None' ? [] : html` · ${words.days[day]}`;
  return html`<li id="${slug}" data-slug="${slug}" data-day="${day}" data-episode="${episode}">${renderCover(title, image, shown)}
<div><h3 class="title">${title}</h3>
<p class="quiet"><b>${fill(words.episode, { n: episode })}</b> · ${times.short(date)}${slot}</p></div></li>
`;
}

/**
 * A box of the cover's shape, which never changes whatever becomes of the picture: without one there is the title's
 * initial. The title is beside it, so the picture has nothing to add for who cannot see it.
 */
function renderCover(title: string, image: string | undefined, { coverOrigins }: Shown): Html {
  const initial = (/[\p{L}\p{N}]/u.exec(title)?.[0] ?? '?').toUpperCase();
  const isShown = coverOrigins.includes(URL.parse(image ?? '')?.origin ?? '');
  const picture =
    image && isShown
      ? html`<img src="${image}" alt="" width="106" height="150" loading="lazy" decoding="async" referrerpolicy="no-referrer">`
      : [];
  return html`<div class="cover" data-initial="${initial}">${picture}</div>`;
}
