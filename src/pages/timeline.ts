import type { AnimeRecord, Release, ReleaseState } from '../domain/anime-record.ts';
import { addDays, type LocalDay, localDay } from '../domain/local-day.ts';
import { fill, type Html, html } from './html.ts';
import type { Translations } from './i18n/translations.ts';
import { animePath, type PageContext, renderCover } from './listing-page.ts';

/** What the rows of the timeline are rendered from. */
interface TimelineContext extends PageContext {
  today: LocalDay;
  /** The genres of all listed anime, which rows name by their places. */
  genres: readonly string[];
}

/** A row: a release, or an anime of which nothing is out or expected on the days that are shown. */
type Row = Pick<Release, 'record'> & Partial<Release>;

/** On a day, what is out comes first, then what is late. */
const ORDER: Record<ReleaseState, number> = { out: 0, late: 1, expected: 2 };
const DAYS_AHEAD = 6;

/** Yesterday, today, tomorrow, the rest of the week, then the other listed anime. Every listed anime has a row at least. */
export function renderTimeline(
  releases: readonly Release[],
  listed: readonly AnimeRecord[],
  context: TimelineContext,
): Html {
  const { texts, today } = context;
  const dates = Array.from({ length: DAYS_AHEAD + 2 }, (_, index) => addDays(today.date, index - 1));
  const shown = releases.filter(({ day }) => dates.includes(day));
  const hasRow = new Set(shown.map(({ record }) => record.slug));
  const others = listed.filter(({ slug }) => !hasRow.has(slug));
  const renderRows = createRowsRenderer(context);
  const days = dates.map((date, index) => {
    const ofDay = shown.filter(({ day }) => day === date);
    const day = { date, releases: ofDay.toSorted((a, b) => ORDER[a.state] - ORDER[b.state]) };
    return index === 0 ? renderYesterday(day, context, renderRows) : renderDay(day, context, renderRows);
  });
  return html`<div id="Timeline">
<div class="days">
${days.slice(0, 3)}</div>
<section id="Week" aria-labelledby="WeekHeading">
<h2 id="WeekHeading">${texts.week}</h2>
<div class="days">
${days.slice(3)}</div>
</section>
${renderOthers(others, texts, renderRows)}
</div>`;
}

interface Day {
  date: string;
  releases: readonly Release[];
}

type RenderRows = (rows: readonly Row[]) => Html;

/** Folded on a phone, where today is the first to be seen; a wide window shows it open. */
function renderYesterday(
  { date, releases }: Day,
  { texts, times }: TimelineContext,
  renderRows: RenderRows,
): Html {
  const count = fill(texts.outOf, { n: releases.filter(({ state }) => state === 'out').length });
  return html`<details id="Yesterday" class="day" data-date="${date}">
<summary><h2>${texts.yesterday} <span>${times.day(date)} · ${count}</span></h2></summary>
${renderRows(releases)}
</details>
`;
}

function renderDay(
  { date, releases }: Day,
  { texts, times, today }: TimelineContext,
  renderRows: RenderRows,
): Html {
  const isToday = date === today.date;
  const out = releases.filter(({ state }) => state === 'out').length;
  const count = fill(texts.scripts.outCount, { n: out, all: releases.length });
  const name = isToday ? texts.today : date === addDays(today.date, 1) ? texts.tomorrow : undefined;
  const heading = name
    ? html`<h2>${name} <span>${times.day(date)}</span></h2>`
    : html`<h3>${times.day(date)}</h3>`;
  return html`<section${isToday ? html` id="Today"` : []} class="day" data-date="${date}">
${heading}
${isToday && releases.length > 0 ? html`<p id="OutCount">${count}</p>\n` : []}${renderRows(releases)}
</section>
`;
}

function renderOthers(others: readonly AnimeRecord[], texts: Translations, renderRows: RenderRows): Html {
  return html`<section id="Others" class="day" aria-labelledby="OthersHeading">
<h2 id="OthersHeading">${texts.others} <span>${others.length}</span></h2>
<p class="quiet">${texts.othersLead}</p>
${renderRows(others.map((record) => ({ record })))}
</section>`;
}

/**
 * Renders rows. The first row of an anime has what the search needs, and its slug as its id, for old links; other ids have
 * capitals, so none collides.
 */
function createRowsRenderer(context: TimelineContext): RenderRows {
  const { texts, genres } = context;
  const known = new Set<string>();
  function renderRow(row: Row): Html {
    const { title, slug, ongoing, details } = row.record;
    const isFirst = !known.has(slug);
    known.add(slug);
    const places = details?.genres.map((genre) => genres.indexOf(genre)).join(' ');
    const search = isFirst
      ? html` id="${slug}"${details?.japanese ? html` data-ja="${details.japanese}"` : []}${places ? html` data-genres="${places}"` : []}`
      : [];
    const episode = ongoing ? html` data-episode="${ongoing.episode}"` : [];
    return html`<li${search} data-slug="${slug}"${episode} class="${row.state ?? 'other'}"><b class="hour">${renderHour(row, context)}</b>${renderCover({ title, image: ongoing?.image }, context)}<div><a class="title" href="${animePath(slug, texts.language)}">${title}</a><p>${renderState(row, context)}</p></div></li>
`;
  }

  return (rows) =>
    rows.length > 0
      ? html`<ul class="rows">\n${rows.map(renderRow)}</ul>`
      : html`<p class="quiet">${texts.nothing}</p>`;
}

/** The hour, with the day of the week where it is not of the day that the row is in; without a day, the last date. */
function renderHour(row: Row, { times }: TimelineContext): Html | string {
  const { record, releasedAt, expectedAt, day } = row;
  if (!day) return record.ongoing ? times.short(record.ongoing.date) : '';
  const at = releasedAt ?? expectedAt ?? seenAt(row, times.timeZone);
  if (at == null) return '';
  return localDay(times.timeZone, at).date === day ? times.hour(at) : times.dayHour(at);
}

/** When a crawl or a peek saw a release, if that was on its day: until its own time is known, and where it never is. */
function seenAt({ record, episode, day, state }: Row, timeZone: string): number | undefined {
  const at = record.episodes.find((one) => state === 'out' && one.episode === episode)?.seenAt;
  return at !== undefined && localDay(timeZone, at).date === day ? at : undefined;
}

function renderState({ record, episode, state, expectedAt }: Row, { texts, times }: TimelineContext): Html {
  const { ongoing, next, details } = record;
  if (!state) return renderLast(record, texts);
  const all = state === 'out' && details?.totalEpisodes ? `/${details.totalEpisodes}` : '';
  const name = episode == null ? [] : html`<b>${fill(texts.episodeShort, { n: `${episode}${all}` })}</b> · `;
  if (state !== 'expected') return html`${name}<span>${texts.states[state]}</span>`;
  if (expectedAt == null || !next) return html`${name}<span>${ongoing ? texts.noHour : texts.notOut}</span>`;
  const window = html`${times.hour(next.earliest)}–${times.hour(next.latest)}`;
  return html`${name}<span class="window"><i>${texts.expected} </i>${window}</span>`;
}

/** Its newest episode, and the day of the week that the schedule has. */
function renderLast({ ongoing, scheduledDay }: AnimeRecord, texts: Translations): Html {
  const slot = scheduledDay && scheduledDay !== 'None' ? texts.days[scheduledDay] : null;
  if (!ongoing) return html`<span>${slot ?? texts.notOut}</span>`;
  const episode = html`<b>${fill(texts.episodeShort, { n: ongoing.episode })}</b>`;
  return slot ? html`${episode} · <span>${slot}</span>` : episode;
}
