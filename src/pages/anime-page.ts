import { type AnimeRecord, totalOf } from '../domain/anime-record.ts';
import { type EpisodeRelease, releaseDay, releaseTime, usualTime } from '../domain/episode-history.ts';
import { fill, type Html, html } from './html.ts';
import {
  type PageContext,
  renderCalendar,
  renderChannelsLink,
  renderCover,
  renderListingPage,
  renderPicture,
  renderPush,
  renderTrouble,
} from './listing-page.ts';

interface AnimePage extends PageContext {
  record: AnimeRecord;
  /** The newest episode that is known from the list or the history. */
  newest: number | undefined;
}

/** All that is known of one anime. It does not depend on the day: it changes with the anime and with trouble only. */
export function renderAnimePage(context: PageContext, record: AnimeRecord): string {
  const { texts } = context;
  const { title, slug, ongoing, episodes, image, cover } = record;
  const newest = ongoing?.episode ?? episodes[0]?.episode;
  const page = { ...context, record, newest };
  return renderListingPage(context, {
    title,
    path: `/anime/${slug}`,
    description: texts.anime.description.replace('{title}', () => title),
    ...(image && { picture: { address: image, size: cover?.large } }),
    data: { slug },
    styles: ['anime.css'],
    body: html`${renderTrouble(context)}<article class="anime">
${renderPicture(record, context, html` class="glow"`)}${renderCover(record, context)}
<section class="about">
<h1>${title}</h1>
${renderNext(page)}
<p id="Follow" class="live"></p>
${record.hasEnded ? [] : html`${renderPush(context)}${renderChannelsLink(context, slug)}`}</section>
</article>
<div class="parts">
${renderEpisodes(page)}
${renderSynopsis(page)}${renderFacts(page)}
</div>`,
  });
}

/** What comes next, or that nothing does, before any fact. */
function renderNext(page: AnimePage): Html {
  const { record, newest, texts, times } = page;
  const { anime, states } = texts;
  const { next, leftAt, hasEnded } = record;
  if (hasEnded || leftAt !== null) return html`<p><b>${hasEnded ? anime.hasEnded : anime.hasLeft}</b></p>`;
  const usual = renderUsual(page);
  if (!next) {
    const text = fill(anime.notOut, { n: (newest ?? 0) + 1 });
    return html`<div class="up-next"><p>${text}</p>${usual}</div>`;
  }
  const window = { from: times.hour(next.earliest), to: times.hour(next.latest) };
  const state = next.late ? 'late' : next.unseen ? 'unseen' : 'expected';
  const more = {
    late: [],
    unseen: html`<p class="quiet">${anime.unseen}</p>`,
    expected: html`<p class="countdown live" role="timer"></p>\n<p class="quiet">${fill(anime.window, window)}</p>`,
  }[state];
  return html`<div class="up-next ${state}">
<p>${fill(anime.nextEpisode, { n: next.episode })} <span class="state">${states[state]}</span></p>
<p class="hour">${times.moment(next.expectedAt)}</p>
${next.basis === 'broadcast' ? html`<p class="quiet">${anime.byBroadcast} ${renderAniList(record)}</p>\n` : []}${more}
${usual}</div>`;
}

/** Where the times of broadcasts, the ids and the English title come from. */
function renderAniList({ medium }: AnimeRecord): Html | [] {
  return medium ? html`<a href="https://anilist.co/anime/${medium.id}" rel="noreferrer">AniList</a>` : [];
}

/** When it usually comes, from the times of its episodes; the slot of the schedule only where none is known. */
function renderUsual({ record, texts: { anime, days }, times }: AnimePage): Html | [] {
  const { next, episodes, day, scheduledDay, isQuiet } = record;
  const at = next?.expectedAt ?? usualTime(episodes);
  if (at !== undefined)
    return html`<p class="quiet">${fill(anime.usually, { day: times.weekdayOf(at), hour: times.hour(at) })}</p>`;
  const slot = day === 'None' ? scheduledDay : day;
  if (isQuiet || slot === null || slot === 'None' || slot === 'Random') return [];
  return html`<p class="quiet">${fill(anime.slot, { day: days[slot] })}</p>`;
}

