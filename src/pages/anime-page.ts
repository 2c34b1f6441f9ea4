import { type AnimeRecord, totalOf } from '../domain/anime-record.ts';
import { type BroadcastBreak, findBreak } from '../domain/broadcast-break.ts';
import { type EpisodeRelease, releaseDay, releaseTime, usualTime } from '../domain/episode-history.ts';
import { describeAnime, structureAnime } from './anime-preview.ts';
import { fill, type Html, html } from './html.ts';
import { type Icon, renderIcon } from './icons.ts';
import {
  calendarAddress,
  type PageContext,
  renderChannelsLink,
  renderCover,
  renderListingPage,
  renderPicture,
  renderPushNote,
  renderTrouble,
} from './listing-page.ts';
import { newestOut } from './rows.ts';

interface AnimePage extends PageContext {
  record: AnimeRecord;
}

/** A longer title is set smaller. */
const LONG_TITLE = 60;

/** All that is known of one anime. It does not depend on the day: it changes with the anime and with trouble only. */
export function renderAnimePage(context: PageContext, record: AnimeRecord): string {
  const { title, slug, details, image, cover } = record;
  const page = { ...context, record };
  return renderListingPage(context, {
    title,
    path: `/anime/${slug}`,
    description: describeAnime(context, record),
    ...(image && { picture: { address: image, size: cover?.large } }),
    structuredData: structureAnime(context, record),
    data: {
      slug,
      episode: `${newestOut(record)}`,
      ...(details?.totalEpisodes && { total: `${details.totalEpisodes}` }),
    },
    styles: ['anime.css'],
    modules: ['anime.js', 'share.js'],
    body: html`${renderTrouble(context)}<article class="anime">
${renderPicture(record, context, html` class="glow"`)}${renderCover(record, context)}
<div class="about">
<h1${title.length > LONG_TITLE ? html` class="long"` : []}>${title}</h1>
${renderLine(page)}${renderProgress(page)}</div>
${renderNext(page)}
${renderActions(page)}
</article>
${record.hasEnded || !context.hasPush ? [] : html`<div id="Push" class="live">${renderPushNote(context.texts.push)}</div>\n`}${record.hasEnded ? [] : renderChannelsLink(context, slug)}<div class="parts">
${renderEpisodes(page)}
${renderSynopsis(page)}${renderFacts(page)}
</div>`,
  });
}

/** Score, studio, type, length and genres, side by side. */
function renderLine({ record: { details }, texts }: AnimePage): Html | [] {
  if (!details) return [];
  const { anime, locale } = texts;
  const facts = [
    details.score && html`★ ${details.score.toLocaleString(locale)}`,
    details.type,
    details.minutes && fill(anime.minutesValue, { n: details.minutes }),
    details.studios.join(', '),
  ].flatMap((fact) => (fact ? [fact] : []));
  const genres = details.genres.map((genre) => html`<li class="badge">${genre}</li> `);
  return html`<p class="line">${facts.map((fact) => html`<span>${fact}</span> `)}</p>
<ul class="chips cluster" aria-label="${anime.genres}">${genres}</ul>
`;
}

/** How many episodes are out, of how many where that is known. */
function renderProgress({ record, texts: { anime } }: AnimePage): Html | [] {
  const n = newestOut(record);
  const all = totalOf(record);
  if (n === 0) return [];
  if (all === null) return html`<p id="Progress" class="progress">${fill(anime.outSoFar, { n })}</p>\n`;
  return html`<p id="Progress" class="progress"><progress max="${all}" value="${n}" aria-label="${fill(anime.progress, { n, all })}"></progress> <span>${fill(anime.progress, { n, all })}</span></p>\n`;
}

/** What comes next, or that nothing does. */
function renderNext(page: AnimePage): Html {
  const { record, texts, times } = page;
  const { anime } = texts;
  const { next, leftAt, hasEnded } = record;
  if (hasEnded || leftAt !== null)
    return html`<p class="up-next"><b>${hasEnded ? anime.hasEnded : anime.hasLeft}</b></p>`;
  if (!next)
    return html`<div class="up-next"><p><b>${fill(anime.next, { n: newestOut(record) + 1 })}</b></p>${renderSlot(page)}</div>`;
  const { expectedAt, earliest, latest } = next;
  const at = { day: times.date(expectedAt), hour: times.clock(expectedAt), zone: times.zone(expectedAt) };
  const found = findBreak(record);
  const phrases = {
    late: fill(anime.nextLate, at),
    unseen: fill(anime.nextUnseen, at),
    paused: fill(anime.pausedUntil, at),
    expected: fill(anime.nextExpected, { ...at, from: times.clock(earliest), to: times.clock(latest) }),
  };
  const state = next.late ? 'late' : next.unseen ? 'unseen' : found ? 'paused' : 'expected';
  const badge =
    next.episode === 1 ? texts.badges.first : next.episode === totalOf(record) ? texts.badges.last : null;
  return html`<div class="up-next ${state}">
<p><b>${fill(anime.next, { n: next.episode })}</b>${badge === null ? [] : html` <span class="badge">${badge}</span>`}</p>
${next.late || next.unseen ? [] : html`<p class="countdown live" role="timer" data-at="${new Date(expectedAt).toISOString()}"></p>\n`}<p class="hour">${phrases[state]}</p>
${found ? renderBreak(found, page) : renderUsual(page)}${next.basis === 'broadcast' ? html`<p class="quiet">${anime.byBroadcast} ${renderAniList(record)}</p>` : []}</div>`;
}

function renderBreak({ skipped }: BroadcastBreak, { texts: { anime }, times }: AnimePage): Html {
  const [first = 0] = skipped;
  return html`<p class="state">${fill(anime.paused, { skipped: times.date(first) })}</p>\n`;
}

