import type { Lateness } from '../domain/anime-record.ts';
import { sourceDate } from '../domain/source-date.ts';
import { DAY_MS, MINUTE_MS, WEEK_MS } from '../domain/units.ts';
import type { FlatStatus, SourceDay } from '../store/source-status.ts';
import { formatDuration } from './formats.ts';
import { fill, type Html, html } from './html.ts';
import type { Translations } from './i18n/translations.ts';
import { renderLayout } from './layout.ts';
import { animePath, type PageContext, renderFooter } from './listing-page.ts';

/** Times in ms since 1970. */
export interface StatusPage {
  source: Pick<
    FlatStatus,
    'state' | 'since' | 'reason' | 'readAt' | 'unchangedSince' | 'standsStill' | 'pending' | 'days'
  >;
  nextAttempt: number | null;
  /** When the list last changed; null before the first. */
  changedAt: number | null;
  lateness: readonly Lateness[];
  now: number;
}

type Context = Pick<PageContext, 'texts' | 'times'>;

/** For people what /readyz is for programs: the source now, on the last 90 days, and how soon its releases are seen. */
export function renderStatusPage(page: StatusPage, context: Context): string {
  const { texts } = context;
  return renderLayout({
    title: texts.status.title,
    language: texts.language,
    styles: ['listing.css', 'status.css'],
    isListed: true,
    footer: renderFooter(texts),
    body: html`${renderNow(page, context)}
${renderCard('Days', texts.status.days, renderDays(page, context))}
${renderCard('Lateness', texts.status.lateness, renderLateness(page, context))}`,
  });
}

function renderNow({ source, nextAttempt, changedAt }: StatusPage, { texts, times }: Context): Html {
  const { status } = texts;
  const { state, since, reason, readAt, unchangedSince, standsStill, pending } = source;
  const trouble = state === null || state === 'ok' ? undefined : texts.stale[state];
  const renderLine = (text: string, ms: number | null | undefined) => {
    if (ms == null) return [];
    const time = times.moment(ms);
    return html`<p>${fill(text, { time, since: time })}</p>\n`;
  };
  const machine = pending?.reason ?? reason;
  return html`<section class="now ${state ?? 'starting'}">
<h1>${trouble?.heading ?? (state === 'ok' ? status.ok : status.starting)}</h1>
${trouble ? renderLine(trouble.why, since) : []}${renderLine(status.read, readAt)}${standsStill ? renderLine(status.unchanged, unchangedSince) : []}${renderLine(status.next, nextAttempt)}${renderLine(status.changed, changedAt)}${renderLine(status.pending, pending?.since)}${machine ? html`<details><summary>${texts.details}</summary><code lang="en">${machine}</code></details>\n` : []}</section>`;
}

function renderDays({ source: { days }, now }: StatusPage, { texts, times }: Context): Html {
  const { status, locale } = texts;
  const watched = days.reduce((sum, day) => sum + watchedMs(day), 0);
  if (watched === 0) return html`<p class="quiet">${status.noDays}</p>`;
  const share = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 });
  const ok = days.reduce((sum, day) => sum + (day.ms.ok ?? 0), 0);
  const n = days.filter(({ ms }) => Object.keys(ms).some((state) => state !== 'ok')).length;
  const rows = days.toReversed().map((day) => {
    const states = Object.entries(day.ms).map(
      ([state, ms]) =>
        html`${status.states[state as keyof typeof status.states]} ${formatDuration(ms, locale)} `,
    );
    return renderRow(html`${times.fullDate(day.date)}`, html`${states}`);
  });
  return html`<p>${fill(n === 0 ? status.daysOk : status.daysText, { share: share.format(ok / watched), n })}</p>
${drawDays(days, now)}
${renderRows(rows, texts)}`;
}

const watchedMs = ({ ms }: SourceDay) => Object.values(ms).reduce((sum, one) => sum + one, 0);

function renderLateness(page: StatusPage, context: Context): Html {
  const { lateness } = page;
  const { texts, times } = context;
  const { status, locale, language } = texts;
  if (lateness.length === 0) return html`<p class="quiet">${status.noLateness}</p>`;
  const sorted = lateness.map(({ lateMs }) => lateMs).sort((a, b) => a - b);
  const [median, max] = [sorted[Math.floor(sorted.length / 2)] ?? 0, sorted.at(-1) ?? 0];
  const values = { median: formatDuration(median, locale), max: formatDuration(max, locale) };
  const rows = lateness.map(({ slug, title, episode, releasedAt, lateMs }) =>
    renderRow(
      html`<a href="${animePath(slug, language)}">${title}</a> ${fill(texts.episodeShort, { n: episode })}`,
      fill(status.seen, { time: times.moment(releasedAt), duration: formatDuration(lateMs, locale) }),
    ),
  );
  return html`<p>${fill(status.latenessText, { n: lateness.length, ...values })}</p>
${drawLateness(page, context)}
${renderRows(rows, texts)}`;
}

