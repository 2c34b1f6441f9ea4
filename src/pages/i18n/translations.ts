import type { SourceState } from '../../crawler/source-state.ts';
import type { Day } from '../../domain/listing.ts';
import type { ReleaseState } from '../../domain/release.ts';
import { en } from './en.ts';
import { id } from './id.ts';

/** In the order in which they are offered; the first is the default. */
export const LANGUAGES = ['id', 'en'] as const;
export type Language = (typeof LANGUAGES)[number];

export const TRANSLATIONS: Record<Language, Translations> = { id, en };

/** A text for one and for several; `{n}` stands for the number. */
interface Counted {
  one: string;
  other: string;
}

/** Every text of the listing's pages in one language. `{…}` is replaced by a value where the text is shown. */
export interface Translations {
  language: Language;
  /** For dates and numbers. */
  locale: string;
  /** The name of this language in itself. */
  name: string;

  /** The link past the top of a page. */
  skip: string;
  title: string;
  description: string;
  /** The accessible name of the tabs. */
  parts: string;
  tabs: { today: string; week: string; others: string; mine: string; search: string };

  yesterday: string;
  today: string;
  tomorrow: string;
  week: string;
  others: string;
  othersLead: string;
  nothing: string;
  /** `{n}` episodes of a day that is over. */
  outOf: string;
  states: Record<Exclude<ReleaseState, 'expected'>, string>;
  /** Before a window: `21.50–22.10`. */
  expected: string;
  noHour: string;
  notOut: string;
  days: Record<Day, string>;

  episode: string;
  episodeShort: string;

  filter: string;
  search: string;
  genre: string;
  everyGenre: string;
  onlyNew: string;
  onlyMine: string;
  zone: string;

  mine: string;
  mineEmpty: string;
  mineCalendar: string;
  mineLink: string;

  /** Notifications. `lead` is shown while they are off; `privacy`: what is kept, where, and how to end it. */
  push: { start: string; lead: string; privacy: string };

  /** `{time}`: when the listing last changed. */
  changed: string;
  /** Why the listing is stale, by the state of the source. `{since}`: since when. */
  stale: Record<Exclude<SourceState, 'ok'>, { heading: string; why: string }>;
  /** `{good}`: when the listing was last read from the source. */
  staleCopy: string;

  about: string;
  forDevelopers: string;

  anime: {
    /** `{title}`: for search engines and previews. */
    description: string;
    day: string;
    noDay: string;
    newest: string;
    notListed: string;
    next: string;
    /** Episode `{n}` is not out yet; nothing more is known. */
    notOut: string;
    /** Episode `{n}` is expected at `{time}`. */
    expected: string;
    /** Episode `{n}` was expected at `{time}` and is not out. */
    late: string;
    /** Episode `{n}` of `{all}`. */
    episodeOf: string;
    left: string;
    hasLeft: string;
    hasEnded: string;
    status: string;
    ended: string;
    startedOn: string;
    japanese: string;
    type: string;
    minutes: string;
    /** `{n}` minutes. */
    minutesValue: string;
    score: string;
    genres: string;
    studios: string;
    producers: string;
    synopsis: string;
    episodes: string;
    episodesLead: string;
    noEpisodes: string;
    source: string;
    calendar: string;
    feed: string;
  };

  errors: Record<'missing' | 'wrong' | 'waiting' | 'failing' | 'broken', { heading: string; lead: string }>;
  /** On the page that is shown before the first listing; `{time}`: the time of the next crawl. */
  nextAttempt: string;
  toFront: string;
  again: string;
  error: string;

  /** The texts of the scripts. */
  scripts: {
    /** `{time}`: when the source was last read, `3 minutes ago`. */
    updated: string;
    justNow: string;
    overdue: string;
    episode: string;
    isNew: string;
    news: Counted;
    shown: Counted;
    out: string;
    /** `{n}`: how many of today's releases are out, of `{all}`. */
    outCount: string;
    /** Of an anime that is not listed any more. */
    ended: string;
    left: string;
    unfollow: string;
    none: string;
    outdated: string;
    reload: string;
    followButton: string;
    followed: string;
    follow: string;
    copied: string;
    thisDevice: string;
    /** `{left}`: `2 hours 5 minutes`. */
    countdown: string;
    soon: string;
    import: Counted;
    push: { stop: string; on: string; denied: string; failed: string };
  };
}
