import type { AnimeRecord } from '../domain/anime-record.ts';
import { type EpisodeRelease, releaseTime } from '../domain/episode-history.ts';
import { fill, type Html, html } from './html.ts';
import {
  type PageContext,
  renderCover,
  renderListingPage,
  renderPush,
  renderTrouble,
} from './listing-page.ts';

interface AnimePage extends PageContext {
  record: AnimeRecord;
}

/** All that is known of one anime. It does not depend on the day: it changes with the anime and with trouble only. */
export function renderAnimePage(context: PageContext, record: AnimeRecord): string {
  const { texts, times } = context;
  const { title, slug, ongoing, leftAt } = record;
  const page = { ...context, record };
  const image = ongoing?.image;
  return renderListingPage(context, {
    title,
    path: `/anime/${slug}`,
    description: texts.anime.description.replace('{title}', () => title),
    image,
    body: html`${renderTrouble(context)}<article id="Page" class="anime" data-texts="${JSON.stringify(texts.scripts)}" data-slug="${slug}" data-time-zone="${times.timeZone}">
${renderCover({ title, image }, context)}
<div>
<h1 class="title">${title}</h1>
<p id="Follow" class="live"></p>
${leftAt === null ? [] : html`<p class="notice">${record.hasEnded ? texts.anime.hasEnded : texts.anime.hasLeft}</p>\n`}${renderFacts(page)}
${renderLinks(page)}
</div>
</article>
${renderPush(context)}${renderSynopsis(page)}
${renderEpisodes(page)}
<p><a href="/?lang=${texts.language}">${texts.toFront}</a></p>`,
  });
}

/** What is known, as pairs of a term and a value; what is not known has no row. */
function renderFacts(page: AnimePage): Html {
  const { record, texts, times } = page;
  const { anime } = texts;
  const { day, scheduledDay, leftAt, details } = record;
  const slot = day === 'None' ? scheduledDay : day;
  const weekday = slot && slot !== 'None' ? texts.days[slot] : anime.noDay;
  const pairs: [term: string, value: Html | string | null | undefined][] = [
    [anime.day, leftAt === null ? weekday : null],
    [anime.newest, renderNewest(page)],
    [anime.next, renderNext(page)],
    [anime.left, leftAt === null ? null : times.moment(leftAt)],
    [anime.status, record.hasEnded ? anime.ended : null],
    [anime.startedOn, details?.startedOn && times.fullDay(details.startedOn)],
    [anime.japanese, details?.japanese && html`<span lang="ja">${details.japanese}</span>`],
    [anime.type, details?.type],
    [anime.minutes, details?.minutes ? fill(anime.minutesValue, { n: details.minutes }) : null],
    [anime.score, details?.score ? times.number(details.score) : null],
    [anime.genres, details?.genres.join(', ')],
    [anime.studios, details?.studios.join(', ')],
    [anime.producers, details?.producers.join(', ')],
  ];
  const rows = pairs.flatMap(([term, value]) => (value ? html`<dt>${term}</dt><dd>${value}</dd>\n` : []));
  return html`<dl class="about">\n${rows}</dl>`;
}

function renderNewest({ record: { ongoing, episodes, details }, texts, times }: AnimePage): Html {
  const { anime } = texts;
  const [last] = episodes;
  const n = ongoing?.episode ?? last?.episode;
  if (n === undefined) return html`${anime.notListed}`;
  const all = details?.totalEpisodes;
  const episode = all ? fill(anime.episodeOf, { n, all }) : fill(texts.episode, { n });
  return html`${episode} · ${ongoing ? times.short(ongoing.date) : last ? renderTime(last, times) : []}`;
}

function renderNext({
  record: { ongoing, next, leftAt, hasEnded },
  texts: { anime },
  times,
}: AnimePage): Html | null {
  if (next) {
    const values = { n: next.episode, time: times.moment(next.expectedAt) };
    return html`${fill(next.late ? anime.late : anime.expected, values)}${next.late ? [] : html`<span id="Countdown" class="live"></span>`}`;
  }
  if (!ongoing || leftAt !== null || hasEnded) return null;
  return fill(anime.notOut, { n: ongoing.episode + 1 });
}

function renderLinks({ record: { slug, link }, texts: { anime } }: AnimePage): Html {
  return html`<p class="actions"><a class="button" href="${link}" rel="noreferrer">${anime.source}</a>
<a class="button plain" href="/feeds/schedule.ics?slug=${slug}">${anime.calendar}</a>
<a class="button plain" href="/feeds/episodes.atom?slug=${slug}">${anime.feed}</a></p>`;
}

function renderEpisodes({ record: { episodes }, texts, times }: AnimePage): Html {
  const { anime } = texts;
  const rows = episodes.map(
    (release) =>
      html`<li><b>${fill(texts.episode, { n: release.episode })}</b> <span>${renderTime(release, times)}</span></li>\n`,
  );
  return html`<section aria-labelledby="EpisodesHeading">
<h2 id="EpisodesHeading">${anime.episodes}</h2>
<p class="quiet">${rows.length > 0 ? anime.episodesLead : anime.noEpisodes}</p>
${rows.length > 0 ? html`<ul class="seen">\n${rows}</ul>` : []}
</section>`;
}

/** When an episode came out, as exactly as that is known. */
function renderTime(release: EpisodeRelease, times: PageContext['times']): Html | string {
  const at = releaseTime(release);
  return at === undefined ? times.fullDay(release.date ?? '') : times.moment(at);
}

function renderSynopsis({ record: { details }, texts }: AnimePage): Html | [] {
  if (!details?.synopsis) return [];
  const paragraphs = details.synopsis.split('\n\n').map((text) => html`<p>${text}</p>\n`);
  return html`<section aria-labelledby="SynopsisHeading">
<h2 id="SynopsisHeading">${texts.anime.synopsis}</h2>
<div lang="id">${paragraphs}</div>
</section>`;
}
