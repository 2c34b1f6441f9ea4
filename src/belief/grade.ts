import {
  bySlug,
  isLaterDate,
  type Listing,
  listEntries,
  type OngoingAnime,
  type Snapshot,
} from '../domain/listing.ts';
import type { CardFault } from '../source/source.ts';
import { isSameRelease } from './build-listing.ts';
import { findSeenPlaces } from './places.ts';
import type { Reading, Scheduled, Shown } from './reading.ts';
import type { Field, OwnPageAnswer, Rival, Statement } from './statement.ts';
import { areSimilar, titleKey } from './titles.ts';

/**
 * The one place that knows rules about the site: how each statement of a reading stands to what is believed. What such a
 * statement needs until it is true is in `needs.ts`.
 */

/** A larger step from the believed episode is a jump. */
const MAX_STEP = 2;
/** A lower number with a date that is later by more days than this is of an older page. */
const MAX_LATER_DAYS = 31;

/** What is believed, and what the readings since have said against it. */
export interface Beliefs {
  /** The listing as it was read, and what was read of releases; undefined before the first. */
  lastGood: (Listing & Partial<Pick<Snapshot, 'ledger'>>) | undefined;
  memory: BeliefMemory;
}

/** What the latest readings say against the last good listing, stored beside it. */
export interface BeliefMemory {
  /** What statements that are not true yet have in their favour, by `keyOf`. */
  rivals: Record<string, Rival>;
  /** When the page was built that showed the last change of an anime; ms since 1970. */
  seen: Record<string, number>;
  /** When the page 1, and the schedule, that were believed last were built. */
  builtAt?: number;
  scheduleBuiltAt?: number;
  /** The number of pages of the list. */
  pages?: number | undefined;
}

export const NOTHING_REMEMBERED: BeliefMemory = { rivals: {}, seen: {} };

/** The own page of an anime, as far as it answers what is asked. */
export interface OwnPageFacts {
  /** Keys of its titles. */
  titles: ReadonlySet<string>;
  /** Its episodes, the newest first. */
  episodes: readonly number[];
  /** Whether nothing follows. */
  hasEnded: boolean;
}

/** The own pages that were read for this reading, by slug; `gone` where there is none. */
export type OwnPages = ReadonlyMap<string, OwnPageFacts | 'gone'>;

/** What the pages and the last good listing say of each anime, by slug. */
interface Witnesses {
  beliefs: Beliefs;
  reading: Reading;
  ownPages: OwnPages;
  known: ReadonlyMap<string, OngoingAnime>;
  cards: ReadonlyMap<string, OngoingAnime>;
  /** The days of each anime in the last good schedule. */
  knownDays: ReadonlyMap<string, readonly string[]>;
  /** The anime of the last good list that a title or a cover belonged to. */
  owners: ReadonlyMap<string, string>;
  /** The texts of covers, which repeat the title. */
  alts: ReadonlyMap<string, string>;
  /** The anime whose believed episode is on their own page. */
  confirmed: ReadonlySet<string>;
  /** The changes of the episodes of known anime, as `describeMove` says them. */
  episodeMoves: ReadonlySet<string>;
  /** The anime that have a card below them which is as it was: what is new stands above those. */
  aboveUnchanged: ReadonlySet<string>;
  /** Whether the pages show as many known anime as others. */
  isFamiliar: boolean;
}

/** The statements of a reading, those that agree with what is believed left out. Page 1 alone says nothing of what it lacks. */
export function gradeReading(
  reading: Reading,
  beliefs: Beliefs,
  { isPeek, ownPages = new Map() }: { isPeek: boolean; ownPages?: OwnPages },
): Statement[] {
  const witnesses = indexWitnesses(reading, beliefs, ownPages);
  const shown = [...reading.list.values()].flatMap((one) => gradeCard(one, witnesses));
  const entries = gradeSchedule(witnesses);
  return [...shown, ...(isPeek ? [] : gradeMissing(witnesses)), ...entries];
}

