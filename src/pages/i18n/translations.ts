import type { SourceState } from '../../crawler/source-state.ts';
import type { Day } from '../../domain/listing.ts';

/** In the order in which they are offered: whoever names neither gets the first. */
export const LANGUAGES = ['id', 'en'] as const;
export type Language = (typeof LANGUAGES)[number];

/** How many there are, in words: `{n}` stands for the number. */
export interface Counted {
  one: string;
  other: string;
}

/** Everything that the pages of the listing say, in one language. `{…}` is filled in where it is shown. */
export interface Translations {
  language: Language;
  /** For dates and numbers. */
  locale: string;
  /** The name of this language in itself. */
  name: string;

  title: string;
  description: string;
  skip: string;
  /** Of the way around the page. */
  parts: string;

  today: string;
  todayEmpty: string;
  isOut: string;
  isExpected: string;
  week: string;
  weekLead: string;
  isToday: string;
  nothing: string;
  ongoing: string;
  days: Record<Day, string>;

  episode: string;
  episodeShort: string;

  filter: string;
  byTitle: string;
  byDay: string;
  everyDay: string;
  onlyNew: string;

  changed: string;
  /** `{date}`: since when; `{good}`: of when the copy is. Why, in words a viewer understands. */
  stale: Record<Exclude<SourceState, 'ok'>, { heading: string; why: string }>;
  staleCopy: string;

  about: string;
  forPrograms: string;

  errors: Record<'missing' | 'wrong' | 'waiting' | 'failing' | 'broken', { heading: string; lead: string }>;
  toFront: string;
  again: string;
  error: string;

  /** What the script says. */
  live: {
    /** `{time}`: `3 minutes ago`. */
    checked: string;
    justNow: string;
    overdue: string;
    isNew: string;
    news: Counted;
    noNews: string;
    firstVisit: string;
    shown: Counted;
    none: string;
    outdated: string;
    reload: string;
  };
}
