import { DAYS, type Day, type OngoingDay } from '../domain/listing.ts';
import { MONTHS, type Month, type ShortDate } from '../domain/source-date.ts';
import { cleanText } from '../domain/text.ts';
import SPELLINGS from './vocabulary.json' with { type: 'json' };

/**
 * Parses the days, dates and episodes of the source, in the spellings that its editors use or might use. Each parser
 * returns undefined for anything else and never guesses.
 */

const EPISODE = /^(?:episode|eps?)\b[\s.:]*(\d{1,5})$/u;
/** The last episode of a season is marked, and the word "Episode" may be missing. */
const LAST_EPISODE = /^(?:(?:episode|eps?)\b[\s.:]*)?(\d{1,5})[\s.:–—-]*[([]?\s?(?:end|tamat)\s?[)\]]?$/u;

/** The years in which anime were made. */
const MIN_YEAR = 1917;
const MAX_YEAR = 2100;

/** The names of days and months, each by its spellings of `vocabulary.json`. */
const DAY_OF = invert<OngoingDay>(SPELLINGS.days);
const MONTH_OF = invert<Month>(SPELLINGS.months);
const MAX_MONTH: Partial<Record<Month, number>> = { Feb: 29, Apr: 30, Jun: 30, Sep: 30, Nov: 30 };

/** `Jum'at` → `Jumat`, `Sunday` → `Minggu`. */
export function parseOngoingDay(text: string): OngoingDay | undefined {
  return DAY_OF.get(fold(text).replace(/['’‘`´ʼ]/gu, ''));
}

/** As `parseOngoingDay`, for the schedule, which has no `None`. */
export function parseDay(text: string): Day | undefined {
  const day = parseOngoingDay(text);
  return DAYS.find((known) => known === day);
}

/** `06 Des`, `6 December`, `06-Des-2026` → `6 Des`. A year is ignored. */
export function parseDate(text: string): ShortDate | undefined {
  const match = /^(\d{1,2})[\s./-]*([a-z]+)\.?(?:[\s,./-]+\d{4})?$/u.exec(fold(text));
  const month = match?.[2] && MONTH_OF.get(match[2]);
  const day = Number(match?.[1]);
  if (!month || day < 1 || day > (MAX_MONTH[month] ?? 31)) return undefined;
  return `${day} ${month}`;
}

/** `11 Februari,2026`, `Jan 08, 2026`, `2026-01-08` → `2026-01-08`. A day that the month does not have is undefined. */
export function parseFullDate(text: string): string | undefined {
  const folded = fold(text);
  const [, dayFirst, monthAfter] = /^(\d{1,2})[\s./-]*([a-z]+)\.?[\s,./-]*\d{4}$/u.exec(folded) ?? [];
  const [, monthBefore, dayAfter] = /^([a-z]+)\.?[\s./-]*(\d{1,2})[\s,./-]+\d{4}$/u.exec(folded) ?? [];
  const month = MONTH_OF.get(monthAfter ?? monthBefore ?? '');
  const numbers = /^(\d{4})-(\d\d)-(\d\d)$/u.exec(folded)?.slice(1).map(Number);
  const [year = 0, monthNumber = 0, day = 0] = numbers ?? [
    Number(folded.slice(-4)),
    month === undefined ? 0 : MONTHS.indexOf(month) + 1,
    Number(dayFirst ?? dayAfter),
  ];
  const date = new Date(Date.UTC(year, monthNumber - 1, day));
  const isReal = date.getUTCMonth() === monthNumber - 1 && date.getUTCDate() === day;
  return isReal && year >= MIN_YEAR && year <= MAX_YEAR ? date.toISOString().slice(0, 10) : undefined;
}

/** `Episode 18`, `Eps. 18`, `18 (END)` → 18. A count such as `12 Episode` is undefined. */
export function parseEpisode(text: string): number | undefined {
  const match = EPISODE.exec(fold(text)) ?? LAST_EPISODE.exec(fold(text));
  return match ? Number(match[1]) : undefined;
}

/** Whether a label that `parseEpisode` reads marks the last episode. */
export function isLastEpisode(text: string): boolean {
  return !EPISODE.test(fold(text));
}

function fold(text: string): string {
  return cleanText(text.normalize('NFC')).toLowerCase();
}

function invert<Name extends string>(spellings: Record<Name, string>): Map<string, Name> {
  const names = Object.entries<string>(spellings) as [Name, string][];
  return new Map(names.flatMap(([name, words]) => words.split(' ').map((word) => [word, name] as const)));
}