function indexWitnesses(reading: Reading, beliefs: Beliefs, ownPages: OwnPages): Witnesses {
  const { list } = reading;
  const { lastGood } = beliefs;
  const before = lastGood?.ongoing ?? [];
  const known = bySlug(before);
  const shown = [...list.values()];
  const cards = bySlug(shown.flatMap(({ anime }) => anime ?? []));
  const moves = [...cards.values()].flatMap((one) => {
    const last = known.get(one.slug);
    return last ? [describeMove(last, one)] : [];
  });
  const alts = new Map(shown.flatMap(({ slug, alt }) => (alt ? [[slug, titleKey(alt)] as const] : [])));
  const isOnPage = ({ slug, episode }: OngoingAnime) =>
    lastGood?.ledger?.[slug]?.page?.rows.some((row) => row.episode === episode);
  const days = Map.groupBy(listEntries(lastGood?.schedule ?? []), ({ slug }) => slug);
  const lastUnchanged = shown.findLastIndex(
    ({ slug, anime }) => anime && isSameRelease(anime, known.get(slug)),
  );
  return {
    beliefs,
    reading,
    ownPages,
    known,
    cards,
    alts,
    episodeMoves: new Set(moves),
    confirmed: new Set(before.filter(isOnPage).map(({ slug }) => slug)),
    owners: new Map(
      before.flatMap((one) => Object.values(identityOf(one)).map((key) => [key, one.slug] as const)),
    ),
    knownDays: new Map([...days].map(([slug, own]) => [slug, own.map(({ day }) => day).sort()])),
    isFamiliar: shown.filter(({ slug }) => known.has(slug)).length * 2 >= shown.length,
    aboveUnchanged: new Set(shown.slice(0, Math.max(0, lastUnchanged)).map(({ slug }) => slug)),
  };
}

/** What a card says against the believed record of its anime, or that there is an anime that was not listed. */
function gradeCard(shown: Shown, witnesses: Witnesses): Statement[] {
  const { slug, anime, builtAt = Infinity } = shown;
  const { known, beliefs } = witnesses;
  const before = known.get(slug);
  if (!anime) return gradeUnnumbered(shown, before, witnesses);
  const isStale = builtAt < (beliefs.memory.seen[slug] ?? 0);
  if (!before) return [gradeNew(anime, isStale, witnesses)];
  const names = otherNames(anime, before);
  // With another title and another cover, it may be the card of another anime: nothing of it is believed.
  if (names.length > 1) return [gradeName(anime, before, names, isStale, witnesses)];
  return [
    ...names.map((name) => gradeName(anime, before, [name], isStale, witnesses)),
    ...gradeRelease(anime, before, isStale, witnesses),
    ...gradeSlot(anime, before, isStale, witnesses),
  ];
}

/**
 * An anime that was not listed. It stands above what is as it was, and has a title and a cover of its own, where the pages say
 * so.
 */
function gradeNew(anime: OngoingAnime, isStale: boolean, witnesses: Witnesses): Statement {
  const { beliefs, aboveUnchanged, isFamiliar, ownPages } = witnesses;
  const { slug, title } = anime;
  const isInOrder = !beliefs.lastGood || isFamiliar || aboveUnchanged.has(slug);
  const fault =
    doubtNew(anime, witnesses) ??
    doubtDay(anime, witnesses) ??
    (isInOrder ? undefined : { field: 'slug', found: slug, against: 'the last good list' });
  const page = ownPages.get(slug);
  const isConfirmed = page && page !== 'gone' && page.titles.has(titleKey(title));
  return {
    part: 'list',
    aspect: 'listed',
    slug,
    title,
    grade: isStale ? 'stale' : fault ? 'odd' : 'news',
    value: JSON.stringify([title, anime.image, anime.episode, anime.date, anime.day]),
    fields: [(fault?.field as Field | undefined) ?? 'slug'],
    found: fault?.found ?? slug,
    known: '',
    fault,
    isUsual: !fault,
    // Its own page says whether its earlier episodes came with this one.
    asks: beliefs.lastGood !== undefined && !isStale && (!isInOrder || anime.episode > 1),
    ...(isConfirmed && { ownPage: 'agrees' as const }),
  };
}

