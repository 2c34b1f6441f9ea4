import { type Listing, listEntries, type OngoingAnime } from '../../domain/listing.ts';
import type { CardOmission } from '../../domain/operational-event.ts';
import { addsUp, buildList, buildWeek, listNews } from './build-listing.ts';
import { compareList, compareWeek, type Difference, type JudgeOptions } from './compare.ts';
import { indexWitnesses, type Witnesses } from './doubts.ts';
import {
  type BeliefMemory,
  describePending,
  hasLasted,
  hasLeft,
  isRepeated,
  listAbsent,
  mustAsk,
  type Pending,
  rememberSeen,
  withoutJumps,
} from './memory.ts';
import {
  completeTitles,
  correctJumps,
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
  const { lastGood, memory, now, force, isPeek } = options;
  const reading = mergePages(read);
  if (!lastGood) reading.nameless.push(...listMissingCards(read.pages));
  completeTitles(reading, lastGood);
  correctJumps(reading, lastGood, options.answers);
  const witnesses = indexWitnesses(reading, lastGood);
  const { list, week } = reading;
  const { known, knownDays } = witnesses;
  const differences = [
    ...compareList(reading, witnesses, options),
    ...compareWeek(reading, witnesses, options),
  ];
  const lasts = ({ claim, isOld }: Difference) => force || (!isPeek && hasLasted(claim, now, isOld));
  const sizes = {
    list: isPeek ? list.size : Math.max(list.size, known.size),
    week: Math.max(week.size, knownDays.size),
  };
  const ofPart = (part: Difference['part'], isSuch: (one: Difference) => boolean) =>
    differences.filter((one) => one.part === part && isSuch(one));
  const isMass = (part: Difference['part'], isSuch: (one: Difference) => boolean = () => true) =>
    exceedsShare(ofPart(part, (one) => !one.isOld && !one.isNews && isSuch(one)).length, sizes[part]);
  const waits = { list: isMass('list', (one) => !lasts(one)), week: isMass('week', (one) => !lasts(one)) };
  const isBelieved = (one: Difference) => {
    if (lasts(one)) return true;
    if (waits[one.part] || one.isOld) return false;
    if (one.jump !== undefined) return isConfirmed(one, options);
    if (one.fault) return false;
    return !one.fields.includes('gone') || hasLeft(one.claim, now);
  };
  const held = differences.filter((one) => !isBelieved(one));
  const heldIn = (part: Difference['part']) =>
    new Map(held.filter((one) => one.part === part).map((one) => [one.slug, one]));
  const [cards, entries] = [heldIn('list'), heldIn('week')];
  const waiting = held.filter(({ part, isOld }) => waits[part] && !isOld);
  const pending = isPeek ? undefined : describePending(waiting, sizes);

  const isUnclear =
    isPeek &&
    (waits.list || !addsUp(reading, known, cards, { absent: listAbsent(memory), pages: memory.pages }));
  const isMissed = (slug: string) => !list.has(slug) && (isPeek || cards.has(slug));
  const doubted = ofPart('list', (one) => !lasts(one) && (one.jump === undefined || !isBelieved(one)));
  const certain = new Set([
    ...listNews(reading, known, cards, doubted),
    ...ofPart('list', lasts).map(({ slug }) => slug),
  ]);
  const isKept = (slug: string) =>
    waits.list || isUnclear ? !certain.has(slug) : cards.get(slug)?.isOld === true || isMissed(slug);
  const ongoing = buildList(reading, known, cards, isKept);
  const schedule = isPeek
    ? (lastGood?.schedule ?? [])
    : buildWeek(reading, lastGood?.schedule ?? [], entries, waits.week);
  const silent = isMass('list') ? ofPart('list', ({ fields }) => fields.includes('episode')) : [];
  return {
    listing: pending && !lastGood ? undefined : { schedule, ongoing },
    isUnclear,
    memory: {
      claims: {
        ...(isPeek && withoutJumps(memory.claims)),
        ...Object.fromEntries(
          // The crawl that follows a page 1 that is not enough counts on.
          (isUnclear ? differences : held)
            .filter(({ jump }) => !isPeek || jump !== undefined)
            .map((one) => [`${one.part} ${one.slug}`, one.claim]),
        ),
      },
      seen: rememberSeen(memory.seen, listChanged(reading, witnesses, ongoing), now),
      builtAt: Math.max(read.firstAgain.builtAt ?? 0, memory.builtAt ?? 0),
      pages: isUnclear ? memory.pages : reading.lastNumber,
    },
    pending,
    silent: new Set(silent.map(({ slug }) => slug)),
    jumps: held.filter(({ jump, claim }) => jump !== undefined && mustAsk(claim, now)),
    ...listOmissions(reading, { list: cards, week: entries }, { schedule, ongoing }),
  };
}

/** Whether an episode that jumps is believed: by the page of the anime, or by a second reading where no page tells. */
function isConfirmed({ claim }: Difference, { now }: JudgeOptions): boolean {
  return claim.isDenied === undefined ? isRepeated(claim, now) : !claim.isDenied;
}

function exceedsShare(count: number, all: number): boolean {
  return count > Math.max(1, all * MAX_SHARE);
}

/** The anime whose episode has changed, or that are new or gone, and when the page was built that shows it. */
function listChanged({ list, builtAt }: Reading, { known }: Witnesses, ongoing: readonly OngoingAnime[]) {
  const listed = new Set(ongoing.map(({ slug }) => slug));
  const changed = ongoing.flatMap((anime): [string, number][] => {
    const at = list.get(anime.slug)?.builtAt;
    const before = known.get(anime.slug);
    const isSame = before?.episode === anime.episode && before.date === anime.date;
    return isSame || at === undefined ? [] : [[anime.slug, at]];
  });
  const gone = [...known.keys()].filter((slug) => !listed.has(slug));
  return [
    ...changed,
    ...gone.flatMap((slug): [string, number][] => (builtAt === undefined ? [] : [[slug, builtAt]])),
  ];
}

/** The cards that cannot be read, or that are not believed because a page contradicts them. */
function listOmissions(
  { list, week, nameless, repeated }: Reading,
  held: Record<Difference['part'], ReadonlyMap<string, Difference>>,
  listing: Listing,
): Pick<Verdict, 'omissions' | 'omitted' | 'keptFromBefore'> {
  const listed = slugsOf(listing.ongoing);
  const scheduled = slugsOf(listEntries(listing.schedule));
  const describe = (place: Place & { slug: string }, part: Difference['part'], isRead: boolean) => {
    const fault = held[part].get(place.slug)?.fault;
    const faults = isRead ? [fault].filter((one) => one !== undefined) : place.faults;
    return { place, faults, kept: (part === 'list' ? listed : scheduled).has(place.slug) };
  };
  const unread = [
    ...[...list.values()].map((one) => describe(one, 'list', one.anime !== undefined)),
    ...[...week.values()].map((one) => describe(one, 'week', one.days.length > 0)),
  ].filter(({ faults }) => faults.length > 0);
  const unnamed = [...nameless, ...repeated].map((place) => ({ place, faults: place.faults, kept: false }));
  const omissions = [...unread, ...unnamed].flatMap(({ place: { page, card }, faults, kept }) =>
    faults.map(({ missing: _, ...fault }) => ({ page, card, ...fault, kept })),
  );
  const keptFromBefore = unread.filter(({ kept }) => kept).length;
  return { omissions, keptFromBefore, omitted: nameless.length + unread.length - keptFromBefore };
}

function slugsOf(all: readonly { slug: string }[]): Set<string> {
  return new Set(all.map(({ slug }) => slug));
}