/** Where the times of broadcasts, the ids and the English title come from. */
function renderAniList({ medium }: AnimeRecord): Html | [] {
  return medium ? html`<a href="https://anilist.co/anime/${medium.id}" rel="noreferrer">AniList</a>` : [];
}

/** When it usually comes, from the times of its episodes, where the next one comes at another time. */
function renderUsual({ record: { episodes, next }, texts: { anime }, times }: AnimePage): Html | [] {
  const at = usualTime(episodes) ?? next?.expectedAt;
  if (at === undefined) return [];
  return html`<p class="quiet">${fill(anime.usually, { day: times.weekday(at), hour: times.clock(at) })}</p>\n`;
}

/** The usual time of an anime whose next episode has none; else the slot of the schedule. */
function renderSlot(page: AnimePage): Html | [] {
  const { record, texts } = page;
  const { episodes, day, scheduledDay, isQuiet } = record;
  if (usualTime(episodes) !== undefined) return renderUsual(page);
  const slot = day === 'None' ? scheduledDay : day;
  if (isQuiet || slot === null || slot === 'None' || slot === 'Random')
    return html`<p class="hour">${texts.anime.nextUnknown}</p>`;
  return html`<p class="hour">${fill(texts.anime.nextSlot, { day: texts.days[slot] })}</p>`;
}

/** Follow, notifications, calendar and share, side by side. What needs the script has its place before it runs. */
function renderActions({ record: { slug, title, hasEnded }, texts, url, hasPush }: AnimePage): Html {
  const { anime } = texts;
  const address = `${url}/anime/${slug}?lang=${texts.language}`;
  const renderLabel = (icon: Icon, name: string) => html`${renderIcon(icon)}<span>${name}</span>`;
  const remind =
    hasPush && !hasEnded
      ? html`<button id="PushButton" class="action live" type="button" aria-pressed="false" disabled>${renderLabel('bell', anime.remind)}</button>\n`
      : [];
  return html`<div class="actions">
<button id="Follow" class="action live" type="button" aria-pressed="false">${renderLabel('star', anime.follow)}</button>
${remind}<a class="action" href="${calendarAddress(url, `/feeds/schedule.ics?slug=${slug}`)}">${renderLabel('calendar', anime.calendar)}</a>
<button class="action live" type="button" data-share="${address}" data-title="${fill(anime.shareText, { title })}" data-done="${texts.mineCopied}">${renderLabel('share', anime.share)}</button>
</div>`;
}

/** What is known, as pairs of a term and a value; what is not known has no row. Folded on a phone. */
function renderFacts({ record, texts, times }: AnimePage): Html {
  const { anime, calendar } = texts;
  const { slug, link, leftAt, details } = record;
  const pairs: [term: string, value: Html | string | null | undefined][] = [
    [anime.status, record.hasEnded ? anime.ended : null],
    [anime.left, leftAt === null ? null : times.moment(leftAt)],
    [anime.startedOn, details?.startedOn && times.fullDate(details.startedOn)],
    [anime.japanese, details?.japanese && html`<span lang="ja">${details.japanese}</span>`],
    [anime.english, record.medium?.english],
    [anime.studios, details?.studios.join(', ')],
    [anime.producers, details?.producers.join(', ')],
  ];
  const rows = pairs.flatMap(([term, value]) => (value ? html`<dt>${term}</dt><dd>${value}</dd>\n` : []));
  return html`<details class="fold"><summary><h2>${anime.facts}</h2></summary>
<dl class="facts">\n${rows}</dl>
<p class="links cluster"><a href="${link}" rel="noreferrer">${fill(anime.source, { host: new URL(link).host })}</a> <a href="/feeds/schedule.ics?slug=${slug}" download>${calendar.file}</a> <a href="/feeds/episodes.atom?slug=${slug}">${anime.feed}</a> ${renderAniList(record)}</p>
</details>`;
}

/** The history; where there is none, the newest episode of the list. What has ended gets no first episode. */
function renderEpisodes({ record, texts, times }: AnimePage): Html | [] {
  const { episodes, unnumbered, ongoing, hasEnded, leftAt } = record;
  const { anime } = texts;
  const renderLine = (name: Html | string, date: Html | string, episode?: number) =>
    html`<li class="cluster ends"${episode === undefined ? [] : html` data-episode="${episode}"`}><b>${name}</b> <span>${date}</span></li>\n`;
  const rows = episodes.map((release) => {
    const { episode } = release;
    return renderLine(fill(texts.episode, { n: episode }), renderDate(release, times), episode);
  });
  if (rows.length === 0 && ongoing)
    rows.push(
      renderLine(
        fill(texts.episode, { n: ongoing.episode }),
        times.sourceDate(ongoing.date),
        ongoing.episode,
      ),
    );
  const newestDay = episodes[0] ? releaseDay(episodes[0]) : '';
  const others = unnumbered.filter(({ date }) => date > newestDay);
  rows.unshift(...others.map((one) => renderLine(anime.noNumber, renderDay(one.at, one.date, times))));
  if (rows.length === 0 && (hasEnded || leftAt !== null)) return [];
  return html`<section id="Episodes" aria-labelledby="EpisodesHeading">
<h2 id="EpisodesHeading">${anime.episodes}</h2>
${rows.length > 0 ? html`<ul class="lines">\n${rows}</ul>` : html`<p class="quiet">${anime.noEpisodes}</p>`}
</section>`;
}

/** When an episode came out, as exactly as that is known. */
function renderDate(release: EpisodeRelease, times: PageContext['times']): Html {
  return renderDay(releaseTime(release), release.date ?? '', times);
}

function renderDay(at: number | undefined, date: string, times: PageContext['times']): Html {
  return at === undefined ? html`${times.longDate(date)}` : times.short(at);
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
