/**
 * The locations of the fields on the pages. When the markup of the site changes, `npm run doctor` prints the lines to
 * change here. They are CSS; `@attribute` after one names the attribute with the value.
 */
export const ONGOING_SELECTORS = {
  list: '.venz',
  /** A card, in the list. The selectors from `title` on are used in the card. */
  card: 'li',
  title: '.jdlflm',
  episode: '.epz',
  day: '.epztipe',
  date: '.newnime',
  image: '.thumbz img',
};

export const SCHEDULE_SELECTORS = {
  list: '.kgjdwl321',
  /** An entry, in the list. The headings of the days are found by their text. */
  card: 'li',
  /** Used in the entry. */
  title: 'a',
};

/** If a selector matches nothing, the labels and the rows are found by their text. */
export const ANIME_SELECTORS = {
  title: '.jdlrx h1',
  /** A line of the facts: `Judul: …`. */
  fact: '.infozingle p',
  synopsis: '.sinopc p',
  image: '.fotoanime img',
  /** A block of links, and its heading: only the one of single episodes is read. */
  block: '.episodelist',
  heading: '.monktit',
  row: 'li',
  /** Used in the row. */
  date: '.zeebr',
};

export type OngoingSelectors = typeof ONGOING_SELECTORS;
export type ScheduleSelectors = typeof SCHEDULE_SELECTORS;
