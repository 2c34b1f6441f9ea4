import { bySlug, type Day, type Listing, listEntries, type OngoingAnime } from '../domain/listing.ts';
import { addsUp, buildList, buildWeek, certainNews, type Held, isSameRelease } from './build-listing.ts';
import { type BeliefMemory, rememberRivals, rememberSeen } from './memory.ts';
import { isTrue } from './needs.ts';
import { listOmissions, type Omissions } from './omissions.ts';
import { describePending, type Pending, type Waiting } from './pending.ts';
import type { Reading } from './reading.ts';
import { countRivals } from './rivals.ts';
import { type Part, type Rival, type Statement, statementKey } from './statement.ts';
import type { Beliefs } from './witnesses.ts';

/** A reading in which a larger share of the anime is small or odd is pending, beyond a single anime. */
const MAX_SHARE = 1 / 10;

export interface DecideOptions {
  /** Wall clock, ms since 1970. */
  now: number;
  /** Accepts pending readings. */
  force: boolean;
  /** Whether page 1 alone was read: it is no evidence for what has to last. */
  isPeek: boolean;
  /** The anime whose own page was asked for in this reading. */
  asked?: ReadonlySet<string>;
}

/** What a crawl or a peek changes. */
export interface Verdict extends Omissions {
  /** The belief from now on; undefined if there was none and the reading is pending. */
  listing: Listing | undefined;
  /** Whether page 1 was not enough to judge: the listing then takes only certain news from it. */
  isUnclear: boolean;
  memory: BeliefMemory;
  /** What waits for other readings; undefined when nothing does. */
  pending: Pending | undefined;
  /** The anime whose episode changed together with many others, against the order of the source: that is no event. */
  silent: ReadonlySet<string>;
  /** The day of each listed anime with an unnumbered release. */
  unnumbered: ReadonlyMap<string, OngoingAnime['date']>;
}

/**
 * Decides the changes of a reading: the table in `needs.ts` says when each statement is true, and one rule limits how
 * many may differ at once.
 */
export function decide(
  reading: Reading,
  statements: readonly Statement[],
  { lastGood, memory }: Beliefs,
  options: DecideOptions,
): Verdict {
  const { now, isPeek, asked = new Set<string>() } = options;
  const known = bySlug(lastGood?.ongoing ?? []);
  const rivals = countRivals(statements, memory, { now, asked });
  const listSize = isPeek ? reading.list.size : Math.max(reading.list.size, known.size);
  const scheduled = new Set(listEntries(lastGood?.schedule ?? []).map(({ slug }) => slug));
  const cards = decidePart('list', statements, rivals, listSize, options);
  const entries = decidePart(
    'schedule',
    statements,
    rivals,
    Math.max(reading.week.size, scheduled.size),
    options,
  );
  const pending = isPeek ? undefined : describePending([cards.waiting, entries.waiting], rivals);

  const contradictions = cards.doubts.filter(({ grade }) => grade !== 'news');
  const news = new Set(certainNews(reading, known, groupBySlug(contradictions), contradictions));
  const doubts = cards.doubts.filter((one) => {
    const circumstances = { ...options, isMass: cards.isMass, isAboveUnchanged: news.has(one.slug) };
    return !isTrue(one, rivals.get(one)!, circumstances);
  });
  const held = groupBySlug(doubts);
  // A crawl says whether it is the same anime; once one has seen both, page 1 goes on.
  const hasTwins = statements.some((one) => one.isTwin && !memory.rivals[statementKey(one)]);
  const isUnclear = isPeek && (cards.isMass || hasTwins || !addsUp(reading, known, held, memory));
  const certain = new Set([...news, ...cards.lasting.map(({ slug }) => slug)]);
  const isOld = (slug: string) => held.get(slug)?.some(({ grade }) => grade === 'stale') ?? false;
  const isMissed = (slug: string) => !reading.list.has(slug) && (isPeek || held.has(slug));
  const isKept = (slug: string) =>
    cards.isMass || isUnclear ? !certain.has(slug) : isOld(slug) || isMissed(slug);
  const ongoing = buildList(reading, known, held, isKept);
  const lastWeek = lastGood?.schedule ?? [];
  const unlisted = listUnlisted(reading, bySlug(ongoing));
  const schedule = isPeek
    ? addUnlisted(lastWeek, isUnclear ? [] : unlisted)
    : buildWeek({
        reading,
        lastGood: lastWeek,
        held: groupBySlug(entries.doubts),
        isPending: entries.isMass,
        unlisted,
      });
  const isSilent = ({ grade, fields }: Statement) => grade !== 'news' && fields.includes('episode');
  const silent = cards.isOrWasMass ? cards.all.filter(isSilent) : [];
  return {
    listing: pending && !lastGood ? undefined : { schedule, ongoing },
    isUnclear,
    memory: {
      rivals: rememberRivals([cards, entries], rivals, memory, { isPeek, isUnclear }),
      seen: rememberSeen(memory.seen, listChanged(reading, known, ongoing, now), bySlug(ongoing), now),
      builtAt: Math.max(reading.pages[0]?.builtAt ?? 0, memory.builtAt ?? 0),
      scheduleBuiltAt: Math.max(reading.scheduleBuiltAt ?? 0, memory.scheduleBuiltAt ?? 0),
      pages: isUnclear ? memory.pages : reading.lastNumber,
    },
    pending,
    silent: new Set(silent.map(({ slug }) => slug)),
    unnumbered: isUnclear || cards.isMass ? new Map() : listUnnumbered(statements, known),
    ...listOmissions(reading, [...doubts, ...entries.doubts], { schedule, ongoing }),
  };
}

