import { bySlug, listEntries } from '../../../domain/listing.ts';
import { isLaterDate } from '../../../domain/source-date.ts';
import type { Site } from '../../create-source.ts';
import type { FieldModel, KnownAnime, PageModel } from '../../repair/page-model.ts';
import { isReadable, listUnreadable, type OngoingPage, type SchedulePage } from '../../source.ts';
import { parseAnime } from './anime-page.ts';
import { COVER, DATE, DAY, EPISODE, TITLE } from './formats.ts';
import { readOngoing } from './ongoing-page.ts';
import { openPage } from './page.ts';
import { readSchedule } from './schedule-page.ts';
import { ONGOING_SELECTORS, SCHEDULE_SELECTORS } from './selectors.ts';

/** The most episodes of an anime that are plausible since the last good crawl. */
const MAX_NEW_EPISODES = 2;

const TITLE_FIELD: FieldModel = {
  name: 'title',
  format: TITLE,
  isPlausible: isSame('title'),
  isUnique: true,
};

const ONGOING: PageModel<OngoingPage> = {
  prefix: '',
  selectors: ONGOING_SELECTORS,
  open: openPage,
  read: (page, pageUrl, selectors) => readOngoing(page, pageUrl, { ...ONGOING_SELECTORS, ...selectors }),
  knownFrom: ({ ongoing }) => bySlug(ongoing.map((anime) => ({ ...anime }))),
  count({ cards }) {
    const records = cards.filter(isReadable);
    return { records: records.map((record) => ({ ...record })), unreadable: listUnreadable(cards).length };
  },
  fields: [
    TITLE_FIELD,
    { name: 'image', format: COVER, isPlausible: hasSameCover, isUnique: true },
    { name: 'day', format: DAY, isPlausible: isSame('day') },
    { name: 'date', format: DATE, isPlausible: isSameOrLater },
    { name: 'episode', format: EPISODE, isPlausible: hasEpisodeOfDate, mayHaveWords: true },
  ],
};

const SCHEDULE: PageModel<SchedulePage> = {
  prefix: 'schedule ',
  selectors: SCHEDULE_SELECTORS,
  open: openPage,
  read: (page, pageUrl, selectors) => readSchedule(page, pageUrl, { ...SCHEDULE_SELECTORS, ...selectors }),
  knownFrom: ({ schedule }) => bySlug(listEntries(schedule)),
  count({ groups }) {
    const cards = groups.flatMap(({ day, cards: own }) => own.map((card) => ({ day, card })));
    const records = cards.flatMap(({ day, card }) => (isReadable(card) ? [{ ...card, day }] : []));
    return { records, unreadable: cards.length - records.length };
  },
  fields: [TITLE_FIELD],
  groupField: { name: 'day', isPlausible: isSame('day') },
};

/** A WordPress theme. Its class names have not changed since 2020, its host has changed about twenty times. */
export const otakudesu: Site = {
  name: 'otakudesu',
  schedulePath: '/jadwal-rilis/',
  ongoingPath: (page) => (page === 1 ? '/ongoing-anime/' : `/ongoing-anime/page/${page}/`),
  schedule: SCHEDULE,
  ongoing: ONGOING,
  animePath: (slug) => `/anime/${slug}/`,
  parseAnime,
};

function isSame(name: string) {
  return (now: KnownAnime, before: KnownAnime): boolean => now[name] === before[name];
}

/** The host of the site changes, and its paths do not. */
function hasSameCover({ image: now }: KnownAnime, { image: before }: KnownAnime): boolean {
  return URL.parse(String(now))?.pathname === URL.parse(String(before))?.pathname;
}

function isSameOrLater({ date: now }: KnownAnime, { date: before }: KnownAnime): boolean {
  return now === before || isLaterDate(`${now}`, `${before}`);
}

/** The episode rises with its date. If all rise and no date moves, the number announces the coming episode. */
function hasEpisodeOfDate(now: KnownAnime, before: KnownAnime): boolean {
  const step = Number(now.episode) - Number(before.episode);
  return now.date === before.date ? step === 0 : step >= 0 && step <= MAX_NEW_EPISODES;
}
