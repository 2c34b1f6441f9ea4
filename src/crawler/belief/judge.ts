import { bySlug, type Listing, listEntries, type OngoingAnime } from '../../domain/listing.ts';
import type { CardOmission } from '../../domain/operational-event.ts';
import { addsUp, buildList, buildWeek, isSameRelease, listNews } from './build-listing.ts';
import { compareList, compareWeek, type Difference, type JudgeOptions } from './compare.ts';
import { indexWitnesses, type Witnesses } from './doubts.ts';
import {
  type BeliefMemory,
  type Claim,
  describePending,
  hasLeft,
  isConfirmed,
  lasts,
  mustAsk,
  type Pending,
  rememberSeen,
} from './memory.ts';
import {
  correctCards,
  listMissingCards,
  mergePages,
  type Place,
  type Reading,
  type ReadPages,
} from './reading.ts';

/** A reading that contradicts the last good listing on a larger share of the anime is pending, beyond a single anime. */
const MAX_SHARE = 1 / 10;

/** What a crawl or a peek changes. */
export interface Verdict {
  /** What is believed from now on; undefined where nothing is known yet and the reading is pending. */
  listing: Listing | undefined;
  /** Whether page 1 alone was read and is not enough: of it, the listing has what is certainly new. */
  isUnclear: boolean;
  memory: BeliefMemory;
  /** What waits for other readings; undefined when nothing does. */
  pending: Pending | undefined;
  /** The anime whose episode changed together with many others, against the order of the source: that is no event. */
  silent: ReadonlySet<string>;
  /** The episodes that jump, and that the pages of their anime have to be asked for now. */
  jumps: Difference[];
  omissions: CardOmission[];
  /** How many cards are left out, and how many have a record of before. */
  omitted: number;
  keptFromBefore: number;
}

/**
 * The one place that decides what a reading changes. News in the order of the source are believed at once; other changes are
 * believed at once where they are few and no page contradicts them; what contradicts much waits until it has lasted.
 */
export function judge(read: ReadPages, options: JudgeOptions): Verdict {
  const { lastGood, memory, now, isPeek } = options;
  const reading = mergePages(read);
  if (!lastGood) reading.stray.push(...listMissingCards(read.pages));
  correctCards(reading, lastGood, options.answers);
  const witnesses = indexWitnesses(reading, lastGood);
  const { list, week } = reading;
  const { known, knownDays } = witnesses;
  const listSize = isPeek ? list.size : Math.max(list.size, known.size);
  const cards = decide(compareList(reading, witnesses, options), listSize, options);
  const entries = decide(
    compareWeek(reading, witnesses, options),
    Math.max(week.size, knownDays.size),
    options,
  );
  const pending = isPeek ? undefined : describePending([cards, entries]);

  const held = bySlug(cards.doubts.filter(({ part }) => part === 'list'));
  const isUnclear = isPeek && (cards.waits || !addsUp(reading, known, held, memory));
  const isMissed = (slug: string) => !list.has(slug) && (isPeek || held.has(slug));
  const lasting = cards.all.filter((one) => lasts(one, options));
  const doubted = cards.all.filter(
    (one) => !lasts(one, options) && (!one.claim.isJump || held.has(one.slug)),
  );
  const news = listNews(reading, known, held, doubted);
  const certain = new Set([...news, ...lasting.map(({ slug }) => slug)]);
  const isKept = (slug: string) =>
    cards.waits || isUnclear ? !certain.has(slug) : held.get(slug)?.isOld === true || isMissed(slug);
  const ongoing = buildList(reading, known, held, isKept);
  const lastWeek = lastGood?.schedule ?? [];
  const schedule = isPeek ? lastWeek : buildWeek(reading, lastWeek, bySlug(entries.doubts), entries.waits);
  const silent = cards.isMass ? cards.all.filter(({ fields }) => fields.includes('episode')) : [];
  // The crawl that follows a page 1 that is not enough counts on.
  const counted = [cards, entries].flatMap(({ all, doubts }) => (isUnclear ? all : doubts));
  const claims = counted.map((one) => [`${one.part} ${one.slug}`, one.claim] as const);
  // Page 1 is evidence enough for episodes that jump, and for nothing else.
  const isOfPeek = ([, { isJump }]: readonly [string, Claim]) => isJump;
  const others = Object.entries(memory.claims).filter((one) => !isOfPeek(one));
  return {
    listing: pending && !lastGood ? undefined : { schedule, ongoing },
    isUnclear,
    memory: {
      claims: Object.fromEntries(isPeek ? [...others, ...claims.filter(isOfPeek)] : claims),
      seen: rememberSeen(memory.seen, listChanged(reading, witnesses, ongoing), now),
      builtAt: Math.max(read.firstAgain.builtAt ?? 0, memory.builtAt ?? 0),
      pages: isUnclear ? memory.pages : reading.lastNumber,
    },
    pending,
    silent: new Set(silent.map(({ slug }) => slug)),
    jumps: cards.doubts.filter(({ claim }) => claim.isJump && mustAsk(claim, now)),
    ...listOmissions(reading, [...cards.doubts, ...entries.doubts], { schedule, ongoing }),
  };
}

