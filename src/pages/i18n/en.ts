import type { Translations } from './translations.ts';

export const en: Translations = {
  language: 'en',
  locale: 'en-GB',
  name: 'English',

  title: "This week's anime",
  description: 'Which anime airs today and this week in Indonesia, and which episode is out.',
  parts: 'Parts of the page',
  tabs: { today: 'Today', week: 'Week', all: 'All', mine: 'Mine', search: 'Search' },

  today: 'Today',
  todayEmpty: 'No anime is scheduled for today.',
  isOut: 'Out now',
  notOut: 'Not out yet',
  outCount: '{n} of {all} out now',
  out: '{episode}, out now',
  awaited: '{episode}, not out yet',
  last: 'Last {episode}, {date}',
  week: 'This week',
  weekLead: 'From today on, with the episode that comes next. The schedule may change at any time.',
  isToday: 'today',
  nothing: 'Nothing',
  ongoing: 'Everything on air',
  days: {
    Senin: 'Monday',
    Selasa: 'Tuesday',
    Rabu: 'Wednesday',
    Kamis: 'Thursday',
    Jumat: 'Friday',
    Sabtu: 'Saturday',
    Minggu: 'Sunday',
    Random: 'No fixed day',
  },

  episode: 'Episode {n}',
  episodeShort: 'Ep {n}',

  filter: 'Filter the list',
  byTitle: 'Find a title',
  byDay: 'Day',
  everyDay: 'Every day',
  onlyNew: 'Only what is new',
  onlyMine: 'Only my anime',

  mine: 'My anime',
  mineEmpty: 'None yet. Tap ☆ on an anime to follow it; the list is kept in this browser only.',
  mineCalendar: 'Calendar of my anime',
  mineLink: 'Copy a link to this list',

  push: {
    start: 'Tell me',
    lead: 'Get a notification of new episodes of the anime that you follow, also with every tab closed.',
    privacy:
      "For this, this server keeps your browser's notification address with its keys, and the list of anime that you follow (200 at most), without a name and without an account. Stop at any time, here: all of it is deleted at once.",
  },

  updated: 'Updated {time}',
  stale: {
    blocked: {
      heading: 'The source site refuses access',
      why: 'Since {since} the source site has not let us read its data.',
    },
    moved: {
      heading: 'The source site seems to have moved',
      why: "Since {since} there has been another page at the source site's address.",
    },
    changed: {
      heading: 'The source site has changed',
      why: 'Since {since} we have not been able to read the pages of the source site properly.',
    },
    down: {
      heading: 'The source site cannot be reached',
      why: 'Since {since} the source site has not answered.',
    },
  },
  staleCopy: 'What you see is as of {good}; newer episodes may be missing. We keep trying.',

  about:
    'Covers are loaded directly from the source site. Otherwise your browser connects to this site only: no cookies, no trackers.',
  forDevelopers: 'For developers',

  anime: {
    description: 'When {title} airs, and its newest episode.',
    day: 'Airs on',
    noDay: 'No fixed day yet',
    newest: 'Newest episode',
    notListed: 'Not in the list of what is on air yet',
    next: 'Next',
    notOut: 'Episode {n}, not out yet',
    expected: 'Episode {n}, expected {time}',
    left: 'Left the list',
    status: 'Status',
    ended: 'Ended',
    startedOn: 'On air since',
    japanese: 'Japanese title',
    type: 'Type',
    minutes: 'Length',
    minutesValue: '{n} minutes',
    score: 'Score',
    genres: 'Genres',
    studios: 'Studio',
    producers: 'Producers',
    episodeOf: 'Episode {n} of {all}',
    late: 'Episode {n} is late, expected {time}',
    synopsis: 'Story',
    hasEnded: 'This anime has ended.',
    hasLeft: 'This anime is no longer in the lists of the source site.',
    episodes: 'Episode history',
    episodesLead: 'When each episode came out at the source site.',
    noEpisodes: 'None are known yet.',
    source: 'Open at the source site',
    calendar: 'Calendar',
    feed: 'Atom feed',
  },

  errors: {
    missing: { heading: 'Page not found', lead: 'The page that you are looking for does not exist.' },
    wrong: { heading: 'The request cannot be processed', lead: 'Something is wrong with the address.' },
    waiting: {
      heading: 'Just a moment',
      lead: 'The schedule is being fetched for the first time. Please try again in a moment.',
    },
    failing: {
      heading: 'No schedule yet',
      lead: 'The source site could not be read so far. We keep trying.',
    },
    broken: { heading: 'Something went wrong', lead: 'The fault is ours. Please try again in a moment.' },
  },
  nextAttempt: 'The next attempt is on {time}.',
  toFront: 'To the front page',
  again: 'Try again',
  error: 'Error {n}',

  scripts: {
    updated: 'Updated {time}',
    justNow: 'just now',
    overdue: 'The update is late: last {time}',
    episode: 'Episode {n}',
    isNew: 'New',
    news: {
      one: '{n} new episode',
      other: '{n} new episodes',
    },
    shown: { one: '{n} anime', other: '{n} anime' },
    none: 'Nothing matches. Try another word or another day.',
    outdated: 'There is newer data.',
    reload: 'Reload',
    followButton: 'Follow',
    followed: 'Following',
    follow: 'Follow {title}',
    copied: 'Link copied',
    import: { one: 'Follow {n} anime of this link', other: 'Follow {n} anime of this link' },
    push: {
      stop: 'Stop telling me',
      on: 'You will be told as soon as an anime that you follow has a new episode.',
      denied:
        'Your browser blocks notifications of this site. Allow them in the settings of the site, then reload the page.',
      failed: 'That did not work. Please try again in a moment.',
    },
  },
};
