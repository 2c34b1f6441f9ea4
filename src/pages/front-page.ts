import type { AnimeRecord, Release } from '../domain/anime-record.ts';
import { listingChangedAt, type Snapshot } from '../domain/snapshot.ts';
import { fill, type Html, html } from './html.ts';
import type { Translations } from './i18n/translations.ts';
import {
  type PageContext,
  renderCalendar,
  renderChannelsLink,
  renderListingPage,
  renderPush,
  renderTrouble,
  renderZone,
} from './listing-page.ts';
import { renderTabs, renderTimeline, renderUpNext } from './timeline.ts';

export interface FrontPage {
  snapshot: Snapshot;
  /** The listed anime. */
  records: readonly AnimeRecord[];
  releases: readonly Release[];
  today: string;
}

/** The front page: what comes next, then what came out and comes, a day at a time. Complete without JavaScript. */
export function renderFrontPage(context: PageContext, page: FrontPage): string {
  const { texts, times } = context;
  const { snapshot, records, releases, today } = page;
  const changed = listingChangedAt(snapshot);
  const genres = [...new Set(records.flatMap(({ details }) => details?.genres ?? []))].sort();
  const timeline = { ...context, today, genres };
  const hasCalendar = records.some(({ medium }) => medium);
  return renderListingPage(context, {
    title: texts.title,
    path: '/',
    description: texts.description,
    beforePaint: 'before-paint.js',
    styles: ['front.css', 'up-next.css', 'days.css'],
    modules: ['front-page.js', 'share.js'],
    controls: html`<button id="Search" class="plain live" type="button" aria-controls="Filter" aria-expanded="false">${texts.search}</button>`,
    data: { changed: new Date(changed).toISOString(), date: today },
    body: html`${renderTrouble(context)}${renderFilter(genres, texts)}<section id="Unwatched" class="live" aria-labelledby="UnwatchedHeading">
<h2 id="UnwatchedHeading">${texts.unwatched} <span class="quiet"></span></h2>
<ul class="strip" tabindex="0" aria-labelledby="UnwatchedHeading" data-scrolls></ul>
</section>
<div class="top"><h1>${texts.upNext}</h1> ${renderZone(context, changed)}
<p id="Status" class="quiet" role="status"><span id="Updated">${fill(texts.changed, { time: times.short(changed) })}</span></p> <p class="quiet">${texts.estimate}</p></div>
${renderUpNext(releases, timeline)}
${renderTabs(timeline)}
${renderMine(context, hasCalendar)}
${renderTimeline(releases, records, timeline)}
${renderChannelsLink(context)}${hasCalendar ? html`<p class="quiet">${texts.broadcasts} <a href="https://anilist.co" rel="noreferrer">AniList</a></p>` : []}`,
  });
}

/** The followed anime, which only the browser knows, and how to be told of their episodes. */
function renderMine(context: PageContext, hasCalendar: boolean): Html {
  const { texts, url } = context;
  return html`<section id="Mine" class="day live" aria-labelledby="MineHeading">
<h2 id="MineHeading">${texts.mine} <span class="quiet"></span></h2>
<p class="quiet">${texts.mineEmpty}</p>
<ul class="rows lines"></ul>
<p><button class="link" id="MineLink" type="button" data-copy="" data-done="${texts.mineCopied}" hidden>${texts.mineLink}</button></p>
${hasCalendar ? renderTakeOver(texts) : []}<div id="Offer" class="card"><p><b>${texts.offer}</b></p>
${renderPush(context)}<p>${renderCalendar(url, '/feeds/schedule.ics', texts)}</p></div>
</section>`;
}

/** Takes over the list of another site: its ids come from the calendar of broadcasts. */
function renderTakeOver({ takeOver }: Translations): Html {
  return html`<details id="TakeOver" data-texts="${JSON.stringify(takeOver.scripts)}"><summary>${takeOver.open}</summary>
<p class="quiet">${takeOver.lead}</p>
<p><label class="file"><span class="button plain" aria-hidden="true">${takeOver.choose}</span><input type="file" accept=".xml,.gz,.json,application/json,text/xml" aria-label="${takeOver.choose}"></label></p>
<div role="status"></div>
</details>
`;
}

/** Behind one control, which needs the script. */
function renderFilter(genres: readonly string[], texts: Translations): Html {
  const options = genres.map((genre, place) => html`<option value="${place}">${genre}</option>`);
  return html`<form id="Filter" class="cluster" role="search" aria-label="${texts.filter}" hidden>
<input id="Query" type="search" aria-label="${texts.find}" placeholder="${texts.find}" autocomplete="off" spellcheck="false">
<select id="Genre" aria-label="${texts.genre}"><option value="">${texts.everyGenre}</option>${options}</select>
<label class="check"><input id="OnlyMine" type="checkbox" disabled>${texts.mine}</label>
</form>
<p id="Count" class="quiet live" role="status"></p>
`;
}