/** Another title or another cover, or both. */
function gradeName(
  anime: OngoingAnime,
  before: OngoingAnime,
  names: readonly ('title' | 'image')[],
  isStale: boolean,
  { ownPages, reading }: Witnesses,
): Statement {
  const { slug, title, image } = anime;
  const [field] = names as ['title' | 'image'];
  const isStranger = names.length > 1;
  const fields = isStranger ? [...names, ...contradictionsOf(anime, before)] : names;
  const page = ownPages.get(slug);
  const isTitle = field === 'title' && !isStranger;
  const hasTitle = page !== undefined && page !== 'gone' && page.titles.has(titleKey(title));
  const known = before[field];
  return {
    part: 'list',
    aspect: 'name',
    slug,
    title,
    grade: isStale ? 'stale' : 'odd',
    value: title + image,
    fields,
    found: anime[field],
    known,
    fault: { field, found: anime[field], against: `the last good list, which has "${known}"` },
    asks: isTitle && !isStale && reading.list.size > 0,
    // Its own page keeps the title that it had, or is as old as this card: only agreement is an answer.
    ...(isTitle && hasTitle && titleKey(title) !== titleKey(before.title) && { ownPage: 'agrees' as const }),
  };
}

/** Another number or another date. */
function gradeRelease(
  anime: OngoingAnime,
  before: OngoingAnime,
  isStale: boolean,
  witnesses: Witnesses,
): Statement[] {
  if (isSameRelease(anime, before)) return [];
  const { slug, title, episode, date } = anime;
  const isNewer = isNews(anime, before);
  const isNumber = isJump(anime, witnesses);
  const isExchanged = witnesses.episodeMoves.has(describeMove(anime, before));
  const isFall = episode < before.episode && date !== before.date;
  const isOdd = episode !== before.episode && (isNumber || isExchanged || isFall);
  const grade = isStale ? 'stale' : isOdd ? 'odd' : isNewer ? 'news' : 'small';
  const contradictions = (['episode', 'date'] as const).filter((field) => anime[field] !== before[field]);
  const fields = isNewer ? (['episode'] as const) : contradictions;
  const [field] = fields as readonly ('episode' | 'date')[];
  const against = `the last good list, which has ${before.episode}`;
  return [
    {
      part: 'list',
      aspect: 'release',
      slug,
      title,
      grade,
      value: JSON.stringify([episode, isNewer || date]),
      fields,
      found: `${anime[field!]}`,
      known: `${before[field!]}`,
      fault: isOdd ? { field: 'episode', found: `${episode}`, against } : undefined,
      isNumber,
      isUsual: isNewer && !isExchanged,
      // Its own page says which episodes came where there are several.
      asks: !isStale && (isNumber || episode > before.episode + 1),
      ownPage: isNumber ? answerOf(witnesses.ownPages.get(slug), episode, before.episode) : undefined,
    },
  ];
}

function answerOf(
  page: OwnPageFacts | 'gone' | undefined,
  episode: number,
  before: number,
): OwnPageAnswer | undefined {
  if (!page || page === 'gone' || page.episodes.length === 0) return undefined;
  const hasRisen = episode > before && page.episodes.includes(episode);
  return hasRisen || page.episodes[0] === episode ? 'agrees' : 'denies';
}

/** Another day of the week. */
function gradeSlot(
  anime: OngoingAnime,
  before: OngoingAnime,
  isStale: boolean,
  witnesses: Witnesses,
): Statement[] {
  const { slug, title, day } = anime;
  if (day === before.day) return [];
  const fault = doubtDay(anime, witnesses);
  return [
    {
      part: 'list',
      aspect: 'slot',
      slug,
      title,
      grade: isStale ? 'stale' : fault ? 'odd' : 'small',
      value: day,
      fields: ['day'],
      found: day,
      known: before.day,
      fault,
    },
  ];
}

/** A card whose number cannot be read, and whose date is later: its own page says what came. */
function gradeUnnumbered(
  { slug, record, builtAt = Infinity }: Shown,
  before: OngoingAnime | undefined,
  { beliefs }: Witnesses,
): Statement[] {
  const isNewer = record && (!before || isLaterDate(record.date, before.date));
  if (!isNewer || !beliefs.lastGood || builtAt < (beliefs.memory.seen[slug] ?? 0)) return [];
  return [
    {
      part: 'list',
      aspect: 'release',
      slug,
      title: record.title,
      grade: 'news',
      value: record.date,
      fields: ['episode'],
      found: record.date,
      known: before?.date ?? '',
      isUsual: true,
      isUnnumbered: true,
      asks: true,
    },
  ];
}