function renderCard(id: string, heading: string, content: Html): Html {
  return html`<section class="card" aria-labelledby="${id}">
<h2 id="${id}">${heading}</h2>
${content}
</section>`;
}

const renderRow = (name: Html, value: Html) =>
  html`<li class="cluster ends"><span>${name}</span> <span>${value}</span></li>\n`;

/** The same as a drawing shows, folded. */
function renderRows(rows: readonly Html[], { status }: Translations): Html {
  return html`<details><summary>${status.list}</summary>\n<ul class="lines">\n${rows}</ul>\n</details>`;
}

/** Drawings in SVG, whose colours are those of the style. Each has the same in words beside it, so it is hidden from readers. */

const DAYS = 90;
const DAY_WIDTH = 10;
const STRIP_HEIGHT = 64;
/** A short trouble is seen as well. */
const MIN_SHARE = 0.12;

/** A bar for each day: from above how long there was trouble; a day that nobody watched is a low one. */
function drawDays(days: readonly SourceDay[], now: number): Html {
  const byDate = new Map(days.map((day) => [day.date, day]));
  const bars = Array.from({ length: DAYS }, (_, index) => {
    const x = index * DAY_WIDTH + 1;
    const day = byDate.get(sourceDate(now - (DAYS - 1 - index) * DAY_MS));
    if (!day) return bar(x, STRIP_HEIGHT - 6, 6, 'unknown');
    const share = 1 - (day.ms.ok ?? 0) / watchedMs(day);
    const bad = share === 0 ? 0 : Math.round(STRIP_HEIGHT * Math.max(MIN_SHARE, share));
    return html`${bad < STRIP_HEIGHT ? bar(x, bad, STRIP_HEIGHT - bad, 'good') : []}${bad > 0 ? bar(x, 0, bad, 'bad') : []}`;
  });
  return html`<svg class="strip" viewBox="0 0 ${DAYS * DAY_WIDTH} ${STRIP_HEIGHT}" preserveAspectRatio="none" aria-hidden="true">${bars}</svg>`;
}

function bar(x: number, y: number, height: number, name: string): Html {
  return html`<rect class="${name}" x="${x}" y="${y}" width="${DAY_WIDTH - 2}" height="${height}" rx="2"/>`;
}

const [WIDTH, HEIGHT, LEFT, BOTTOM] = [340, 150, 58, 18];
const GUIDES = [1, 5, 15, 60];
const MAX_MINUTES = 90;

/** A dot for each release of the last seven days: from left to right when, from below how long until it was seen. */
function drawLateness({ lateness, now }: StatusPage, { texts, times }: Context): Html {
  const top = HEIGHT - BOTTOM;
  const yOf = (minutes: number) =>
    round(top - ((top - 8) * Math.log1p(Math.min(minutes, MAX_MINUTES))) / Math.log1p(MAX_MINUTES));
  const xOf = (at: number) => round(LEFT + (WIDTH - LEFT - 6) * (1 - (now - at) / WEEK_MS));
  const guides = GUIDES.map(
    (minutes) =>
      html`<path d="M${LEFT} ${yOf(minutes)}H${WIDTH}"/><text x="${LEFT - 6}" y="${yOf(minutes) + 3}" text-anchor="end">${formatDuration(minutes * MINUTE_MS, texts.locale, 'short')}</text>`,
  );
  const days = Array.from({ length: 7 }, (_, index) => now - (6.5 - index) * DAY_MS).map(
    (at) =>
      html`<text x="${xOf(at)}" y="${HEIGHT - 4}" text-anchor="middle">${times.shortWeekdayAt(at)}</text>`,
  );
  const dots = lateness.map(
    ({ releasedAt, lateMs }) =>
      html`<circle cx="${xOf(releasedAt)}" cy="${yOf(lateMs / MINUTE_MS)}" r="3.5" fill-opacity="0.75"/>`,
  );
  return html`<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" font-size="9" aria-hidden="true">${guides}<path d="M${LEFT} ${top}H${WIDTH}"/>${days}${dots}</svg>`;
}

const round = (value: number) => Math.round(value * 10) / 10;
