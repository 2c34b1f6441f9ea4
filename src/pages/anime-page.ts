import type { AnimeRecord } from '../domain/anime-record.ts';
import { renderCover } from './anime-card.ts';
import { fill, type Html, html } from './html.ts';
import type { Translations } from './i18n/translations.ts';
import { renderLanguages, renderLayout } from './layout.ts';
import { renderMetaTags } from './meta-tags.ts';
import type { Times } from './times.ts';
import { renderTrouble, type Trouble } from './trouble.ts';

interface AnimePage {
  record: AnimeRecord;
  /** Public origin; null until it is known. */
  url: string | null;
  texts: Translations;
  times: Times;
  coverOrigins: readonly string[];
  trouble: Trouble | undefined;
}

/** All that is known of one anime. It does not depend on the day: it changes with the anime and with trouble only. */
export function renderAnimePage(page: AnimePage): string {
  const { record, url, texts, coverOrigins, trouble } = page;
  const { title, slug, ongoing } = record;
  const path = `/anime/${slug}`;
  const description = texts.anime.description.replace('{title}', () => title);
  const image = ongoing?.image;
  return renderLayout({
    title,
    language: texts.language,
    style: 'listing.css',
    modules: ['language.js', 'my-anime.js'],
    isListed: true,
    nav: renderLanguages(texts.language, path),
    head: renderMetaTags(texts, { url, path, title, description, image }),
    body: html`${renderTrouble(trouble, page)}<article id="Page" class="anime" data-texts="${JSON.stringify(texts.scripts)}" data-slug="${slug}">
${renderCover(title, image, { coverOrigins })}
<div>
<h1 class="title">${title}</h1>
${renderFacts(page)}
${renderLinks(page)}
</div>
</article>
${renderEpisodes(page)}
<p><a href="/?lang=${texts.language}">${texts.toFront}</a></p>`,
  });
}

function renderFacts({ record: { day, scheduledDay, ongoing, next }, texts, times }: AnimePage): Html {
  const { anime } = texts;
  const slot = day === 'None' ? scheduledDay : day;
  const newest = ongoing
    ? html`${fill(texts.episode, { n: ongoing.episode })} · ${times.short(ongoing.date)}`
    : html`${anime.notListed}`;
  const awaited = next
    ? fill(anime.expected, { n: next.episode, time: times.moment(next.expectedAt) })
    : ongoing && fill(anime.notOut, { n: ongoing.episode + 1 });
  return html`<dl class="about">
<dt>${anime.day}</dt><dd>${slot && slot !== 'None' ? texts.days[slot] : anime.noDay}</dd>
<dt>${anime.newest}</dt><dd>${newest}</dd>
${awaited ? html`<dt>${anime.next}</dt><dd>${awaited}</dd>\n` : []}</dl>`;
}

function renderLinks({ record: { slug, link, scheduledDay }, texts: { anime } }: AnimePage): Html {
  const hasDate = scheduledDay !== null && scheduledDay !== 'Random';
  const calendar = hasDate
    ? html`<a class="button plain" href="/feeds/schedule.ics?slug=${slug}">${anime.calendar}</a>\n`
    : [];
  return html`<p class="actions"><a class="button" href="${link}" rel="noreferrer">${anime.source}</a>
${calendar}<a class="button plain" href="/feeds/episodes.atom?slug=${slug}">${anime.feed}</a></p>`;
}

function renderEpisodes({ record: { episodes }, texts, times }: AnimePage): Html {
  const { anime } = texts;
  const rows = episodes.map(
    ({ episode, seenAt }) =>
      html`<li><b>${fill(texts.episode, { n: episode })}</b> <span>${times.moment(seenAt)}</span></li>\n`,
  );
  return html`<section aria-labelledby="EpisodesHeading">
<h2 id="EpisodesHeading">${anime.episodes}</h2>
<p class="quiet">${rows.length > 0 ? anime.episodesLead : anime.noEpisodes}</p>
${rows.length > 0 ? html`<ul class="seen">\n${rows}</ul>` : []}
</section>`;
}