/** The anime that the list does not show. */
function gradeMissing({ reading, known, knownDays, beliefs, ownPages }: Witnesses): Statement[] {
  const before = [...known.values()];
  const hasLeftSchedule = (slug: string) => knownDays.has(slug) && !reading.week.has(slug);
  const isSeen = findSeenPlaces(reading, before, beliefs.memory.seen, hasLeftSchedule);
  return before.flatMap(({ slug, title }): Statement[] => {
    if (reading.list.has(slug)) return [];
    const isScheduled = (reading.week.get(slug)?.days.length ?? 0) > 0;
    const grade = !isScheduled && isSeen(slug) ? 'small' : 'silent';
    return [
      {
        part: 'list',
        aspect: 'listed',
        slug,
        title,
        grade,
        value: 'gone',
        fields: ['gone'],
        found: '',
        known: title,
        asks: grade === 'silent',
        ownPage: presenceOf(ownPages.get(slug)),
      },
    ];
  });
}

function presenceOf(page: OwnPageFacts | 'gone' | undefined): OwnPageAnswer | undefined {
  if (page === undefined || page === 'gone') return page;
  return page.hasEnded ? 'ended' : 'denies';
}

/** What the schedule says. A known entry keeps its title and its days, a new one has those of the list. */
function gradeSchedule(witnesses: Witnesses): Statement[] {
  const { reading, beliefs, knownDays } = witnesses;
  const entries = bySlug(listEntries(beliefs.lastGood?.schedule ?? []));
  const isStale = (reading.scheduleBuiltAt ?? Infinity) < (beliefs.memory.scheduleBuiltAt ?? 0);
  return [...new Set([...reading.week.keys(), ...entries.keys()])].flatMap((slug): Statement[] => {
    const entry = reading.week.get(slug);
    const before = entries.get(slug);
    if (entry?.days.length === 0) return [];
    const base = { part: 'schedule', slug, title: entry?.title ?? before?.title ?? slug } as const;
    if (!entry) {
      const days = knownDays.get(slug)?.join() ?? '';
      const gone = {
        ...base,
        aspect: 'listed',
        value: 'gone',
        fields: ['gone'],
        found: '',
        known: days,
      } as const;
      return [{ ...gone, grade: isStale ? 'stale' : 'small' }];
    }
    return before
      ? gradeEntry(base, entry, before, isStale, witnesses)
      : gradeNewEntry(base, entry, isStale, witnesses);
  });
}

type EntryBase = Pick<Statement, 'part' | 'slug' | 'title'>;

function gradeEntry(
  base: EntryBase,
  { title, days }: Scheduled,
  before: { title: string },
  isStale: boolean,
  { cards, knownDays }: Witnesses,
): Statement[] {
  const card = cards.get(base.slug);
  const own = knownDays.get(base.slug) ?? [];
  const statements: Statement[] = [];
  if (title !== before.title) {
    statements.push({
      ...base,
      aspect: 'name',
      grade: isStale ? 'stale' : 'odd',
      value: title,
      fields: ['title'],
      found: title,
      known: before.title,
      fault: { field: 'title', found: title, against: 'the last good schedule' },
    });
  }
  if (days.join() !== own.join()) {
    const odd = days.find((day) => card !== undefined && !own.includes(day));
    const isOdd = odd !== undefined && !days.some((day) => day === card?.day);
    statements.push({
      ...base,
      aspect: 'slot',
      grade: isStale ? 'stale' : isOdd ? 'odd' : 'small',
      value: days.join(),
      fields: ['day'],
      found: days.join(),
      known: own.join(),
      fault: isOdd ? { field: 'day', found: odd, against: 'the ongoing list' } : undefined,
    });
  }
  return statements;
}