/** What is known, as pairs of a term and a value; what is not known has no row. Folded on a phone. */
function renderFacts(page: AnimePage): Html {
  const { record, texts, times, url } = page;
  const { anime } = texts;
  const { slug, link, leftAt, details } = record;
  const pairs: [term: string, value: Html | string | null | undefined][] = [
    [anime.newest, renderNewest(page)],
    [anime.status, record.hasEnded ? anime.ended : null],
    [anime.left, leftAt === null ? null : times.moment(leftAt)],
    [anime.startedOn, details?.startedOn && times.fullDay(details.startedOn)],
    [anime.japanese, details?.japanese && html`<span lang="ja">${details.japanese}</span>`],
    [anime.english, record.medium?.english],
    [anime.type, details?.type],
    [anime.minutes, details?.minutes ? fill(anime.minutesValue, { n: details.minutes }) : null],
    [anime.score, details?.score ? details.score.toLocaleString(texts.locale) : null],
    [anime.genres, details?.genres.join(', ')],
    [anime.studios, details?.studios.join(', ')],
    [anime.producers, details?.producers.join(', ')],
  ];
  const rows = pairs.flatMap(([term, value]) => (value ? html`<dt>${term}</dt><dd>${value}</dd>\n` : []));
  return html`<details class="fold"><summary><h2>${anime.facts}</h2></summary>
<dl class="facts">\n${rows}</dl>
<p>${renderCalendar(url, `/feeds/schedule.ics?slug=${slug}`, texts)}</p>
<p class="links cluster"><a href="${link}" rel="noreferrer">${fill(anime.source, { host: new URL(link).host })}</a> <a href="/feeds/episodes.atom?slug=${slug}">${anime.feed}</a> ${renderAniList(record)}</p>
</details>`;
}

function renderNewest({ record, newest, texts, times }: AnimePage): Html | null {
  const { anime } = texts;
  const { ongoing, episodes, hasEnded } = record;
  if (newest === undefined) return hasEnded ? null : html`${anime.notListed}`;
  const all = totalOf(record);
  const episode = all ? fill(anime.episodeOf, { n: newest, all }) : fill(texts.episode, { n: newest });
  const date = ongoing ? times.short(ongoing.date) : episodes[0] && renderDate(episodes[0], times);
  return date ? html`${episode} · ${date}` : episode;
}

/** The history; where there is none, the newest episode of the list. What has ended gets no first episode. */
function renderEpisodes({ record, newest, texts, times }: AnimePage): Html | [] {
  const { episodes, unnumbered, ongoing, hasEnded, leftAt } = record;
  const { anime } = texts;
  const renderRow = (name: Html | string, date: Html | string) =>
    html`<li class="cluster ends"><b>${name}</b> <span>${date}</span></li>\n`;
  const rows = episodes.map((release) =>
    renderRow(fill(texts.episode, { n: release.episode }), renderDate(release, times)),
  );
  if (rows.length === 0 && newest !== undefined && ongoing)
    rows.push(renderRow(fill(texts.episode, { n: newest }), times.short(ongoing.date)));
  const newestDay = episodes[0] ? releaseDay(episodes[0]) : '';
  const others = unnumbered.filter(({ date }) => date > newestDay);
  rows.unshift(...others.map((one) => renderRow(anime.noNumber, renderDay(one.at, one.date, times))));
  if (rows.length === 0 && (hasEnded || leftAt !== null)) return [];
  return html`<section aria-labelledby="EpisodesHeading">
<h2 id="EpisodesHeading">${anime.episodes}</h2>
${rows.length > 0 ? html`<ul class="lines">\n${rows}</ul>` : html`<p class="quiet">${anime.noEpisodes}</p>`}
</section>`;
}

/** When an episode came out, as exactly as that is known. */
function renderDate(release: EpisodeRelease, times: PageContext['times']): Html {
  return renderDay(releaseTime(release), release.date ?? '', times);
}

function renderDay(at: number | undefined, date: string, times: PageContext['times']): Html {
  return at === undefined ? html`${times.fullDay(date)}` : times.moment(at);
}

function renderSynopsis({ record: { details }, texts }: AnimePage): Html | [] {
  if (!details?.synopsis) return [];
  const paragraphs = details.synopsis.split('\n\n').map((text) => html`<p>${text}</p>\n`);
  return html`<section aria-labelledby="SynopsisHeading">
<h2 id="SynopsisHeading">${texts.anime.synopsis}</h2>
<div lang="id">${paragraphs}</div>
</section>
`;
}
