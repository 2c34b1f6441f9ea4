import type { AnimeRecord, Release } from '../domain/anime-record.ts';
import { findBreak } from '../domain/broadcast-break.ts';
import { addDays, localDay } from '../domain/local-day.ts';
import { fill, type Html, html } from './html.ts';
import { type PageContext, renderPicture } from './listing-page.ts';
import { renderRow, type TimelineRow, timeOf } from './rows.ts';

/** What the days are rendered from. */
interface TimelineContext extends PageContext {
  today: string;
  /** The genres of all listed anime, which rows name by their places. */
  genres: readonly string[];
}

type RenderRows = (rows: readonly TimelineRow[]) => Html;

const DAYS_AHEAD = 6;

/** The days that are shown: yesterday, today and six days ahead. */
const datesAround = (today: string) =>
  Array.from({ length: DAYS_AHEAD + 2 }, (_, index) => addDays(today, index - 1));

/** Other ids than these have small letters, as slugs have. */
const idOf = (date: string, today: string) => (date === today ? 'Today' : `Day-${date}`);

/** The names of the days around today, by their dates; other days are named by their weekday. */
const namesAround = ({ texts, today }: TimelineContext): Record<string, string | undefined> => ({
  [addDays(today, -1)]: texts.yesterday,
  [today]: texts.today,
  [addDays(today, 1)]: texts.tomorrow,
});

/** The days as tabs, and what only the script can show: the followed anime. */
export function renderTabs(context: TimelineContext): Html {
  const { texts, times, today } = context;
  const names = namesAround(context);
  const days = datesAround(today).map((date) => {
    const current = date === today ? html` aria-current="true"` : [];
    return html`<a href="#${idOf(date, today)}"${current}>${names[date] ?? times.shortWeekday(date)} <b>${Number(date.slice(8))}</b></a>`;
  });
  return html`<nav class="tabs" aria-label="${texts.daysOfPage}" data-scrolls><a id="MineTab" class="live" href="#Mine">${texts.mine} <b>★</b></a>${days}<a href="#Unknown">${texts.unknown} <b>–</b></a></nav>`;
}

/**
 * Yesterday, today and the six days ahead, then the anime of which nothing comes or came on these days. Every listed anime
 * has a row at least. The script shows a day at a time, a wide window the week.
 */
export function renderTimeline(
  releases: readonly Release[],
  listed: readonly AnimeRecord[],
  context: TimelineContext,
): Html {
  const { texts, today } = context;
  const dates = datesAround(today);
  const shown = releases.filter(({ day }) => dates.includes(day));
  const paused = listPaused(listed, context).filter(({ day }) => dates.includes(day));
  const hasRow = new Set([...shown, ...paused].map(({ record }) => record.slug));
  const others = listed.filter(({ slug }) => !hasRow.has(slug));
  const renderRows = createRowsRenderer(context);
  const [yesterday, ...week] = dates.map((date) => {
    const ofDay = shown.filter(({ day }) => day === date);
    const pausedThen = paused
      .filter(({ day }) => day === date)
      .map(({ record, resumesAt }) => ({ record, resumesAt }));
    const content =
      date === today
        ? renderToday(ofDay, context, renderRows)
        : renderDayRows(date, ofDay, context, renderRows);
    return renderDay(date, html`${content}${renderPaused(pausedThen, context, renderRows)}`, context);
  });
  return html`<div id="Timeline">
${yesterday ?? []}<div id="Week">
${week}</div>
<section id="Unknown" class="day" aria-labelledby="UnknownHeading">
<h2 id="UnknownHeading">${texts.unknown} <span class="quiet">${others.length}</span></h2>
<p class="quiet">${texts.unknownLead}</p>
${renderRows(others.map((record) => ({ record })))}
</section>
</div>`;
}

/** The anime that are on a break, on each day on which an episode would usually have come. */
function listPaused(listed: readonly AnimeRecord[], { times }: PageContext) {
  return listed.flatMap((record) => {
    const found = findBreak(record);
    if (!found) return [];
    const { skipped, resumesAt } = found;
    return skipped.map((at) => ({ record, day: localDay(times.timeZone, at), resumesAt }));
  });
}

function renderPaused(
  rows: readonly TimelineRow[],
  { texts }: PageContext,
  renderRows: RenderRows,
): Html | [] {
  return rows.length === 0 ? [] : renderGroup('', texts.groups.paused, renderRows(rows));
}

/** The releases of another day than today: those with an hour, then those of which only the day is known. */
function renderDayRows(
  date: string,
  releases: readonly Release[],
  context: TimelineContext,
  renderRows: RenderRows,
): Html {
  const { texts, today } = context;
  if (releases.length === 0)
    return html`<p class="quiet">${date > today || isReadAfter(date, context) ? texts.nothing : texts.noWord}</p>`;
  return renderByHour(releases, context, renderRows);
}

/** Where there are both, those whose hour is not known have a heading of their own, which says so once. */
function renderByHour(releases: readonly Release[], context: TimelineContext, renderRows: RenderRows): Html {
  const { texts, times } = context;
  const isTimed = (row: Release) => row.state === 'out' || timeOf(row, times.timeZone) !== null;
  const timed = releases.filter(isTimed);
  const others = releases.filter((row) => !isTimed(row));
  return html`${timed.length > 0 ? renderRows(timed) : []}${others.length > 0 ? renderGroup('untimed', texts.groups.someTime, renderRows(others)) : []}`;
}