function gradeNewEntry(
  base: EntryBase,
  { title, days }: Scheduled,
  isStale: boolean,
  { cards, known }: Witnesses,
): Statement[] {
  const card = cards.get(base.slug);
  const isOtherTitle = known.size > 0 && card && !areSimilar(titleKey(card.title), titleKey(title));
  const isOtherDay = card !== undefined && !days.some((day) => day === card.day);
  const against = 'the ongoing list';
  const fault: CardFault | undefined = isOtherTitle
    ? { field: 'title', found: title, against }
    : isOtherDay
      ? { field: 'day', found: days[0]!, against }
      : undefined;
  return [
    {
      ...base,
      aspect: 'listed',
      grade: isStale ? 'stale' : fault ? 'odd' : 'news',
      value: JSON.stringify([title, days]),
      fields: [(fault?.field as Field | undefined) ?? 'slug'],
      found: fault?.found ?? '',
      known: '',
      fault,
      isUsual: !fault,
    },
  ];
}

/** A cover as it is compared: without its host. */
export function coverKey(image: string): string {
  return URL.parse(image)?.pathname ?? image;
}

/** What says which anime it is. */
function identityOf({ title, image }: Pick<OngoingAnime, 'title' | 'image'>) {
  return { title: titleKey(title), image: coverKey(image) };
}

/** Which of its title and its cover differ from those of before. */
function otherNames(anime: OngoingAnime, before: OngoingAnime): ('title' | 'image')[] {
  const isSame = {
    title: anime.title === before.title,
    image: coverKey(anime.image) === coverKey(before.image),
  };
  return (['title', 'image'] as const).filter((field) => !isSame[field]);
}

/** The fields of a record that contradict the believed one, its title and its cover apart. */
function contradictionsOf(anime: OngoingAnime, before: OngoingAnime): Field[] {
  const fields: readonly (keyof OngoingAnime)[] = isNews(anime, before)
    ? ['day']
    : ['day', 'episode', 'date'];
  return fields.filter((field) => anime[field] !== before[field]);
}

/** Whether an episode is news: it is higher, and its date is later. */
function isNews(anime: OngoingAnime, before: OngoingAnime): boolean {
  return anime.episode > before.episode && isLaterDate(anime.date, before.date);
}

/** A new anime has a title and a cover of its own, where the pages say so: the schedule, else the text of the cover. */
function doubtNew(anime: OngoingAnime, { alts, cards, owners, reading }: Witnesses): CardFault | undefined {
  const { slug, title: found } = anime;
  const key = titleKey(found);
  const scheduled = reading.week.get(slug)?.title;
  if (scheduled && !areSimilar(titleKey(scheduled), key))
    return { field: 'title', found, against: 'the schedule' };
  if (!scheduled && alts.has(slug) && alts.get(slug) !== key && alts.values().some((one) => one === key))
    return { field: 'title', found, against: "the cover's text" };
  const own = identityOf(anime);
  const field = (['title', 'image'] as const).find((one) => {
    const owner = cards.get(owners.get(own[one]) ?? '');
    return owner && !Object.values(identityOf(owner)).includes(own[one]);
  });
  return field && { field, found: anime[field], against: "another anime's card" };
}

/** A day is in doubt when the schedule and the last good list both have another one. */
function doubtDay({ slug, day }: OngoingAnime, { reading, known }: Witnesses): CardFault | undefined {
  const scheduled: readonly string[] = reading.week.get(slug)?.days ?? [];
  if (scheduled.length === 0 || scheduled.includes(day) || known.get(slug)?.day === day) return undefined;
  return { field: 'day', found: day, against: 'the schedule' };
}

/**
 * Whether a number jumps, or falls with a later date or below that of the page of the anime, and was not exchanged with
 * another anime's.
 */
function isJump(anime: OngoingAnime, { known, confirmed, episodeMoves }: Witnesses): boolean {
  const before = known.get(anime.slug);
  if (!before || episodeMoves.has(describeMove(anime, before))) return false;
  const isLater = isLaterDate(anime.date, before.date, MAX_LATER_DAYS);
  const isFall = anime.episode < before.episode && (isLater || confirmed.has(anime.slug));
  return isFall || anime.episode > before.episode + MAX_STEP;
}

type Release = Pick<OngoingAnime, 'episode' | 'date'>;

/** `12 to 13`, with the dates where these change too: an exchange with another anime exchanges both or the episode alone. */
function describeMove(from: Release, to: Release): string {
  const dates = from.date === to.date ? '' : `, ${from.date} to ${to.date}`;
  return `${from.episode} to ${to.episode}${dates}`;
}
