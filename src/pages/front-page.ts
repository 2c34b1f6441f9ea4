import type { AnimeRecord, Release } from '../domain/anime-record.ts';
import { listingChangedAt, type Snapshot } from '../domain/listing.ts';
import type { LocalDay } from '../domain/local-day.ts';
import { fill, type Html, html } from './html.ts';
import type { Language, Translations } from './i18n/translations.ts';
import { type PageContext, renderListingPage, renderPush, renderTrouble } from './listing-page.ts';
import { renderTimeline } from './timeline.ts';

export interface FrontPage {
  snapshot: Snapshot;
  /** The listed anime. */
  records: readonly AnimeRecord[];
  releases: readonly Release[];
  today: LocalDay;
}

/** The front page: what came out and comes, day by day, then all else that is on air. Complete without JavaScript. */
export function renderFrontPage(context: PageContext, page: FrontPage): string {
  const { texts, times } = context;
  const { snapshot, records, releases, today } = page;
  const changed = listingChangedAt(snapshot);
  const genres = [...new Set(records.flatMap(({ details }) => details?.genres ?? []))].sort();
  return renderListingPage(context, {
    title: texts.title,
    path: '/',
    description: texts.description,
    beforePaint: 'before-paint.js',
    modules: ['front-page.js'],
    tabs: renderTabs(texts),
    body: html`<div id="Page" data-texts="${JSON.stringify(texts.scripts)}" data-changed="${new Date(changed).toISOString()}" data-date="${today.date}" data-time-zone="${times.timeZone}">
${renderTrouble(context)}<h1>${texts.title}</h1>
<p id="Status" class="quiet" role="status"><span id="Updated">${fill(texts.changed, { time: times.moment(changed) })}</span><span id="News"></span></p>
${renderMine(texts)}
${renderFilter(genres, times.timeZone, texts)}
${renderTimeline(releases, records, { ...context, today, genres })}
${renderPush(context)}<footer class="quiet">
<p>${texts.about}</p>
<p>${texts.forDevelopers}: ${renderFormats(texts.language)}</p>
</footer>
</div>`,
  });
}

/** The parts of the front page. The search and the own anime need the script, so their tabs do, too. */
function renderTabs({ parts, tabs }: Translations): Html {
  return html`<nav class="tabs" aria-label="${parts}"><a href="#Today">${tabs.today}</a><a href="#Week">${tabs.week}</a><a href="#Others">${tabs.others}</a><a class="live" href="#Mine">${tabs.mine}</a><a class="live" href="#Filter" id="Search">${tabs.search}</a></nav>\n`;
}

/** Links to the listing in other formats. */
function renderFormats(language: Language): Html {
  const formats = [
    [`/docs?lang=${language}`, 'API'],
    ['/feeds/episodes.atom', 'Atom'],
    ['/feeds/schedule.ics', 'iCalendar'],
    ['/readyz', 'Status'],
  ] as const;
  const links = formats.map(
    ([path, name], index) => html`${index > 0 ? ' · ' : ''}<a href="${path}">${name}</a>`,
  );
  return html`${links}`;
}

/** The followed anime, which only the browser knows: they have their space before the script shows them in it. */
function renderMine(texts: Translations): Html {
  return html`<section id="Mine" class="live" aria-labelledby="MineHeading">
<h2 id="MineHeading">${texts.mine} <span></span></h2>
<p id="MineTools"><a class="link" id="MineCalendar" href="/feeds/schedule.ics">${texts.mineCalendar}</a> <button class="link" id="MineLink" type="button">${texts.mineLink}</button></p>
<ul class="rows" data-scrolls></ul>
<p id="MineEmpty" class="quiet">${texts.mineEmpty}</p>
</section>`;
}

/** It is disabled until the script runs. */
function renderFilter(genres: readonly string[], timeZone: string, texts: Translations): Html {
  const options = genres.map((genre, place) => html`<option value="${place}">${genre}</option>`);
  return html`<form id="Filter" class="live" role="search" aria-label="${texts.filter}"><fieldset disabled>
<input id="Query" type="search" aria-label="${texts.search}" placeholder="${texts.search}" autocomplete="off" spellcheck="false">
<select id="Genre" aria-label="${texts.genre}"><option value="">${texts.everyGenre}</option>${options}</select>
<label class="check"><input id="OnlyNew" type="checkbox" disabled>${texts.onlyNew}</label>
<label class="check"><input id="OnlyMine" type="checkbox" disabled>${texts.onlyMine}</label>
<select id="Zone" aria-label="${texts.zone}"><option value="${timeZone}">${timeZone}</option></select>
</fieldset></form>
<p id="Count" class="quiet live" role="status"></p>`;
}
