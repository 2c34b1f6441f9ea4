import { type AnimeRecord, type Release, totalOf } from '../domain/anime-record.ts';
import { addDays, localDay } from '../domain/local-day.ts';
import { fill, type Html, html } from './html.ts';
import { animePath, type PageContext, renderCover, renderPicture } from './listing-page.ts';

/** What the days are rendered from. */
interface TimelineContext extends PageContext {
  today: string;
  /** The genres of all listed anime, which rows name by their places. */
  genres: readonly string[];
}

type RenderRows = (rows: readonly Row[], empty?: EmptyText) => Html;

/** The text of a day without releases. */
type EmptyText = 'nothing' | 'noWord';

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
    return html`<a href="#${idOf(date, today)}"${current}>${names[date] ?? times.weekday(date)} <b>${Number(date.slice(8))}</b></a>`;
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
  const hasRow = new Set(shown.map(({ record }) => record.slug));
  const others = listed.filter(({ slug }) => !hasRow.has(slug));
  const renderRows = createRowsRenderer(context);
  const [yesterday, ...week] = dates.map((date) => {
    const ofDay = shown.filter(({ day }) => day === date);
    const content =
      date === today
        ? renderToday(ofDay, context, renderRows)
        : renderRows(ofDay, date > today || isReadAfter(date, context) ? 'nothing' : 'noWord');
    return renderDay(date, content, context);
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

function renderDay(date: string, content: Html, context: TimelineContext): Html {
  const { times, today } = context;
  const [weekday, rest] = times.column(date);
  const name = namesAround(context)[date];
  const [first, second] = name ? [name, `${weekday}, ${rest}`] : [weekday, rest];
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
 * What is out, the newest first, then what is expected, then what is unseen, then in one line what is late, whatever day it
 * was expected on.
 */
function renderToday(releases: readonly Release[], context: TimelineContext, renderRows: RenderRows): Html {
  const { texts, times, today } = context;
  const { out = [], expected = [], late = [], unseen = [] } = Object.groupBy(releases, ({ state }) => state);
  const outAt = (row: Row) => timeOf(row, times.timeZone) ?? 0;
  const newestFirst = out.toSorted((a, b) => outAt(b) - outAt(a));
  const due = late.filter(({ expectedAt }) => localDay(times.timeZone, expectedAt ?? 0) === today);
  const all = out.length + expected.length + due.length;
  const count = fill(texts.scripts.outCount, { n: out.length, all });
  const yesterday = idOf(addDays(today, -1), today);
  const isSeen = isReadToday(context) && unseen.length === 0;
  const none = html`<a href="#${yesterday}">${isSeen ? texts.outYesterday : texts.noWordToday}</a>`;
  const rows = [...newestFirst, ...expected];
  const saysNothing = rows.length === 0 && (!isSeen || due.length > 0);
  return html`<p id="OutCount" class="quiet" data-all="${all}">${out.length > 0 ? count : none}</p>
${saysNothing ? [] : renderRows(rows)}
${unseen.length > 0 ? html`<details id="Unseen" open><summary>${fill(texts.unseenCount, { n: unseen.length })}</summary>\n${renderRows(unseen)}\n</details>\n` : []}${late.length > 0 ? html`<details id="Late"><summary>${fill(texts.lateCount, { n: late.length })}</summary>\n${renderRows(late)}\n</details>\n` : []}`;
}

/** Renders rows. The first row of an anime has what the search needs, and its slug as its id, for old links. */
function createRowsRenderer(context: TimelineContext): RenderRows {
  const known = new Set<string>();
  function attributesOf({ record: { slug, details, medium } }: Row): Html | [] {
    if (known.has(slug)) return [];
    known.add(slug);
    const places = details?.genres.map((genre) => context.genres.indexOf(genre)).join(' ');
    const also = [details?.japanese, medium?.english].filter(Boolean).join(' ');
    return html` id="${slug}"${also ? html` data-also="${also}"` : []}${places ? html` data-genres="${places}"` : []}`;
  }
  return (rows, empty = 'nothing') =>
    rows.length === 0
      ? html`<p class="quiet">${context.texts[empty]}</p>`
      : html`<ul class="rows lines">\n${rows.map((row) => renderRow(row, context, { attributes: attributesOf(row) }))}</ul>`;
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
  const name = namesAround(context)[day] ?? context.times.weekday(day);
  const glow = renderPicture(record, context, html` class="glow"`);
  return renderRow(release, context, {
    before: day === context.today ? [] : html`<span class="day-name">${name}</span> `,
    glow,
    after: html`<p class="countdown live" role="timer"></p>`,
  });
}

/** A row: a release, or an anime of which nothing is out or expected on the days that are shown. */
type Row = Pick<Release, 'record'> & Partial<Release>;

/** What a row has beside: attributes, its picture again, something before its hour and after its number. */
type RowParts = Partial<Record<'attributes' | 'glow' | 'before' | 'after', Html | []>>;

/** The item of a release in a list: cover, hour, state, title and number. */
function renderRow(
  row: Row,
  context: PageContext,
  { attributes = [], glow = [], before = [], after = [] }: RowParts,
): Html {
  const { title, slug, ongoing } = row.record;
  const episode = ongoing ? html` data-episode="${ongoing.episode}"` : [];
  return html`<li${attributes} data-slug="${slug}"${episode} class="${row.state ?? 'other'}">${renderCover(row.record, context)}${glow}<div class="about"><p class="when">${before}${renderHour(row, context)} <span class="state">${stateOf(row, context)}</span></p><a class="title short" href="${animePath(slug, context.texts.language)}">${title}</a><p class="episode">${renderEpisode(row, context)}</p>${after}</div></li>
`;
}

/** The hour, with the day of the week where it is not of the day that the row is in; without a day, the last date. */
function renderHour(row: Row, { times, texts }: PageContext): Html | [] {
  const { record, day } = row;
  if (!day) return record.ongoing ? html`<b class="hour">${times.short(record.ongoing.date)}</b>` : [];
  const at = timeOf(row, times.timeZone);
  if (at === null) return row.state === 'out' ? [] : html`<b class="hour">${texts.someTime}</b>`;
  const isOfDay = localDay(times.timeZone, at) === day;
  return html`<b class="hour">${isOfDay ? times.hour(at) : times.dayHour(at)}</b>`;
}

/**
 * When it came or comes, ms since 1970; null where only the day is known. Until the own time of a release is known, and
 * where it never is, that is when a crawl or a peek saw it, if that was on its day.
 */
function timeOf({ record, episode, day, state, releasedAt, expectedAt }: Row, timeZone: string) {
  const known = releasedAt ?? expectedAt;
  if (known != null) return known;
  if (state !== 'out') return null;
  const at =
    episode === null
      ? record.unnumbered.find(({ date }) => date === day)?.at
      : record.episodes.find((one) => one.episode === episode)?.seenAt;
  return at !== undefined && localDay(timeZone, at) === day ? at : null;
}

/** An estimate is always marked as one. */
function stateOf({ record, state }: Row, { texts }: PageContext): string {
  if (state) return texts.states[state];
  const slot = record.scheduledDay;
  return slot && slot !== 'None' ? texts.days[slot] : '';
}

/** `Ep 9`; of a release that is out, with the total where it is known: `Ep 9/12`. */
function renderEpisode({ record, episode, state }: Row, { texts }: PageContext): Html | [] {
  const n = state ? episode : record.ongoing?.episode;
  if (n == null) return html`${state === 'out' ? texts.noNumber : texts.notOut}`;
  const total = state === 'out' ? totalOf(record) : null;
  const all = total === null ? '' : `/${total}`;
  return fill(texts.episodeShort, { n: `${n}${all}` });
}
