import { bySlug, changedAt, DAYS, type OngoingAnime, type Snapshot } from '../domain/listing.ts';
import type { LocalDay } from '../domain/local-day.ts';
import { type CardContext, isOutToday, renderPoster, renderRow } from './anime-card.ts';
import { fill, type Html, html } from './html.ts';
import type { Language, Translations } from './i18n/translations.ts';
import { renderLanguages, renderLayout } from './layout.ts';
import { renderMetaTags } from './meta-tags.ts';
import { renderPush } from './push.ts';
import { createTimes } from './times.ts';
import { renderTrouble, type Trouble } from './trouble.ts';
import { renderWeek } from './week.ts';

export interface FrontPage {
  snapshot: Snapshot;
  today: LocalDay;
  timeZone: string;
  trouble: Trouble | undefined;
  /** Public origin; null while it is not known, and then the page has no absolute address. */
  url: string | null;
  /** The origins that covers are shown from: the policy of the page allows no others. */
  coverOrigins: readonly string[];
  /** Whether Web Push is switched on. */
  hasPush?: boolean | undefined;
}

export type OngoingBySlug = ReadonlyMap<string, OngoingAnime>;

/** The front page: today, the week, and all that is on air. Complete without JavaScript. */
export function renderFrontPage(page: FrontPage, texts: Translations): string {
  const { snapshot, today, timeZone, trouble, url, coverOrigins } = page;
  const context = { texts, times: createTimes(texts.locale, timeZone), today, coverOrigins };
  const ongoing = bySlug(snapshot.ongoing);
  const changed = changedAt(snapshot);
  return renderLayout({
    title: texts.title,
    language: texts.language,
    style: 'listing.css',
    modules: ['language.js', 'my-anime.js', 'front-page.js', ...(page.hasPush ? ['push.js'] : [])],
    isListed: true,
    nav: renderLanguages(texts.language, '/'),
    tabs: renderTabs(texts),
    head: renderMetaTags(texts, { url, path: '/', title: texts.title, description: texts.description }),
    body: html`<div id="Page" data-texts="${JSON.stringify(texts.scripts)}" data-changed="${new Date(changed).toISOString()}" data-date="${today.date}" data-time-zone="${timeZone}">
${renderTrouble(trouble, context)}${renderToday(snapshot, ongoing, context, changed)}
${renderMine(texts, page.hasPush)}
${renderWeek(snapshot.schedule, ongoing, context)}
${renderOngoing(snapshot.ongoing, context)}
<footer class="quiet">
<p>${texts.about}</p>
<p>${texts.forDevelopers}: ${renderFormats(texts.language)}</p>
</footer>
</div>`,
  });
}

/** The parts of the front page. The search and the own anime need the script, so their tabs do, too. */
function renderTabs({ parts, tabs }: Translations): Html {
  return html`<nav class="tabs" aria-label="${parts}"><a href="#Today">${tabs.today}</a><a href="#Week">${tabs.week}</a><a href="#Ongoing">${tabs.all}</a><a class="live" href="#Mine">${tabs.mine}</a><a class="live" href="#Filter" id="Search">${tabs.search}</a></nav>\n`;
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

/** What is out comes first. The script replaces the status line by how fresh the listing is now. */
function renderToday(
  { schedule }: Snapshot,
  bySlug: OngoingBySlug,
  context: CardContext,
  changed: number,
): Html {
  const { texts, times, today } = context;
  const entries = schedule.find(({ day }) => day === today.day)?.animeList ?? [];
  const isOut = ({ slug }: { slug: string }) => isOutToday(bySlug.get(slug), today);
  const out = entries.filter(isOut);
  const awaited = entries.filter((entry) => !isOut(entry));
  const posters = [...out, ...awaited].map((entry) => renderPoster(entry, bySlug.get(entry.slug), context));
  const count = fill(texts.outCount, { n: out.length, all: entries.length });
  return html`<section id="Today" aria-labelledby="TodayHeading">
<h1 id="TodayHeading"><span>${texts.today}</span> ${times.day(today.date)}</h1>
<p id="Status" class="quiet" role="status"><span id="Updated">${fill(texts.updated, { time: times.moment(changed) })}</span><span id="News"></span></p>
${
  posters.length > 0
    ? html`<p id="OutCount">${count}</p>
<ul class="posters">\n${posters}</ul>`
    : html`<p class="lead">${texts.todayEmpty}</p>`
}
</section>`;
}

/** The followed anime, which only the browser knows: the script fills this section and moves it to the top. */
function renderMine(texts: Translations, hasPush: boolean | undefined): Html {
  return html`<section id="Mine" class="live" aria-labelledby="MineHeading">
<h2 id="MineHeading">${texts.mine} <span></span></h2>
<p id="MineEmpty" class="quiet">${texts.mineEmpty}</p>
<ul class="rows"></ul>
<p id="MineTools" hidden><a class="button plain" id="MineCalendar" href="/feeds/schedule.ics">${texts.mineCalendar}</a> <button class="plain" id="MineLink" type="button">${texts.mineLink}</button></p>
${hasPush ? renderPush(texts) : []}</section>`;
}

/** The list, and a filter, which is disabled until the script runs. */
function renderOngoing(ongoing: readonly OngoingAnime[], context: CardContext): Html {
  const { texts } = context;
  const days = DAYS.map((day) => html`<option value="${day}">${texts.days[day]}</option>`);
  return html`<section id="Ongoing" aria-labelledby="OngoingHeading">
<h2 id="OngoingHeading">${texts.ongoing} <span>${ongoing.length}</span></h2>
<form id="Filter" class="live" role="search" aria-label="${texts.filter}"><fieldset disabled>
<label><span>${texts.byTitle}</span><input id="Title" type="search" autocomplete="off" spellcheck="false"></label>
<label><span>${texts.byDay}</span><select id="Day"><option value="">${texts.everyDay}</option>${days}</select></label>
<label class="check"><input id="OnlyNew" type="checkbox" disabled>${texts.onlyNew}</label>
<label class="check"><input id="OnlyMine" type="checkbox" disabled>${texts.onlyMine}</label>
</fieldset></form>
<p id="Count" class="quiet live" role="status"></p>
<ul class="rows">
${ongoing.map((anime) => renderRow(anime, context))}</ul>
</section>`;
}