function renderGroup(name: string, heading: string, content: Html): Html {
  return html`<h3 class="group ${name}">${heading}</h3>\n${content}\n`;
}

function renderDay(date: string, content: Html, context: TimelineContext): Html {
  const { times, today } = context;
  const name = namesAround(context)[date];
  const [first, second] = name
    ? [name, times.longDate(date)]
    : [times.longWeekday(date), times.shortDate(date)];
  return html`<section id="${idOf(date, today)}" class="day" data-date="${date}"${date === today ? html` data-chosen` : []}>
<h2>${first} <span class="quiet">${second}</span></h2>
${content}
</section>
`;
}

/** Whether the source was read successfully after that day had ended, so that no release of the day can be missing. */
function isReadAfter(date: string, { status: { readAt }, times }: TimelineContext): boolean {
  return readAt !== null && localDay(times.timeZone, readAt) > date;
}

/**
 * Whether the source was read successfully today, and not only before its current trouble: only then is an episode that it did
 * not show not out.
 */
function isReadToday(context: TimelineContext): boolean {
  const { state, since, readAt } = context.status;
  const isReadable = state === 'ok' || (readAt ?? 0) > (since ?? Infinity);
  return isReadable && isReadAfter(addDays(context.today, -1), context);
}

/**
 * What is out, the newest first, and what is unseen; below the line for now what still comes, then in one line what is late,
 * whatever day it was expected on.
 */
function renderToday(releases: readonly Release[], context: TimelineContext, renderRows: RenderRows): Html {
  const { texts, times, today } = context;
  const { groups } = texts;
  const { out = [], expected = [], late = [], unseen = [] } = Object.groupBy(releases, ({ state }) => state);
  const outAt = (row: TimelineRow) => timeOf(row, times.timeZone) ?? 0;
  const newestFirst = out.toSorted((a, b) => outAt(b) - outAt(a));
  const due = late.filter(({ expectedAt }) => localDay(times.timeZone, expectedAt ?? 0) === today);
  const all = out.length + expected.length + due.length;
  const count = fill(texts.scripts.outCount, { n: out.length, all });
  const yesterday = idOf(addDays(today, -1), today);
  const isSeen = isReadToday(context) && unseen.length === 0;
  const none = html`<a href="#${yesterday}">${isSeen ? texts.outYesterday : texts.noWordToday}</a>`;
  const saysNothing = out.length + expected.length + due.length === 0 && isSeen;
  return html`<p id="OutCount" class="quiet" data-all="${all}">${out.length > 0 ? count : none}</p>
${out.length > 0 ? renderGroup('', groups.out, renderRows(newestFirst)) : []}${unseen.length > 0 ? html`<div id="Unseen">${renderGroup('', groups.unseen, renderRows(unseen))}</div>\n` : []}<p id="Now" class="live"><span></span></p>
${saysNothing ? html`<p class="quiet">${texts.nothing}</p>\n` : []}${expected.length > 0 ? renderGroup('', groups.coming, renderByHour(expected, context, renderRows)) : []}${late.length > 0 ? html`<details id="Late"><summary>${groups.late} <span class="quiet">${late.length}</span></summary>\n${renderRows(late)}\n</details>\n` : []}`;
}

/** Renders rows. The first row of an anime has what the search needs, and its slug as its id, for old links. */
function createRowsRenderer(context: TimelineContext): RenderRows {
  const known = new Set<string>();
  function attributesOf({ record: { slug, details, medium } }: TimelineRow): Html | [] {
    if (known.has(slug)) return [];
    known.add(slug);
    const places = details?.genres.map((genre) => context.genres.indexOf(genre)).join(' ');
    const also = [details?.japanese, medium?.english].filter(Boolean).join(' ');
    return html` id="${slug}"${also ? html` data-also="${also}"` : []}${places ? html` data-genres="${places}"` : []}`;
  }
  return (rows) =>
    html`<ul class="rows lines">\n${rows.map((row) => renderRow(row, context, { attributes: attributesOf(row) }))}</ul>`;
}

const MAX_CARDS = 3;

/**
 * What comes next, large: the next releases with a known hour, of today, then of the days after it; where no hour is known,
 * those of today. The script puts the followed anime of today first.
 */
export function renderUpNext(releases: readonly Release[], context: TimelineContext): Html {
  const coming = releases.filter(({ state }) => state === 'expected');
  const timed = coming.filter(({ expectedAt }) => expectedAt !== null);
  const next = timed.length > 0 ? timed : coming.filter(({ day }) => day === context.today);
  const cards = next.slice(0, MAX_CARDS).map((release) => renderCard(release, context));
  if (cards.length === 0) return html`<p class="quiet">${context.texts.nothingNext}</p>`;
  return html`<ol id="Next" class="next">\n${cards}</ol>`;
}

function renderCard(release: Release, context: TimelineContext): Html {
  const { day, record } = release;
  const name = namesAround(context)[day] ?? context.times.shortWeekday(day);
  const glow = renderPicture(record, context, html` class="glow"`);
  return renderRow(release, context, {
    before: day === context.today ? [] : html`<span class="day-name">${name}</span> `,
    glow,
    after: html`<p class="countdown live" role="timer"></p>`,
  });
}