interface Decision {
  all: readonly Statement[];
  /** Those that are not believed. */
  doubts: readonly Statement[];
  /** Those that are believed because they have lasted. */
  lasting: readonly Statement[];
  /** Whether more than a tenth of the anime wait to last. */
  isMass: boolean;
  /** The same, those that have lasted included. */
  isOrWasMass: boolean;
  /** What a mass of them keeps waiting. */
  waiting: Waiting;
}

/** Whether so many of the anime are more than a tenth of them, beyond a single one. */
export function exceedsShare(count: number, size: number): boolean {
  return count > Math.max(1, size * MAX_SHARE);
}

/** Decides which statements of a part are true. */
function decidePart(
  part: Part,
  statements: readonly Statement[],
  rivals: ReadonlyMap<Statement, Rival>,
  size: number,
  options: DecideOptions,
): Decision {
  const all = statements.filter((one) => one.part === part);
  const isTrueIf = (isMass: boolean) => (one: Statement) =>
    isTrue(one, rivals.get(one)!, { ...options, isMass, isAboveUnchanged: false });
  const areMany = (of: readonly Statement[]) =>
    exceedsShare(new Set(of.filter(isUnusual).map(({ slug }) => slug)).size, size);
  const lasting = all.filter(isTrueIf(true));
  const isMass = areMany(all.filter((one) => !lasting.includes(one)));
  const doubts = isMass
    ? all.filter((one) => !lasting.includes(one))
    : all.filter((one) => !isTrueIf(false)(one));
  const waiting = isMass ? doubts.filter(isUnusual) : [];
  return {
    all,
    doubts,
    lasting,
    isMass,
    isOrWasMass: areMany(all),
    waiting: { part, statements: waiting, size },
  };
}

/** Whether a statement counts towards a mass change. */
function isUnusual({ grade, isUsual }: Statement): boolean {
  return !isUsual && (grade === 'small' || grade === 'odd');
}

function groupBySlug(statements: readonly Statement[]): Held {
  return Map.groupBy(statements, ({ slug }) => slug);
}

/** The anime whose episode has changed, or that are new or gone, and when the page was built that shows it. */
function listChanged(
  { list, builtAt }: Reading,
  known: ReadonlyMap<string, OngoingAnime>,
  ongoing: readonly OngoingAnime[],
  now: number,
): [string, number][] {
  const listed = bySlug(ongoing);
  const changed = ongoing.filter((anime) => !isSameRelease(anime, known.get(anime.slug)));
  const gone = [...known.keys()].filter((slug) => !listed.has(slug));
  return [
    ...changed.map(({ slug }): [string, number] => [slug, list.get(slug)?.builtAt ?? now]),
    ...gone.map((slug): [string, number] => [slug, builtAt ?? now]),
  ];
}

/** The listed anime with an unnumbered release, with its day. */
function listUnnumbered(
  statements: readonly Statement[],
  known: ReadonlyMap<string, OngoingAnime>,
): Map<string, OngoingAnime['date']> {
  const own = statements.filter(({ isUnnumbered, slug }) => isUnnumbered && known.has(slug));
  // `found` is the date of the card.
  return new Map(own.map(({ slug, found }) => [slug, found as OngoingAnime['date']]));
}

/** The anime of the list that are not listed because their first number cannot be read. */
function listUnlisted({ list }: Reading, listed: ReadonlyMap<string, OngoingAnime>) {
  return [...list.values()].flatMap(({ slug, record }) =>
    record && !listed.has(slug)
      ? [{ slug, title: record.title, day: record.day === 'None' ? ('Random' as const) : record.day }]
      : [],
  );
}

function addUnlisted(
  week: Listing['schedule'],
  unlisted: readonly { slug: string; title: string; day: Day }[],
): Listing['schedule'] {
  const scheduled = new Set(listEntries(week).map(({ slug }) => slug));
  const added = unlisted.filter(({ slug }) => !scheduled.has(slug));
  if (added.length === 0) return week;
  return week.map(({ day, animeList }) => {
    const own = added.filter((one) => one.day === day).map(({ slug, title }) => ({ title, slug }));
    return { day, animeList: [...animeList, ...own] };
  });
}
