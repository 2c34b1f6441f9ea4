/**
 * Where the pages say what. When the markup of the site changes, `npm run doctor` prints the lines to change here. A
 * selector is of the kind that `parseSelector` describes; `@attribute` after it names the attribute with the value.
 */
export const ONGOING_SELECTORS = {
  list: '.venz',
  /** In the list; each of the others, down to the cover, in the card. */
  card: 'li',
  link: '.thumb a',
  title: '.jdlflm',
  episode: '.epz',
  day: '.epztipe',
  date: '.newnime',
  cover: '.thumbz img',
  /** The numbers and links of the pager, and the number of the page itself. */
  pager: '.page-numbers',
  current: '.page-numbers.current',
};

export const SCHEDULE_SELECTORS = {
  frame: '.kgjdwl321',
  /** In the frame, with one heading and the entries of its day. Empty where each heading begins a group. */
  group: '.kglist321',
  heading: 'h2',
  entry: 'li',
  /** In the entry. */
  link: 'a',
  title: 'a',
};

export type OngoingSelectors = typeof ONGOING_SELECTORS;
export type ScheduleSelectors = typeof SCHEDULE_SELECTORS;
