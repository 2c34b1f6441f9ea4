import type { AnimeRecord } from '../domain/anime-record.ts';
import { renderCover } from './anime-card.ts';
import { fill, type Html, html } from './html.ts';
import type { Translations } from './i18n/translations.ts';
import { renderLanguages, renderLayout } from './layout.ts';
import { renderSocial } from './social.ts';
import type { Times } from './times.ts';
import { renderTrouble, type Trouble } from './trouble.ts';

interface AnimePage {
  record: AnimeRecord;
  /** Public origin; null until it is known. */
  url: string | null;
  words: Translations;
  times: Times;
  coverOrigins: readonly string[];
  trouble: Trouble | undefined;
}

/** All that is known of one anime. It does not depend on the day: it changes with the anime and with trouble only. */
export function renderAnimePage(page: AnimePage): string {
  const { record, url, words, coverOrigins, trouble } = page;
  const { title, slug, ongoing } = record;
  const path = `/anime/${slug}`;
  const description = words.anime.description.replace('{title}', () => title);
  const image = ongoing?.image;
  return renderLayout({
    title,
    language: words.language,
    style: 'week.css',
    modules: ['language.js', 'my-anime.js'],
    isListed: true,
    nav: renderLanguages(words.language, path),
    head: renderSocial(words, { url, path, title, description, image }),
    body: html`${renderTrouble(trouble, page)}<article id="Page" class="anime" data-words="${JSON.stringify(words.live)}" data-slug="${slug}">
${renderCover(title, image, { coverOrigins })}
<div>
<h1 class="title">${title}</h1>
${renderFacts(page)}
${renderLinks(page)}
</div>
</article>
${renderEpisodes(page)}
<p><a href="/?lang=${words.language}">${words.toFront}</a></p>`,
  });
}

function renderFacts({ record: { day, scheduledDay, ongoing, next }, words, times }: AnimePage): Html {
  const { anime } = words;
  const slot = day === 'None' ? scheduledDay : day;
  const newest = ongoing
    ? html`${fill(words.episode, { n: ongoing.episode })} · ${times.short(ongoing.date)}`
    : html`${anime.notListed}`;
  const awaited = next
    ? fill(anime.expected, { n: next.episode, time: times.moment(next.expectedAt) })
    : ongoing && fill(anime.notOut, { n: ongoing.episode + 1 });
  return html`<dl class="about">
<dt>${anime.day}</dt><dd>${slot && slot !== 'None' ? words.days[slot] : anime.noDay}</dd>
<dt>${anime.newest}</dt><dd>${newest}</dd>
${awaited ? html`<dt>${anime.next}</dt><dd>${awaited}</dd>\n` : []}</dl>`;
}

function renderLinks({ record: { slug, link, scheduledDay }, words: { anime } }: AnimePage): Html {
  const hasDate = scheduledDay !== null && scheduledDay !== 'Random';
  const calendar = hasDate
    ? html`<a class="button plain" href="/feeds/schedule.ics?slug=${slug}">${anime.calendar}</a>\n`
    : [];
  return html`<p class="actions"><a class="button" href="${link}" rel="noreferrer">${anime.source}</a>
${calendar}<a class="button plain" href="/feeds/episodes.atom?slug=${slug}">${anime.feed}</a></p>`;
}

function renderEpisodes({ record: { episodes }, words, times }: AnimePage): Html {
  const { anime } = words;
  const rows = episodes.map(
    ({ episode, seenAt }) =>
      html`<li><b>${fill(words.episode, { n: episode })}</b> <span>${times.moment(seenAt)}</span></li>\n`,
  );
  return html`<section aria-labelledby="EpisodesAre">
<h2 id="EpisodesAre">${anime.episodes}</h2>
<p class="quiet">${rows.length > 0 ? anime.episodesLead : anime.noEpisodes}</p>
${rows.length > 0 ? html`<ul class="seen">\n${rows}</ul>` : []}
</section>`;
}
