import type { DaySchedule } from '../domain/listing.ts';
import { DAY_MS } from '../domain/units.ts';
import { animePath, type CardContext, episodeOf, isOutToday } from './anime-card.ts';
import type { OngoingBySlug } from './front-page.ts';
import { type Html, html } from './html.ts';

/** A day of the schedule, and its date (`2026-11-20`); null for anime without a fixed day. */
interface DatedDay extends DaySchedule {
  date: string | null;
}

/** Eight groups: the seven days from today on, then the anime without a fixed day. */
export function renderWeek(
  schedule: readonly DaySchedule[],
  bySlug: OngoingBySlug,
  context: CardContext,
): Html {
  const { texts } = context;
  const days = datedDays(schedule, context);
  return html`<section id="Week" aria-labelledby="WeekHeading">
<h2 id="WeekHeading">${texts.week}</h2>
<p class="quiet">${texts.weekLead}</p>
<div class="week">
${days.map((day) => renderDay(day, bySlug, context))}</div>
</section>`;
}

function datedDays(schedule: readonly DaySchedule[], { today }: CardContext): DatedDay[] {
  const week = schedule.filter(({ day }) => day !== 'Random');
  const first = week.findIndex(({ day }) => day === today.day);
  const fromToday = [...week.slice(first), ...week.slice(0, first)];
  const without = schedule.filter(({ day }) => day === 'Random');
  return [
    ...fromToday.map((group, index) => ({ ...group, date: addDays(today.date, index) })),
    ...without.map((group) => ({ ...group, date: null })),
  ];
}

function addDays(date: string, days: number): string {
  return new Date(Date.parse(date) + days * DAY_MS).toISOString().slice(0, 10);
}

function renderDay(
  { day, date, animeList }: DatedDay,
  bySlug: OngoingBySlug,
  { texts, times, today }: CardContext,
): Html {
  const isToday = date === today.date;
  const entries = animeList.map(({ title, slug }) => {
    const anime = bySlug.get(slug);
    const isOut = isToday && isOutToday(anime, today);
    const episode = anime ? episodeOf(anime.episode + (isOut ? 0 : 1), texts) : undefined;
    const mark = isOut ? html` <i>${texts.isOut}</i>` : [];
    return html`<li><a href="${animePath(slug, texts.language)}">${title}</a>${episode ? html` <span>${episode}${mark}</span>` : []}</li>\n`;
  });
  const when = date ? html` <span>${isToday ? texts.isToday : times.dayMonth(date)}</span>` : [];
  return html`<section class="card${isToday ? ' today' : ''}">
<h3>${texts.days[day]}${when}</h3>
${entries.length > 0 ? html`<ul>\n${entries}</ul>` : html`<p class="quiet">${texts.nothing}</p>`}
</section>
`;
}
