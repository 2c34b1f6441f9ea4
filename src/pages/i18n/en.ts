import type { Translations } from './translations.ts';

export const en: Translations = {
  language: 'en',
  locale: 'en-GB',
  name: 'English',

  title: "This week's anime",
  description: 'Which anime airs today and this week in Indonesia, and which episode is out.',
  skip: 'Skip to the content',
  parts: 'Parts of the page',

  today: 'Today',
  todayEmpty: 'No anime is scheduled for today.',
  isOut: 'Out now',
  isExpected: 'Expected',
  week: 'This week',
  weekLead: 'Beginning with today. The schedule may change at any time.',
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

  changed: 'Data changed {time}',
  stale: {
    blocked: {
      heading: 'The source is turning us away',
      why: 'Since {since} the source site has not let us read its data.',
    },
    moved: {
      heading: 'The source seems to have moved',
      why: "Since {since} there has been another page at the source site's address.",
    },
    changed: {
      heading: 'The source has changed its form',
      why: 'Since {since} we have not been able to read the pages of the source site properly.',
    },
    down: {
      heading: 'The source cannot be reached',
      why: 'Since {since} the source site has not answered.',
    },
  },
  staleCopy: 'What you see is as of {good}; newer episodes may be missing. We keep trying.',

  about:
    'Covers come straight from the source site. Apart from them your browser talks to this site alone: no cookies, no trackers.',
  forPrograms: 'For programs',

  errors: {
    missing: { heading: 'Nothing here', lead: 'The page that you are looking for does not exist.' },
    wrong: { heading: 'That cannot be answered', lead: 'Something is wrong with the address.' },
    waiting: {
      heading: 'Just a moment',
      lead: 'The schedule is being fetched for the first time. Try again in a moment.',
    },
    failing: {
      heading: 'No schedule yet',
      lead: 'The source site could not be read so far. It is tried again by itself; come back a little later.',
    },
    broken: { heading: 'Something went wrong', lead: 'It is our fault. Try again in a moment.' },
  },
  toFront: 'To the front page',
  again: 'Try again',
  error: 'Error {n}',

  live: {
    checked: 'checked {time}',
    justNow: 'just now',
    overdue: 'The update is late: the source was last checked {time}.',
    isNew: 'New',
    news: {
      one: '{n} new episode since your visit {time}',
      other: '{n} new episodes since your visit {time}',
    },
    noNews: 'Nothing new since your visit {time}',
    firstVisit: 'On your next visit, new episodes will be marked.',
    shown: { one: '{n} anime', other: '{n} anime' },
    none: 'Nothing matches. Try another word or another day.',
    outdated: 'There is newer data.',
    reload: 'Reload',
  },
};
