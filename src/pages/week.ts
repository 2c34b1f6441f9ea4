import type { SourceState } from '../crawler/source-state.ts';
import { changedAt, DAYS, type DaySchedule, type OngoingAnime, type Snapshot } from '../domain/listing.ts';
import type { LocalDay } from '../domain/local-day.ts';
import { renderPoster, renderRow, type Shown } from './anime.ts';
import { type Html, html } from './html.ts';
import { fill } from './i18n/all.ts';
import type { Translations } from './i18n/translations.ts';
import { renderLayout } from './layout.ts';
import { createTimes } from './times.ts';
import { renderLanguages, renderSocial } from './week-head.ts';

/** Why the listing is not of now; times in ms since 1970. */
export interface Trouble {
  state: Exclude<SourceState, 'ok'>;
  since: number;
  /** The last good crawl. */
  good: number;
}

export interface WeekPage {
  snapshot: Snapshot;
  today: LocalDay;
  timeZone: string;
  trouble: Trouble | undefined;
  /** Public origin; null while it is not known, and then nothing is said that needs it. */
  url: string | null;
  /** The origins that covers are shown from: the policy of the page allows no others. */
  coverOrigins: readonly string[];
}

/** The front page: today, the week, and all that is on air. Complete without JavaScript. */
export function renderWeekPage(page: WeekPage, words: Translations): string {
  const { snapshot, today, timeZone, trouble, url, coverOrigins } = page;
  const shown = { words, times: createTimes(words.locale, timeZone), today, coverOrigins };
  const bySlug = new Map(snapshot.ongoing.map((anime) => [anime.slug, anime]));
  const changed = changedAt(snapshot);
  return renderLayout({
    title: words.title,
    language: words.language,
    style: 'week.css',
    script: 'week.js',
    isListed: true,
    nav: renderLanguages(words),
    head: renderSocial(words, url),
    body: html`<div id="Page" data-words="${JSON.stringify(words.live)}" data-changed="${new Date(changed).toISOString()}" data-date="${today.date}" data-time-zone="${timeZone}">
${trouble ? renderTrouble(trouble, shown) : []}${renderToday(snapshot, bySlug, shown, changed)}
${renderWeek(snapshot.schedule, bySlug, shown)}
${renderOngoing(snapshot.ongoing, shown)}
<footer class="quiet">
<p>${words.about}</p>
<p>${words.forPrograms}: ${FOR_PROGRAMS.map(([path, name], index) => html`${index > 0 ? ' · ' : ''}<a href="${path}">${name}</a>`)}</p>
</footer>
</div>`,
  });
}

/** What else there is of the same listing. */
const FOR_PROGRAMS = [
  ['/docs', 'API'],
  ['/feeds/episodes.atom', 'Atom'],
  ['/feeds/schedule.ics', 'iCalendar'],
  ['/readyz', 'Status'],
] as const;

function renderTrouble({ state, since, good }: Trouble, { words, times }: Shown): Html {
  const { heading, why } = words.stale[state];
  return html`<section class="card trouble" aria-labelledby="Trouble">
<h2 id="Trouble">${heading}</h2>
<p>${fill(why, { since: times.moment(since) })} ${fill(words.staleCopy, { good: times.moment(good) })}</p>
</section>
`;
}

type BySlug = ReadonlyMap<string, OngoingAnime>;

function renderToday({ schedule }: Snapshot, bySlug: BySlug, shown: Shown, changed: number): Html {
  const { words, times, today } = shown;
  const entries = schedule.find(({ day }) => day === today.day)?.animeList ?? [];
  const posters = entries.map((entry) => renderPoster(entry, bySlug.get(entry.slug), shown));
  return html`<section id="Today" aria-labelledby="TodayIs">
<h1 id="TodayIs"><span>${words.today}</span> ${times.day(today.date)}</h1>
<p class="quiet fresh">${fill(words.changed, { time: times.moment(changed) })}<span id="Checked" class="live"></span></p>
<p id="News" class="live" role="status"></p>
${posters.length > 0 ? html`<ul class="posters">\n${posters}</ul>` : html`<p class="lead">${words.todayEmpty}</p>`}
</section>`;
}

/** Eight groups: the seven days from today on, then what has none. */
function renderWeek(schedule: readonly DaySchedule[], bySlug: BySlug, { words, today }: Shown): Html {
  const week = schedule.filter(({ day }) => day !== 'Random');
  const first = week.findIndex(({ day }) => day === today.day);
  const without = schedule.filter(({ day }) => day === 'Random');
  const groups = [...week.slice(first), ...week.slice(0, first), ...without];
  return html`<section id="Week" aria-labelledby="WeekIs">
<h2 id="WeekIs">${words.week}</h2>
<p class="quiet">${words.weekLead}</p>
<div class="week">
${groups.map((group) => renderDay(group, bySlug, words, group.day === today.day))}</div>
</section>`;
}

function renderDay(
  { day, animeList }: DaySchedule,
  bySlug: BySlug,
  words: Translations,
  isToday: boolean,
): Html {
  const entries = animeList.map(({ title, slug }) => {
    const anime = bySlug.get(slug);
    if (!anime) return html`<li>${title}</li>\n`;
    return html`<li><a href="#${slug}">${title}</a> <span>${fill(words.episodeShort, { n: anime.episode })}</span></li>\n`;
  });
  return html`<section class="card${isToday ? ' today' : ''}">
<h3>${words.days[day]}${isToday ? html` <span>${words.isToday}</span>` : []}</h3>
${entries.length > 0 ? html`<ul>\n${entries}</ul>` : html`<p class="quiet">${words.nothing}</p>`}
</section>
`;
}

/** The list, and a filter, which the script sets going: until then nobody can use it. */
function renderOngoing(ongoing: readonly OngoingAnime[], shown: Shown): Html {
  const { words } = shown;
  const days = DAYS.map((day) => html`<option value="${day}">${words.days[day]}</option>`);
  return html`<section id="Ongoing" aria-labelledby="OngoingIs">
<h2 id="OngoingIs">${words.ongoing} <span>${ongoing.length}</span></h2>
<form id="Filter" class="live" role="search" aria-label="${words.filter}"><fieldset disabled>
<label><span>${words.byTitle}</span><input id="Title" type="search" autocomplete="off" spellcheck="false"></label>
<label><span>${words.byDay}</span><select id="Day"><option value="">${words.everyDay}</option>${days}</select></label>
<label class="check"><input id="OnlyNew" type="checkbox" disabled>${words.onlyNew}</label>
</fieldset></form>
<p id="Count" class="quiet live" role="status"></p>
<ul class="rows">
${ongoing.map((anime) => renderRow(anime, shown))}</ul>
</section>`;
}