/** Decides which differences of the list, or of the schedule, are believed: those that last, and those in no doubt among few. */
function decide(all: readonly Difference[], size: number, options: JudgeOptions) {
  const exceedsShare = (of: readonly Difference[]) =>
    bySlug(of.filter(({ isOld, isNews }) => !isOld && !isNews)).size > Math.max(1, size * MAX_SHARE);
  const waits = exceedsShare(all.filter((one) => !lasts(one, options)));
  const isBelieved = (one: Difference) => {
    if (lasts(one, options)) return true;
    if (waits || one.isOld) return false;
    if (one.claim.isJump) return isConfirmed(one.claim, options.now);
    if (one.fault) return false;
    return !one.fields.includes('gone') || hasLeft(one.claim, options.now);
  };
  const doubts = all.filter((one) => !isBelieved(one));
  return {
    ...{ all, size, doubts, waits, isMass: exceedsShare(all) },
    /** What a mass of them keeps waiting. */
    waiting: waits ? doubts.filter(({ isOld }) => !isOld) : [],
  };
}

/** The anime whose episode has changed, or that are new or gone, and when the page was built that shows it. */
function listChanged({ list, builtAt }: Reading, { known }: Witnesses, ongoing: readonly OngoingAnime[]) {
  const listed = bySlug(ongoing);
  const changed = ongoing.filter((anime) => !isSameRelease(anime, known.get(anime.slug)));
  const gone = [...known.keys()].filter((slug) => !listed.has(slug));
  return [
    ...changed.map(({ slug }) => [slug, list.get(slug)?.builtAt] as const),
    ...gone.map((slug) => [slug, builtAt] as const),
  ].filter((one): one is [string, number] => one[1] !== undefined);
}

/** The cards that cannot be read, or that are not believed because a page contradicts them. */
function listOmissions(
  { list, week, stray }: Reading,
  doubts: readonly Difference[],
  listing: Listing,
): Pick<Verdict, 'omissions' | 'omitted' | 'keptFromBefore'> {
  const listed = bySlug(listing.ongoing);
  const scheduled = bySlug(listEntries(listing.schedule));
  const doubted = Map.groupBy(doubts, ({ part, slug }) => `${part === 'week'} ${slug}`);
  const describe = (place: Place & { slug: string }, isEntry: boolean, isRead: boolean) => {
    const own = doubted.get(`${isEntry} ${place.slug}`) ?? [];
    const faults = isRead ? own.flatMap(({ fault }) => fault ?? []) : place.faults;
    return { place, faults, kept: (isEntry ? scheduled : listed).has(place.slug) };
  };
  const unread = [
    ...[...list.values()].map((one) => describe(one, false, one.anime !== undefined)),
    ...[...week.values()].map((one) => describe(one, true, one.days.length > 0)),
  ].filter(({ faults }) => faults.length > 0);
  const strays = stray.map((place) => ({ place, faults: place.faults, kept: false }));
  const omissions = [...unread, ...strays].flatMap(({ place: { page, card }, faults, kept }) =>
    faults.map(({ missing: _, ...fault }) => ({ page, card, ...fault, kept })),
  );
  const keptFromBefore = unread.filter(({ kept }) => kept).length;
  return { omissions, keptFromBefore, omitted: stray.length + unread.length - keptFromBefore };
}
